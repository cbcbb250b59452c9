/** The explorer where there is little room: beside an open record, and on a phone. */
import t from 'tap'
import { openBrowser, skipReason } from '../helpers/browser.ts'
import { openExample } from '../helpers/example.ts'
import { openPage, settled, type ExplorerPage } from './explorer-page.ts'

// a browser on a busy machine
t.setTimeout(600_000)

t.test('the page in a narrow window', { skip: skipReason() }, async (t) => {
  const app = await openExample(t)
  const origin = await app.listen({ port: 0, host: '127.0.0.1' })
  const browser = await openBrowser(t)

  /** The number of lines that the controls in a part of the page take. Their heights differ, so their centres count. */
  const linesOf = async ({ page }: ExplorerPage, controls: string): Promise<number> => {
    const boxes = await Promise.all((await page.locator(controls).all()).map((control) => control.boundingBox()))
    // hidden ones have no box
    return new Set(boxes.flatMap((box) => box === null ? [] : Math.round((box.y + box.height / 2) / 8))).size
  }

  t.test('the bars of a list are one line each beside an open record', async (t) => {
    const opened = await openPage(browser, origin, { role: 'admin', viewport: { width: 1120, height: 760 } })
    await opened.page.goto(`${origin}/explorer/products?~open=1`)
    await settled(opened.page)
    t.equal(await linesOf(opened, '.toolbar .title, .toolbar .button'), 1)
    t.equal(await linesOf(opened, '.filters .search, .filters .button'), 1)
    t.equal(await linesOf(opened, '.pager-count, .pager .button, .pager select'), 1)
    for (const name of ['Fields and relations', 'Compare roles', 'Download']) {
      await opened.page.getByRole('button', { name }).waitFor()
    }
    await opened.page.getByRole('combobox', { name: 'Per page' }).waitFor()
    t.strictSame(opened.faults, [])
  })

  for (const width of [390, 320]) {
    t.test(`all buttons of a list are in sight on a phone that is ${width} pixels wide`, async (t) => {
      const { page, faults } = await openPage(browser, origin, { role: 'admin', viewport: { width, height: 760 } })
      await page.goto(`${origin}/explorer/products`)
      await settled(page)
      for (const button of await page.locator('.toolbar .button').all()) {
        const { x, width: own } = (await button.boundingBox())!
        t.ok(x >= 0 && x + own <= width, `${await button.innerText()} ends at ${x + own}`)
      }
      t.strictSame(faults, [])
    })
  }

  t.test('the buttons of a relation say which relation they show', async (t) => {
    const { page, faults } = await openPage(browser, origin)
    await page.goto(`${origin}/explorer/products?~open=18`)
    await settled(page)
    await page.getByRole('link', { name: 'Open the list of tags' }).waitFor()
    await page.getByRole('button', { name: 'Show tags' }).click()
    await page.getByRole('link', { name: 'gift', exact: true }).waitFor()
    t.strictSame(faults, [])
  })
})
