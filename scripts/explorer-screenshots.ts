/**
 * Takes the pictures of docs/front-ends/explorer.md: `node scripts/explorer-screenshots.ts`. It starts the example on
 * an empty database in memory, opens its explorer in Chromium, and writes docs/explorer/*.png.
 */
import path from 'node:path'
import type { Page } from 'playwright-core'
import { buildApp } from '../example/app.ts'
import { entities } from '../example/entities/index.ts'
import { DatabaseFactory } from '../src/index.ts'
import { openPage, settled } from '../test/explorer/explorer-page.ts'
import { launch } from '../test/helpers/browser.ts'
import { buildStaleExplorer } from './explorer/build.ts'

const FOLDER = path.join(import.meta.dirname, '../docs/explorer')
const DESK = { width: 1120, height: 640 }
const PHONE = { width: 390, height: 700 }

interface Picture {
  readonly name: string
  readonly place: string
  readonly role?: string
  readonly isPhone?: boolean
  readonly isDark?: boolean
  /** The clicks and keys before the picture is taken. */
  readonly act?: (page: Page) => Promise<void>
}

const LIST = '/categories?filter[price][gte]=20&sort=-price&include=products,tags,productsCount'

const PICTURES: readonly Picture[] = [
  { name: 'list', place: LIST, role: 'admin' },
  {
    name: 'filter',
    place: LIST,
    act: async (page) => {
      await page.getByRole('button', { name: 'Add filter' }).click()
      await page.keyboard.type('pr')
    },
  },
  {
    name: 'groups',
    place: '/categories?filter[status]=active&filter[or][0][price][lt]=30' +
      '&filter[or][1][tags.name]=bestseller&filter[or][1][price][gt]=100&sort=name',
    role: 'admin',
  },
  { name: 'facets', place: '/products?filter[category.name][in]=Books,Tech&facets=category.name,category.status' },
  {
    name: 'numbers',
    place: '/products/aggregate?group=category.name&aggregate=count,price.sum,price.avg&sort=-price.sum',
  },
  { name: 'numbers-time', place: '/products/aggregate?group=created_at.week&aggregate=count', isDark: true },
  {
    name: 'fields',
    place: LIST,
    act: (page) => page.getByRole('button', { name: 'Fields and relations' }).click(),
  },
  { name: 'error', place: '/categories?filter[status]=actve&filter[price][gt]=cheap&sort=prise' },
  { name: 'record', place: '/articles?include=category.tags&sort=created_at&~open=1', role: 'editor' },
  {
    name: 'form',
    place: '/products?~open=2',
    role: 'editor',
    act: async (page) => {
      await page.getByRole('button', { name: 'Edit', exact: true }).click()
      await page.getByRole('textbox', { name: 'Name' }).fill('Laptop 15"')
      await page.getByRole('textbox', { name: 'Price' }).fill('-1')
      await page.keyboard.press('Control+Enter')
      await page.locator('[data-field=price]').getByRole('alert').waitFor()
    },
  },
  {
    name: 'lines',
    place: '/orders?~open=4',
    role: 'editor',
    act: async (page) => {
      await page.getByRole('button', { name: 'Edit', exact: true }).click()
      await settled(page)
      await page.getByRole('button', { name: 'Remove Order line 2' }).click()
      const first = page.getByRole('group', { name: 'Order line 1' })
      await first.getByRole('textbox', { name: 'Quantity' }).fill('2')
      await page.getByRole('button', { name: 'Add order line' }).click()
      await page.keyboard.press('Control+Enter')
      await page.getByRole('group', { name: 'Order line 3' }).getByRole('alert').first().waitFor()
    },
  },
  {
    name: 'many',
    place: '/categories?filter[status]=active&sort=name',
    role: 'admin',
    act: async (page) => {
      for (const name of ['Books', 'Garden', 'Kitchen']) {
        await page.getByRole('checkbox', { name: `Select ${name}` }).check()
      }
      await page.getByRole('button', { name: 'Change', exact: true }).click()
      await page.locator('select:focus').selectOption('status')
      await page.getByRole('combobox', { name: 'Status' }).selectOption('archived')
      await page.keyboard.press('Control+Enter')
      await page.getByText('This changes 3 records. Nothing is changed yet.').waitFor()
    },
  },
  { name: 'roles', place: '/articles?~compare=Without%20headers&fields=id,title,published_at', role: 'admin' },
  { name: 'dark', place: '/products?include=category,tags&~open=2', role: 'admin', isDark: true },
  { name: 'phone', place: '/products?filter[price][gte]=100&sort=-price', isPhone: true },
  { name: 'phone-record', place: '/products?~open=2', role: 'editor', isPhone: true, isDark: true },
]

await buildStaleExplorer()
const app = await buildApp(new DatabaseFactory({ databaseUrl: 'pglite://memory', entities, schema: 'create' }), {}, {})
const origin = await app.listen({ port: 0, host: '127.0.0.1' })
const browser = await launch()
try {
  for (const { name, place, role, isPhone = false, isDark = false, act } of PICTURES) {
    const { page, faults } = await openPage(browser, origin, {
      ...role !== undefined && { role },
      viewport: isPhone ? PHONE : DESK,
      colorScheme: isDark ? 'dark' : 'light',
    })
    await page.goto(`${origin}/explorer${place}`)
    await settled(page)
    await act?.(page)
    await settled(page)
    await page.screenshot({ path: path.join(FOLDER, `${name}.png`) })
    await page.context().close()
    if (faults.length > 0) throw new Error(`${name}: ${faults.join('\n')}`)
  }
} finally {
  await browser.close()
  await app.close()
}
