/**
 * Takes pictures of all states of the explorer's page, to look at: `node scripts/explorer-states.ts [names of states]`.
 * They are in `.data/states`, which git ignores, several on a sheet. `--size phone`, `desk` or `wide`, `--light` and
 * `--dark` choose some.
 */
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import type { Browser } from 'playwright-core'
import t from 'tap'
import { openPage } from '../test/explorer/explorer-page.ts'
import { openStateServers, reach, STATES, type PageState } from '../test/explorer/states.ts'
import { launch } from '../test/helpers/browser.ts'
import { buildStaleExplorer } from './explorer/build.ts'

const FOLDER = path.join(import.meta.dirname, '../.data/states')
/** The windows, and how many pictures stand beside each other on a sheet of 1 600 pixels. */
const SIZES = {
  phone: { width: 390, height: 844, across: 4, down: 1 },
  desk: { width: 1280, height: 800, across: 2, down: 2 },
  wide: { width: 2000, height: 1100, across: 2, down: 2 },
} as const
type Size = keyof typeof SIZES

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { size: { type: 'string', multiple: true }, dark: { type: 'boolean' }, light: { type: 'boolean' } },
})
const sizes = (values.size ?? Object.keys(SIZES)) as Size[]
const schemes = (['light', 'dark'] as const).filter((scheme) => values[scheme] || !(values.dark || values.light))
const states = STATES.filter(({ name }) => positionals.length === 0 || positionals.some((part) => name.includes(part)))

// the helpers of tests bring tap along, which ends a process after half a minute
t.setTimeout(3_600_000)
await buildStaleExplorer()
const closers: Array<() => unknown> = []
const origins = await openStateServers({
  teardown: (close: () => unknown) => closers.unshift(close),
  testdir: () => {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'states-'))
    closers.push(() => fs.rmSync(folder, { recursive: true }))
    return folder
  },
} as never)
const browser = await launch()
closers.unshift(() => browser.close())
try {
  fs.mkdirSync(FOLDER, { recursive: true })
  for (const size of sizes) {
    for (const scheme of schemes) {
      const shots: Shot[] = []
      for (const state of states) shots.push({ state, picture: await shoot(browser, state, size, scheme) })
      await writeSheets(browser, shots, size, scheme)
    }
  }
} finally {
  for (const close of closers) await close()
}

interface Shot {
  readonly state: PageState
  readonly picture: Buffer
}

/** Opens a page in a state, and takes its picture. */
async function shoot (browser: Browser, state: PageState, size: Size, colorScheme: 'light' | 'dark'): Promise<Buffer> {
  const { server = 'example', role } = state
  const { width, height } = SIZES[size]
  const { page } = await openPage(browser, origins[server], {
    ...role !== undefined && { role },
    viewport: { width, height },
    colorScheme,
  })
  try {
    await reach(page, origins[server], state)
  } catch (error) {
    console.error(`${state.name}, ${size}, ${colorScheme}: ${String(error)}`)
  }
  const picture = await page.screenshot()
  await page.context().close()
  fs.writeFileSync(path.join(FOLDER, `${state.name}-${size}-${colorScheme}.png`), picture)
  return picture
}

/** Puts pictures with their names on sheets. */
async function writeSheets (browser: Browser, shots: readonly Shot[], size: Size, scheme: string): Promise<void> {
  const { across, down } = SIZES[size]
  const page = await browser.newPage({ viewport: { width: 1600, height: 900 } })
  for (let at = 0; at < shots.length; at += across * down) {
    const figures = shots.slice(at, at + across * down).map(({ state, picture }) =>
      `<figure><figcaption>${state.name}</figcaption><img src="data:image/png;base64,${picture.toString('base64')}">` +
      '</figure>'
    )
    await page.setContent(
      `<style>body { margin: 0; display: grid; grid-template-columns: repeat(${across}, 1fr); gap: 8px; ` +
        'background: #777 } figure { margin: 0 } figcaption { font: bold 16px sans-serif; color: #fff } ' +
        `img { width: 100%; display: block }</style>${figures.join('')}`
    )
    const number = String(at / (across * down)).padStart(2, '0')
    await page.screenshot({ path: path.join(FOLDER, `sheet-${size}-${scheme}-${number}.png`), fullPage: true })
  }
  await page.close()
}
