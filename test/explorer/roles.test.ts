/** The explorer in a browser, as several callers: who asks, and the same list as two of them. */
import t from 'tap'
import { eventually, openBrowser, skipReason } from '../helpers/browser.ts'
import { forEachDatabase } from '../helpers/databases.ts'
import { openExample } from '../helpers/example.ts'
import { access, entities, resources, seed } from '../http/access/fixtures.ts'
import { accessibilityFaults, openPage, settled } from './explorer-page.ts'
import { explored } from './nursery.ts'

// a browser on a busy machine
t.setTimeout(900_000)

/** Scrolls one of the tables, and returns how far the other one is in the next frames. */
const SCROLLED = `(async ([at, top, left]) => {
  const tables = [...document.querySelectorAll('.grid-scroll')]
  const other = tables[1 - at]
  const followed = new Promise((resolve) => other.addEventListener('scroll', resolve, { once: true }))
  tables[at].scrollTo(left, top)
  await followed
  return tables.map(({ scrollTop, scrollLeft }) => scrollTop + ' ' + scrollLeft)
})`

const skip = skipReason()
if (skip) t.pass(skip)
else {
  const browser = await openBrowser(t)

  t.test('the page asks as several callers', async (t) => {
    const app = await openExample(t)
    const origin = await app.listen({ port: 0, host: '127.0.0.1' })
    const base = `${origin}/explorer`

    t.test('the known roles are compared by one click', async (t) => {
      const { page, faults } = await openPage(browser, origin)
      await page.goto(`${base}/articles`)
      await settled(page)
      await page.getByRole('button', { name: 'Compare roles' }).click()
      const menu = page.getByRole('dialog', { name: 'Compare roles' })
      await eventually(t, () => menu.getByRole('button').allInnerTexts(), ['As guest', 'As editor', 'As admin'])
      t.strictSame(await accessibilityFaults(page), [])
      await menu.getByRole('button', { name: 'As admin' }).click()
      await settled(page)
      const [left, right] = ['Without headers', 'As admin'].map((name) => page.getByRole('region', { name }))
      await eventually(t, () => right!.innerText(), /1 only here/)
      t.equal(await left!.getByRole('row').count(), await right!.getByRole('row').count(), 'records stand side by side')
      const marked = right!.getByRole('row').filter({ has: page.locator('.marked') })
      t.equal(await marked.count(), 1)
      const place = await marked.getAttribute('aria-rowindex')
      await eventually(t, () => left!.locator(`[aria-rowindex="${place}"] td`).first().innerText(), 'absent')
      t.strictSame(await accessibilityFaults(page), [])

      await page.reload()
      await settled(page)
      await right!.waitFor()
      await page.getByRole('button', { name: 'Compare roles' }).click()
      await menu.getByRole('button', { name: 'Stop comparing' }).click()
      await page.waitForURL((url) => !url.href.includes('compare'))
      await page.getByRole('grid', { name: 'Articles', exact: true }).waitFor()
      t.strictSame(faults, [])
    })

    t.test('both sides scroll together, in both directions', async (t) => {
      const { page, faults } = await openPage(browser, origin, { viewport: { width: 1280, height: 480 } })
      await page.goto(`${base}/products?include=category,tags&~compare=admin`)
      await settled(page)
      await page.getByRole('region', { name: 'As admin' }).locator('tbody tr').nth(8).waitFor()
      t.strictSame(await page.evaluate(`${SCROLLED}([0, 120, 200])`), ['120 200', '120 200'])
      t.strictSame(await page.evaluate(`${SCROLLED}([1, 40, 90])`), ['40 90', '40 90'])
      t.strictSame(await page.evaluate(`${SCROLLED}([0, 0, 0])`), ['0 0', '0 0'])
      t.strictSame(faults, [])
    })

    t.test('a link to a comparison with a caller who is not known here says so', async (t) => {
      const { page, faults } = await openPage(browser, origin)
      await page.goto(`${base}/products?~compare=Ann`)
      await page.getByText('This tab has no caller “Ann”').waitFor()
      t.strictSame(await accessibilityFaults(page), [])
      await page.getByRole('button', { name: 'Stop comparing' }).click()
      await page.getByText('This tab has no caller').waitFor({ state: 'detached' })
      t.strictSame(faults, [])
    })

    t.test('the page says who asks in plain words', async (t) => {
      const { page, faults } = await openPage(browser, origin)
      await page.goto(`${base}/products`)
      await settled(page)
      const caller = page.getByRole('button', { name: /^Ask/ })
      await eventually(t, () => caller.innerText(), /^Ask as guest\s+without headers$/)
      await caller.click()
      await eventually(t, () => page.getByRole('dialog', { name: 'Ask as' }).locator('fieldset label').allInnerTexts(),
        /^Without headers\s*,guest\s*x-role,editor\s*x-role,admin\s*x-role$/)
      await page.getByRole('radio', { name: /^admin/ }).check()
      await page.keyboard.press('Escape')
      await eventually(t, () => caller.innerText(), /^Ask as admin\s*$/)
      t.strictSame(faults, [])
    })
  })

  await forEachDatabase(t, { entities, seed }, async (t, { orm }) => {
    t.test('columns that differ come first and are marked', async (t) => {
      const app = await explored(t, orm, { resources, access, shared: entities.map(({ name }) => name) }, {
        explorer: { headers: [{ name: 'x-role', values: ['guest', 'member', 'admin'] }] },
      })
      const origin = await app.listen({ port: 0, host: '127.0.0.1' })
      const { page, faults } = await openPage(browser, origin, { role: 'admin' })
      await page.goto(`${origin}/explorer/countries?~compare=guest`)
      await settled(page)
      const headersOf = (name: string) => page.getByRole('region', { name }).getByRole('columnheader').allInnerTexts()
      const expected = /^Name,Code,Population\s*≠/
      await eventually(t, () => headersOf('As admin'), expected)
      await eventually(t, () => headersOf('As guest'), expected)
      await eventually(t, () => page.getByRole('region', { name: 'As guest' }).locator('td.marked').allInnerTexts(), [
        'absent',
        'absent',
      ])
      await eventually(t, () => page.getByRole('region', { name: 'As admin' }).locator('td.marked').allInnerTexts(), [
        '9',
        '8',
      ])
      t.strictSame(await accessibilityFaults(page), [])
      t.strictSame(faults, [])
    })

    t.test('without known roles, a comparison asks for the headers of the second caller at once', async (t) => {
      const app = await explored(t, orm, { resources, access, shared: entities.map(({ name }) => name) })
      const origin = await app.listen({ port: 0, host: '127.0.0.1' })
      const { page, faults } = await openPage(browser, origin)
      await page.goto(`${origin}/explorer/countries`)
      await settled(page)
      await page.getByRole('button', { name: 'Compare roles' }).click()
      t.equal(await page.evaluate('document.documentElement.scrollWidth - innerWidth'), 0,
        'the panel at the edge of the page is inside of it')
      await page.getByLabel('Name').fill('Boss')
      await page.getByLabel('Header').fill('x-role')
      await page.getByLabel('Value').fill('admin')
      t.strictSame(await accessibilityFaults(page), [])
      await page.getByRole('button', { name: 'Compare with these headers' }).click()
      await page.getByRole('region', { name: 'As Boss' }).getByRole('gridcell', { name: '9' }).waitFor()
      await eventually(t, () => page.getByRole('button', { name: /^Ask/ }).innerText(), /without headers/)
      t.strictSame(faults, [])
    })
  })
}
