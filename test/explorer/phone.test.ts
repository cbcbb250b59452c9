/** The explorer on a phone: the records on top, one menu with the tools, and a record as a page of its own. */
import t from 'tap'
import type { Locator, Page } from 'playwright-core'
import { eventually, openBrowser, skipReason } from '../helpers/browser.ts'
import { openExample } from '../helpers/example.ts'
import { accessibilityFaults, openPage, settled } from './explorer-page.ts'

// a browser on a busy machine
t.setTimeout(600_000)

t.test('the page on a phone', { skip: skipReason() }, async (t) => {
  const app = await openExample(t)
  const origin = await app.listen({ port: 0, host: '127.0.0.1' })
  const browser = await openBrowser(t)
  const open = async (place: string, width = 390, role = 'admin') => {
    const opened = await openPage(browser, origin, {
      role, viewport: { width, height: 844 }, colorScheme: width === 390 ? 'light' : 'dark',
    })
    await opened.page.goto(`${origin}/explorer${place}`)
    await settled(opened.page)
    return opened
  }
  const tools = (page: Page): Locator => page.getByRole('button', { name: /^Tools/ })
  const focused = (page: Page): Promise<string> => page.evaluate<string>('document.activeElement.innerText')

  /** What does not fit the width of the page, and targets that are too small, one text for each. */
  const misfits = (page: Page): Promise<string[]> => page.evaluate(MISFITS)

  t.test('the records are on top, below one line with the resource and the caller', async (t) => {
    for (const width of [390, 320]) {
      const { page, faults } = await open('/products', width)
      const first = (await page.getByRole('button', { name: '100% cotton bear' }).boundingBox())!
      t.ok(first.y < 150, `the first record is at ${first.y}`)
      const [resource, caller] = await Promise.all(
        [/^Products$/, /^Ask as admin/].map((name) => page.getByRole('button', { name }).boundingBox())
      )
      t.equal(resource!.y + resource!.height / 2, caller!.y + caller!.height / 2)
      t.equal(await page.locator('table').count(), 0)
      t.strictSame(faults, [])
      await page.context().close()
    }
  })

  t.test('a card has the name of a record, and what matters or what a person has asked for', async (t) => {
    for (const [place, first] of [
      ['/categories?sort=name', /^Books\n+Description\n+Printed on paper\n+Price\n+25\n+Status\n+active$/],
      ['/products?sort=name', /^100% cotton bear\n+Price\n+28\n+Stock\n+48\n+Category\n+\S+$/],
      ['/products?sort=created_at', /Created at\n+2026-/],
      ['/categories?filter[price][isnull]=true&sort=name', /^Unsorted\n+Status\n+\w+$/],
      ['/categories?filter[price][isnull]=true&sort=price', /^Unsorted\n+Price\n+null\n+Status\n+\w+$/],
      ['/products?sort=name&fields=id,name,sku', /^100% cotton bear\n+Sku\n+TOYS-3\n+Id\n+18$/],
      ['/categories?sort=name&include=productsCount', /^Books[^]*Products count\n+4/],
    ] as const) {
      const { page } = await open(place)
      t.match(await page.locator('.item').first().innerText(), first, place)
      await page.context().close()
    }
  })

  t.test('the menu of tools shows how many filters there are, and has all of the tools', async (t) => {
    const { page, faults, asked } = await open('/categories?filter[price][gte]=20')
    t.match(await tools(page).innerText(), /^Tools\s+1/)
    await tools(page).click()
    const menu = page.getByRole('dialog', { name: 'Tools' })
    await menu.getByRole('button', { name: 'Add filter' }).click()
    await page.getByRole('option', { name: /^Status/ }).click()
    await page.getByLabel('Value').selectOption('active')
    await page.getByRole('button', { name: 'Apply' }).click()
    await settled(page)
    await menu.getByRole('button', { name: 'Sort: Created at' }).click()
    await page.getByRole('button', { name: 'Price', exact: true }).click()
    await page.getByRole('button', { name: 'Also sort by Name' }).click()
    await page.getByRole('button', { name: 'Close: Order' }).click()
    await menu.getByRole('combobox', { name: 'Per page' }).selectOption('10')
    await settled(page)
    t.equal(asked.at(-1), 'GET /categories?filter[price][gte]=20&filter[status]=active&sort=price,name&per_page=10')
    for (const name of ['Fields and relations', 'Facets', 'Compare roles', 'Select records', 'Copy as…']) {
      await menu.getByRole('button', { name }).waitFor()
    }
    await menu.getByRole('link', { name: 'Numbers' }).waitFor()
    await menu.getByRole('button', { name: /^Show \d+ records$/ }).click()
    await menu.waitFor({ state: 'detached' })
    t.match(await focused(page), /^Tools\s+2/)
    await tools(page).click()
    await menu.getByRole('button', { name: 'Facets' }).click()
    await page.getByRole('complementary', { name: 'Facets' }).waitFor()
    t.equal(await menu.count(), 0, 'the facets take its place')
    await page.getByRole('button', { name: /^Show \d+ records$/ }).click()
    await eventually(t, () => focused(page), /^Tools/)
    t.strictSame(faults, [])
  })

  t.test('Back closes the page of a record, and the focus and the place in the list are what they were', async (t) => {
    const { page, faults } = await open('/products')
    const card = page.getByRole('button', { name: 'French press' })
    await card.scrollIntoViewIfNeeded()
    await page.evaluate("document.querySelector('.grid-scroll').scrollBy(0, 200)")
    const before = await card.boundingBox()
    for (const back of ['its arrow', 'the phone', 'Escape']) {
      await card.press('Enter')
      const record = page.getByRole('complementary', { name: 'Record of Products' })
      await record.getByRole('heading', { name: 'French press' }).waitFor()
      await settled(page)
      t.strictSame(await record.boundingBox(), { x: 0, y: 0, width: 390, height: 844 })
      t.equal(await tools(page).isVisible(), false)
      if (back === 'its arrow') await record.getByRole('button', { name: 'Close' }).click()
      else if (back === 'Escape') await page.keyboard.press('Escape')
      else await page.goBack()
      await record.waitFor({ state: 'detached' })
      await eventually(t, () => focused(page), 'French press', back)
      t.strictSame(await card.boundingBox(), before, back)
      t.notMatch(page.url(), /open/)
    }
    await page.goForward()
    await page.getByRole('complementary', { name: 'Record of Products' }).waitFor()
    t.strictSame(faults, [], 'closing went back')
  })

  t.test('Back closes the sheet above the others', async (t) => {
    const { page, faults } = await open('/products')
    await tools(page).click()
    await page.getByRole('button', { name: 'Fields and relations' }).click()
    const sheets = page.locator('dialog[open]')
    t.equal(await sheets.count(), 2)
    await page.keyboard.press('Escape')
    await eventually(t, () => sheets.count(), 1)
    t.match(await focused(page), /^Fields and relations/)
    await page.mouse.click(190, 20)
    await eventually(t, () => sheets.count(), 0, 'so does a click beside it')
    t.match(await focused(page), /^Tools/)
    t.strictSame(faults, [])
  })

  t.test('above an on-screen keyboard, a form shows the refused field, its error and its buttons', async (t) => {
    const { page, faults } = await open('/products?~open=2', 390, 'editor')
    await page.getByRole('button', { name: 'Edit', exact: true }).click()
    // Android makes the page smaller when its keyboard appears
    await page.setViewportSize({ width: 390, height: 420 })
    const field = page.locator('[data-field=price]')
    const price = field.getByRole('textbox')
    t.equal(await price.getAttribute('inputmode'), 'decimal')
    t.equal(await page.locator('[data-field=stock] input').getAttribute('inputmode'), 'numeric')
    t.equal(await page.evaluate<string>('getComputedStyle(document.activeElement).fontSize'), '16px')
    await price.fill('1')
    // pads for numbers lack the minus on some phones
    await field.getByRole('button', { name: 'Change the sign of Price' }).click()
    t.equal(await price.inputValue(), '-1')
    await page.locator('[data-field=sku] input').focus()
    await page.getByRole('button', { name: 'Save' }).click()
    await field.getByRole('alert').filter({ hasText: '>= 0' }).waitFor()
    const foot = (await page.locator('.form-foot').boundingBox())!
    const head = (await page.locator('.drawer-head').boundingBox())!
    await eventually(t, async () => {
      const { y, height } = (await field.boundingBox())!
      return Number(y >= head.y + head.height && y + height <= foot.y)
    }, 1)
    t.ok(foot.y + foot.height <= 420)
    t.strictSame(faults, [])
  })

  t.test('a moment is picked in UTC', async (t) => {
    const { page, faults, asked } = await open('/products')
    await tools(page).click()
    await page.getByRole('button', { name: 'Add filter' }).click()
    await page.getByRole('option', { name: /^Created at/ }).click()
    await page.locator('input[type=datetime-local]').fill('2026-02-01T08:30')
    await page.getByRole('button', { name: 'Apply' }).click()
    await settled(page)
    t.ok(asked.includes('GET /products?filter[created_at]=2026-02-01T08:30:00Z'))
    t.strictSame(faults, [])
  })

  t.test('sheets and pages fit 390 and 320 pixels, and axe finds nothing', async (t) => {
    for (const width of [390, 320]) {
      const { page, faults } = await open('/', width)
      for (const [place, ...steps] of STATES) {
        await page.goto(`${origin}/explorer${place}`)
        await settled(page)
        for (const step of steps) await page.locator(step).first().click()
        await settled(page)
        const name = `${width} pixels: ${[place, ...steps].join(' ')}`
        t.strictSame(await misfits(page), [], name)
        if (width === 390) t.strictSame(await accessibilityFaults(page), [], name)
      }
      t.strictSame(faults, [])
    }
  })
})

