/**
 * Takes the pictures of docs/front-ends/explorer.md: `node scripts/explorer-screenshots.ts`. It starts the example on
 * an empty database in memory, opens its explorer in Chromium, and writes docs/explorer/*.png.
 */
import path from 'node:path'
import t from 'tap'
import { buildApp } from '../example/app.ts'
import { entities } from '../example/entities/index.ts'
import { DatabaseFactory } from '../src/index.ts'
import { openPage, settled } from '../test/explorer/explorer-page.ts'
import { reach, STATES } from '../test/explorer/states.ts'
import { launch } from '../test/helpers/browser.ts'
import { buildStaleExplorer } from './explorer/build.ts'

const FOLDER = path.join(import.meta.dirname, '../docs/explorer')
const DESK = { width: 1120, height: 640 }
const PHONE = { width: 390, height: 700 }

interface Picture {
  readonly name: string
  /** The name of the state that it shows. */
  readonly state: string
  readonly isPhone?: boolean
  readonly isDark?: boolean
}

const PICTURES: readonly Picture[] = [
  { name: 'list', state: 'list' },
  { name: 'filter', state: 'filter-found' },
  { name: 'groups', state: 'groups' },
  { name: 'facets', state: 'facets' },
  { name: 'numbers', state: 'numbers' },
  { name: 'numbers-time', state: 'numbers-time', isDark: true },
  { name: 'fields', state: 'fields' },
  { name: 'error', state: 'error' },
  { name: 'record', state: 'record' },
  { name: 'form', state: 'record-refused' },
  { name: 'lines', state: 'record-lines' },
  { name: 'many', state: 'many-counted' },
  { name: 'roles', state: 'compare' },
  { name: 'dark', state: 'record-of-list', isDark: true },
  { name: 'phone', state: 'list-sorted', isPhone: true },
  { name: 'phone-record', state: 'record-of-list', isPhone: true, isDark: true },
]

// the helpers of tests bring tap along, which ends a process after half a minute
t.setTimeout(3_600_000)
await buildStaleExplorer()
const app = await buildApp(new DatabaseFactory({ databaseUrl: 'pglite://memory', entities, schema: 'create' }), {}, {})
const origin = await app.listen({ port: 0, host: '127.0.0.1' })
const browser = await launch()
try {
  for (const { name, state, isPhone = false, isDark = false } of PICTURES) {
    const shown = STATES.find((each) => each.name === state)!
    const { page, faults } = await openPage(browser, origin, {
      ...shown.role !== undefined && { role: shown.role },
      viewport: isPhone ? PHONE : DESK,
      colorScheme: isDark ? 'dark' : 'light',
    })
    // the first request of its kind takes longer than the others, and the page shows its time
    await page.goto(`${origin}/explorer${shown.place}`)
    await settled(page)
    await reach(page, origin, shown)
    await page.screenshot({ path: path.join(FOLDER, `${name}.png`) })
    await page.context().close()
    if (faults.length > 0) throw new Error(`${name}: ${faults.join('\n')}`)
  }
} finally {
  await browser.close()
  await app.close()
}
