/** The explorer's table in a browser: its columns fit, scroll, and are arranged by mouse and by keyboard. */
import type { Page } from 'playwright-core'
import t from 'tap'
import { eventually, openBrowser, skipReason } from '../helpers/browser.ts'
import { openExample } from '../helpers/example.ts'
import { accessibilityFaults, openPage, settled } from './explorer-page.ts'

// a browser on a busy machine
t.setTimeout(600_000)

/** The cells whose values are cut, as `<header>: <value>`, of columns whose values all have a length that is known. */
const CUT = `(() => {
  const heads = [...document.querySelectorAll('.grid thead tr > *')].map((head) => head.innerText.trim())
  return [...document.querySelectorAll('.grid tbody td:not(.rest), .grid th')].flatMap((cell) => {
    const text = cell.innerText.trim()
    const isFixed = cell.localName === 'th' || /^[-\\d., :]+$/.test(text) || cell.querySelector('.tag') !== null
    return isFixed && cell.scrollWidth > cell.clientWidth ? [heads[cell.cellIndex] + ': ' + text] : []
  })
})()`

t.test('the table in a browser', { skip: skipReason() }, async (t) => {
  const app = await openExample(t)
  const origin = await app.listen({ port: 0, host: '127.0.0.1' })
  const browser = await openBrowser(t)
  const open = async (place: string, width = 1280) => {
    const opened = await openPage(browser, origin, { role: 'admin', viewport: { width, height: 800 } })
    await opened.page.goto(`${origin}/explorer${place}`)
    await settled(opened.page)
    return opened
  }
  const headers = async (page: Page): Promise<string[]> =>
    (await page.getByRole('columnheader').allInnerTexts()).map((text) => text.trim()).filter((text) => text !== '')
  const header = (page: Page, name: string) => page.getByRole('columnheader', { name })
  const widthOf = async (page: Page, name: string): Promise<number> => (await header(page, name).boundingBox())!.width
  const place = (page: Page): Promise<string> =>
    page.evaluate<string>('decodeURIComponent(location.pathname + location.search)')

  t.test('no date, number or header is cut, and texts share what is left', async (t) => {
    for (const [path, width] of [
      ['/categories', 1280], ['/articles', 1280], ['/products?include=category,tags', 1280], ['/orders', 1600],
      ['/articles', 2000], ['/categories?include=products,tags,productsCount', 2000],
    ] as const) {
      const { page, faults } = await open(path, width)
      t.strictSame(await page.evaluate(CUT), [], `${path} at ${width} pixels`)
      const [table, room] = await page.evaluate<[number, number]>(
        "[document.querySelector('.grid').offsetWidth, document.querySelector('.grid-scroll').clientWidth]"
      )
      t.ok(table >= room, `${path} at ${width} pixels: the table of ${table} fills ${room}`)
      t.strictSame(faults, [])
      await page.context().close()
    }
  })

  t.test('the name comes first and stays, and an edge shows that more follows', async (t) => {
    const { page, faults } = await open('/products?include=category,tags&sort=name')
    t.strictSame((await headers(page)).slice(0, 2), ['Name', 'Sku'])
    const last = (await headers(page)).slice(-5).map((text) => text.replace(/\s*UTC$/, ''))
    t.strictSame(last, ['Id', 'Uuid', 'Created at', 'Updated at', 'Deleted at'])
    const frame = page.locator('.grid-frame')
    await eventually(t, () => frame.getAttribute('class'), 'grid-frame more-after')
    const before = (await header(page, 'Name').boundingBox())!
    const region = page.getByRole('group', { name: 'Table of Products' })
    t.equal(await region.getAttribute('tabindex'), '0')
    t.strictSame(await accessibilityFaults(page), [])

    // End and the arrows bring each cell into sight, beside the name
    await page.locator('[data-cell="0,1"]').focus()
    await page.keyboard.press('End')
    await eventually(t, () => frame.getAttribute('class'), 'grid-frame more-before')
    t.strictSame(await header(page, 'Name').boundingBox(), before)
    for (let step = 0; step < 6; step++) {
      await page.keyboard.press('ArrowLeft')
      const [cell, name] = await page.evaluate<[number, number]>(`[
        document.activeElement.getBoundingClientRect().left,
        document.activeElement.closest('tr').querySelector('.stuck').getBoundingClientRect().right
      ]`)
      t.ok(cell >= name - 1, `the cell begins at ${cell}, and the name ends at ${name}`)
    }
    await page.setViewportSize({ width: 2400, height: 800 })
    await eventually(t, () => frame.getAttribute('class'), 'grid-frame')
    t.equal(await region.count(), 0, 'nothing is left to scroll')
    t.strictSame(faults, [])
  })

  t.test('keys of related records are shown by their names, with one request for each resource', async (t) => {
    const { page, faults, asked } = await open('/articles?sort=id')
    await eventually(t, () => page.locator('tbody tr').first().innerText(), /Ada Quist\tTech/)
    t.equal(asked.filter((request) => request.startsWith('GET /authors')).length, 1)
    t.equal(asked.filter((request) => request.startsWith('GET /categories')).length, 1)
    t.strictSame(faults, [])
  })

  t.test('widths are changed with the mouse, and are a part of the address', async (t) => {
    const { page, faults, asked } = await open('/categories')
    const requests = asked.length
    const edge = (await header(page, 'Name').locator('.resize').boundingBox())!
    const before = await widthOf(page, 'Name')
    await page.mouse.move(edge.x + 5, edge.y + 10)
    await page.mouse.down()
    await page.mouse.move(edge.x + 45, edge.y + 10, { steps: 4 })
    await page.mouse.move(edge.x + 65, edge.y + 10)
    await page.mouse.up()
    await eventually(t, () => widthOf(page, 'Name'), before + 60)
    t.equal(await place(page), `/explorer/categories?~widths=name:${before + 60}`)
    t.equal(asked.length, requests, 'the API is not asked again')
    await page.reload()
    await settled(page)
    await eventually(t, () => widthOf(page, 'Name'), before + 60)
    await page.goBack()
    await settled(page)
    await eventually(t, () => widthOf(page, 'Name'), before)
    await header(page, 'Name').locator('.resize').dblclick()
    await page.waitForURL(/~widths=name:\d+$/)
    t.strictSame(faults, [])
  })

  t.test('the keyboard changes widths and places, and the focus stays at the column', async (t) => {
    const { page, faults, asked } = await open('/categories')
    const requests = asked.length
    const focused = () => page.evaluate<string>('document.activeElement.innerText.trim()')
    const before = await widthOf(page, 'Price')
    await header(page, 'Price').getByRole('button').focus()
    for (const key of ['Shift+ArrowRight', 'Shift+ArrowRight', 'Shift+ArrowLeft']) await page.keyboard.press(key)
    await eventually(t, () => widthOf(page, 'Price'), before + 16)
    await page.keyboard.press('Control+Shift+ArrowLeft')
    await page.keyboard.press('Control+Shift+ArrowLeft')
    await page.waitForURL(/~order=price&/)
    t.strictSame((await headers(page)).slice(0, 3), ['Price', 'Name', 'Description'])
    await eventually(t, focused, 'Price')
    await page.goBack()
    await page.goBack()
    await page.waitForURL((url) => !url.search.includes('order'))
    t.strictSame((await headers(page)).slice(0, 3), ['Name', 'Description', 'Price'])
    await page.goBack()
    await page.waitForURL((url) => url.search === '')
    t.equal(await widthOf(page, 'Price'), before, 'the steps of one width are one step of Back')
    t.equal(asked.length, requests, 'the API is not asked again')
    t.strictSame(faults, [])
  })

  t.test('the list of columns moves and widens them by clicks', async (t) => {
    const { page, faults } = await open('/categories')
    const before = await widthOf(page, 'Price')
    await page.getByRole('button', { name: 'Fields and relations' }).click()
    await page.getByText('Order and widths').click()
    await page.getByRole('button', { name: 'Move up Status' }).click()
    await page.getByRole('button', { name: 'Widen Price' }).click()
    await eventually(t, () => place(page), new RegExp(`~order=name,description,status&~widths=.*price:${before + 32}$`))
    t.strictSame((await headers(page)).slice(2, 4), ['Status', 'Price'])
    t.strictSame(await accessibilityFaults(page), [])
    await page.getByRole('button', { name: 'As usual' }).click()
    await eventually(t, () => place(page), '/explorer/categories')
    t.strictSame(faults, [])
  })
})