const TOOLS = '.tools-button'
const within = (name: string): string => `dialog >> role=button[name="${name}"]`

/** Addresses, with what is clicked there. */
const STATES: ReadonlyArray<readonly [place: string, ...steps: string[]]> = [
  ['/'],
  ['/products', '.side-toggle'],
  ['/products', '.as'],
  ['/products?filter[stock][gt]=0&filter[or][0][price][lt]=20&filter[or][1][not][name][contains]=e', TOOLS],
  ['/categories', TOOLS, within('Fields and relations')],
  ['/categories', TOOLS, within('Add filter')],
  ['/categories', TOOLS, within('Add filter'), 'role=option >> text=Products › price'],
  ['/categories', TOOLS, within('Sort: Created at')],
  ['/categories', TOOLS, within('Copy as…')],
  ['/categories', TOOLS, 'dialog .cost'],
  ['/categories', TOOLS, within('Select records'), '.item-check'],
  ['/categories?filter[status]=actve&sort=prise'],
  ['/products?facets=category.name,category.status'],
  ['/products/aggregate?group=category.name&aggregate=count,price.sum&sort=-price.sum'],
  ['/products/aggregate?group=category.name&aggregate=count', TOOLS],
  ['/products?~open=2&include=category,tags'],
  ['/orders?~open=2', 'text=Edit', 'text=Add order line'],
  ['/articles?~compare=Without%20headers'],
]

const MISFITS = `(() => {
  const shown = (element) => element.checkVisibility({ visibilityProperty: true }) && !element.closest('.hidden, .skip')
  const name = (element) => element.outerHTML.slice(0, 120)
  const faults = []
  if (document.documentElement.scrollWidth > innerWidth) faults.push('the page is wider than the window')
  if (document.documentElement.scrollHeight > innerHeight) faults.push('the page is higher than the window')
  const top = [...document.querySelectorAll('dialog[open]')].at(-1) ?? document.body
  for (const element of top.querySelectorAll('*')) {
    if (!shown(element)) continue
    const { left, right, width, height } = element.getBoundingClientRect()
    if (width === 0 || element.closest('svg, .url, .groups, pre')) continue
    if (left < -1 || right > innerWidth + 1) faults.push('beside the window: ' + name(element))
    const isTarget = element.matches('button, select, summary, a[href], input:not([type=checkbox], [type=radio])')
    if (isTarget && (height < 24 || width < 24)) faults.push(width + ' x ' + height + ': ' + name(element))
    if (element.matches('.button-main') && height < 44) faults.push(height + ': ' + name(element))
  }
  return faults
})()`
