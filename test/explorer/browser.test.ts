/** The explorer in a browser, against the example: what people come for, with the mouse and with the keyboard. */
import t from 'tap'
import { eventually, openBrowser, skipReason } from '../helpers/browser.ts'
import { openExample } from '../helpers/example.ts'
import { accessibilityFaults, openPage, settled } from './explorer-page.ts'

// a browser on a busy machine
t.setTimeout(600_000)

t.test('the explorer works in a browser', { skip: skipReason() }, async (t) => {
  const app = await openExample(t)
  const origin = await app.listen({ port: 0, host: '127.0.0.1' })
  const browser = await openBrowser(t)
  const base = `${origin}/explorer`
  const open = (options?: Parameters<typeof openPage>[2]) => openPage(browser, origin, options)

  t.test('the three most expensive active categories with products that contain "lap"', async (t) => {
    const { page, faults, asked } = await open()
    await page.goto(origin)
    await page.getByRole('link', { name: /^Categories/ }).first().click()
    await page.getByRole('button', { name: 'Add filter' }).click()
    await page.keyboard.type('product')
    await page.getByRole('option', { name: /Products › name/ }).click()
    await page.keyboard.type('lap')
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Add filter' }).click()
    await page.getByRole('option', { name: /^Status/ }).click()
    await page.getByLabel('Value').selectOption('active')
    await page.getByRole('button', { name: 'Apply' }).click()
    await settled(page)
    await page.getByRole('columnheader', { name: 'Price' }).getByRole('button').click()
    await settled(page)
    await page.getByRole('columnheader', { name: 'Price' }).getByRole('button').click()
    await settled(page)
    t.equal(decodeURIComponent(await page.evaluate('location.pathname + location.search')),
      '/explorer/categories?filter[products.name][contains]=lap&filter[status]=active&sort=-price')
    t.equal(asked.at(-1), 'GET /categories?filter[products.name][contains]=lap&filter[status]=active&sort=-price')
    await eventually(t, () => page.locator('tbody tr').first().innerText(), /Tech/)

    await page.goBack()
    // Back returns to the former order
    await page.waitForURL(/sort=price$/)
    await settled(page)
    await page.reload()
    await settled(page)
    await eventually(t, () => page.locator('tbody tr').first().innerText(), /Tech/, 'a link restores the list')
    t.strictSame(faults, [])
  })

  t.test('the tags of the category of the oldest article', async (t) => {
    const { page, faults } = await open()
    await page.goto(`${base}/articles`)
    await settled(page)
    await page.getByRole('button', { name: 'Fields and relations' }).click()
    await page.locator('.tree-below').getByRole('checkbox', { name: /^Tags/ }).check()
    await page.keyboard.press('Escape')
    await page.getByRole('columnheader', { name: 'Created at' }).getByRole('button').click()
    await settled(page)
    await eventually(t, () => page.locator('tbody tr').first().innerText(), /How to choose a laptop[^]*bestseller, new/)
    t.strictSame(faults, [])
  })

  t.test('a product is renamed by keyboard, and a negative price is refused at its field', async (t) => {
    const { page, faults, asked } = await open({ role: 'editor' })
    await page.goto(`${base}/products?sort=id`)
    await settled(page)
    await page.locator('[data-cell="0,1"]').focus()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    const drawer = page.getByRole('complementary', { name: /Record/ })
    await drawer.getByRole('button', { name: 'Edit' }).focus()
    await page.keyboard.press('Enter')
    await drawer.getByRole('textbox', { name: 'Name' }).fill('Laptop 15"')
    await drawer.getByRole('textbox', { name: 'Price' }).fill('-1')
    await page.keyboard.press('Control+Enter')
    const price = drawer.locator('[data-field=price]')
    await eventually(t, () => price.getByRole('alert').innerText(), "'price' must be >= 0.")
    await eventually(t, () => page.evaluate<string>('document.activeElement.ariaLabel'), 'Price',
      'the focus is on the refused field')
    t.strictSame(await accessibilityFaults(page), [])
    await page.keyboard.press('Control+a')
    await page.keyboard.type('1299.5')
    await page.keyboard.press('Control+Enter')
    await drawer.getByRole('heading', { name: 'Laptop 15"' }).waitFor()
    t.equal(asked.filter((request) => request === 'PATCH /products/2').length, 2)
    const record = await app.inject({ url: '/products/2' })
    t.match(record.json(), { name: 'Laptop 15"', price: 1299.5 })

    await settled(page)
    await page.keyboard.press('Escape')
    // Escape closes the record
    await page.waitForURL((url) => !url.href.includes('open'))
    t.strictSame(faults, [])
  })

  t.test('people who speak reach every control of a form by the words that they see', async (t) => {
    const { page, faults } = await open({ role: 'editor' })
    await page.goto(`${base}/categories?filter[name]=Tech`)
    await settled(page)
    await page.locator('[data-cell="0,1"]').click()
    await page.getByRole('button', { name: 'Edit', exact: true }).click()
    await page.locator('[data-field=description]').getByRole('button').waitFor()
    t.strictSame(await accessibilityFaults(page), [])
    await page.getByRole('button', { name: 'Set null for Description' }).click()
    await eventually(t, () => page.getByRole('textbox', { name: 'Description' }).getAttribute('placeholder'), 'null')
    t.strictSame(faults, [])
  })

  t.test('Escape returns to the cell from which F has opened a filter', async (t) => {
    const { page, faults } = await open()
    await page.goto(`${base}/products`)
    await settled(page)
    const focused = () =>
      page.evaluate<string>('document.activeElement.dataset.cell ?? document.activeElement.innerText')
    await page.locator('[data-cell="1,1"]').focus()
    await page.keyboard.press('ArrowLeft')
    await page.keyboard.press('f')
    await page.getByRole('dialog', { name: 'Filter name' }).waitFor()
    await page.keyboard.press('Escape')
    await eventually(t, focused, '1,0')
    await page.getByRole('button', { name: 'Add filter' }).click()
    await page.keyboard.press('Escape')
    await eventually(t, focused, 'Add filter', 'a panel that a click has opened returns to its button')
    t.strictSame(faults, [])
  })

  t.test('an order that the API does not know is marked, and its menu says why', async (t) => {
    const { page, faults } = await open()
    await page.goto(`${base}/categories?sort=prise`)
    await settled(page)
    const button = page.getByRole('button', { name: 'Sort: Prise' })
    t.match(await button.getAttribute('class'), /filter-bad/)
    await button.click()
    await page.getByRole('dialog', { name: 'Order' }).getByText("'prise'").waitFor()
    t.strictSame(await accessibilityFaults(page), [])
    t.strictSame(faults, [])
  })

  t.test('the ways to more rows have the names of the API', async (t) => {
    const { page, faults, asked } = await open()
    await page.goto(`${base}/products`)
    await settled(page)
    const ways = page.getByRole('combobox', { name: 'Paging' })
    t.strictSame(await ways.getByRole('option').allInnerTexts(), ['page', 'offset', 'cursor'])
    await ways.selectOption('cursor')
    await settled(page)
    t.ok(asked.includes('GET /products?cursor='))
    t.strictSame(faults, [])
  })

  t.test('a guest is offered the roles that may change a record', async (t) => {
    const { page, faults } = await open()
    await page.goto(`${base}/products?~open=3`)
    await settled(page)
    await page.getByText('The role guest may not change this record').waitFor()
    await page.getByRole('complementary').getByRole('button', { name: 'editor' }).click()
    await page.getByRole('complementary').getByRole('button', { name: 'Edit' }).waitFor()
    await eventually(t, () => page.locator('.as').innerText(), /^Ask as editor/)
    t.strictSame(faults, [])
  })

  t.test('a list is sorted by a property without a column, and by two columns', async (t) => {
    const { page, faults, asked } = await open()
    await page.goto(`${base}/articles`)
    await settled(page)
    await page.getByRole('button', { name: 'Sort: Published at' }).click()
    await page.getByRole('button', { name: 'Author › name', exact: true }).click()
    await settled(page)
    t.equal(asked.at(-1), 'GET /articles?sort=author.name')
    await page.getByRole('button', { name: 'Also sort by Id' }).click()
    await settled(page)
    t.equal(asked.at(-1), 'GET /articles?sort=author.name,id')
    await page.getByRole('button', { name: 'Do not sort by Id' }).click()
    await page.keyboard.press('Escape')
    await page.getByRole('columnheader', { name: 'Title' }).getByRole('button').click({ modifiers: ['Shift'] })
    await settled(page)
    t.equal(asked.at(-1), 'GET /articles?sort=author.name,title')
    t.strictSame(faults, [])
  })

  t.test('the curl command of the list', async (t) => {
    const { page, faults } = await open()
    await page.goto(`${base}/products?filter[price][gte]=100`)
    await settled(page)
    await page.getByRole('button', { name: 'Copy as…' }).click()
    await eventually(t, () => page.getByLabel('The request as curl').innerText(),
      `curl --globoff '${origin}/products?filter[price][gte]=100'`)
    t.strictSame(faults, [])
  })

  t.test('a refused value has the words of the API beside it, and its suggestion is one click', async (t) => {
    const { page, faults } = await open()
    await page.goto(`${base}/categories?filter[status]=actve`)
    await eventually(t, () => page.getByRole('alert').innerText(),
      /must be one of its members\. Did you mean 'active'\?/)
    t.strictSame(await accessibilityFaults(page), [])
    await page.getByRole('button', { name: 'Use active' }).click()
    await eventually(t, () => page.locator('tbody tr').count(), 8)
    t.strictSame(faults, [])
  })

  t.test('the same request as two roles', async (t) => {
    const { page, faults } = await open({ role: 'admin' })
    await page.goto(`${base}/articles?~compare=Without%20headers`)
    await settled(page)
    const [admin, guest] = ['As admin', 'Without headers'].map((name) => page.getByRole('region', { name }))
    await eventually(t, () => admin!.innerText(), /7 records.*1 only here/)
    await eventually(t, () => guest!.innerText(), /6 records/)
    t.strictSame(await accessibilityFaults(page), [])
    t.strictSame(faults, [])
  })

  t.test('three categories are described by keyboard', async (t) => {
    for (const [colorScheme, viewport] of [
      ['light', { width: 1280, height: 800 }],
      ['dark', { width: 390, height: 780 }],
    ] as const) {
      const { page, faults, asked } = await open({ role: 'admin', colorScheme, viewport })
      const clean = async (state: string): Promise<void> => {
        t.strictSame(await accessibilityFaults(page), [], `${viewport.width} pixels: ${state}`)
      }
      await page.goto(`${base}/categories?filter[status]=active&sort=name`)
      await settled(page)
      const isPhone = viewport.width < 760
      if (isPhone) {
        await page.getByRole('button', { name: 'Tools' }).press('Enter')
        await page.getByRole('button', { name: 'Select records' }).press('Enter')
        for (const name of ['Books', 'Garden', 'Kitchen']) {
          await page.getByRole('checkbox', { name: `Select ${name}` }).press('Space')
        }
      } else {
        await page.locator('[data-cell="0,1"]').focus()
        await page.keyboard.press('Space')
        await page.keyboard.press('ArrowDown')
        await page.keyboard.press('ArrowDown')
        await page.keyboard.press('Shift+Space')
        await page.keyboard.press('ArrowDown')
        await page.keyboard.press('ArrowLeft')
        await page.keyboard.press('Space')
        await page.getByText('4 records selected').waitFor()
        await page.keyboard.press('Space')
      }
      await page.getByText('3 records selected').waitFor()
      t.equal(await page.locator('tr[aria-selected=true], .item:has(:checked)').count(), 3)
      await clean('selected')
      await page.getByRole('button', { name: 'Edit', exact: true }).press('Enter')
      // the form has the focus
      await page.locator('select:focus').selectOption('description')
      await page.getByRole('textbox', { name: 'Description' }).fill(`Seen in ${colorScheme}`)
      await clean('form')
      await page.keyboard.press('Control+Enter')
      await page.getByText('This changes 3 records. Nothing is changed yet.').waitFor()
      await clean('counted')
      await page.locator('.form-foot').getByRole('button', { name: 'Copy as…' }).click()
      const [keys] = /filter\[id\]\[in\]=[\w,-]+/.exec(await page.getByLabel('The request as curl').innerText())!
      await clean('copy')
      await page.keyboard.press('Escape')
      await page.locator('.form-foot .button-main').focus()
      await page.keyboard.press('Control+Enter')
      await page.getByText('3 records changed.').waitFor()
      await settled(page)
      await clean('done')
      await eventually(t,
        () => page.evaluate<string>('document.activeElement.dataset.cell ?? document.activeElement.innerText.trim()'),
        isPhone ? /^Tools/ : '3,0')
      t.strictSame(asked.filter((request) => request.startsWith('PATCH')), [
        `PATCH /categories?filter[status]=active&${keys}&dry_run=true`,
        `PATCH /categories?filter[status]=active&${keys}`,
      ])
      const changed = await app.inject(`/categories?${keys}&filter[description]=Seen%20in%20${colorScheme}`)
      t.equal(changed.json().total, 3)

      await page.getByRole('checkbox', { name: /^Select all/ }).click()
      await page.getByRole('button', { name: 'Delete', exact: true }).click()
      await page.getByText(/^This deletes \d+ records for ever/).waitFor()
      await clean('delete')
      // nothing is deleted
      await page.keyboard.press('Escape')
      await page.getByRole('complementary').waitFor({ state: 'detached' })
      t.strictSame(faults, [])
      await page.context().close()
    }
  })

  t.test('the lines of an order are changed by keyboard', async (t) => {
    for (const [colorScheme, viewport] of [
      ['light', { width: 390, height: 780 }],
      ['dark', { width: 1280, height: 800 }],
    ] as const) {
      const { page, faults } = await open({ role: 'editor', colorScheme, viewport })
      const line = (number: number) => page.getByRole('group', { name: `Order line ${number}` })
      await page.goto(`${base}/orders?~open=2`)
      await page.getByRole('button', { name: 'Edit', exact: true }).press('Enter')
      await settled(page)
      t.strictSame(await accessibilityFaults(page), [], `${viewport.width} pixels: lines`)
      await page.getByRole('button', { name: 'Remove Order line 2' }).press('Enter')
      await eventually(t, () => page.evaluate<string>('document.activeElement.innerText'), /^Keep/)
      await page.getByRole('button', { name: 'Add order line' }).press('Enter')
      await eventually(t, () => page.evaluate<string>('document.activeElement.ariaLabel'), 'Product')
      await page.keyboard.press('Control+Enter')
      await line(4).getByRole('alert').first().waitFor()
      await eventually(t, () => page.evaluate<string>('document.activeElement.ariaLabel'), 'Product')
      t.strictSame(await accessibilityFaults(page), [], `${viewport.width} pixels: refused`)
      t.equal((await app.inject({ url: '/orders/2', headers: { 'x-role': 'editor' } })).json().version, 1)
      t.strictSame(faults, [])
      await page.context().close()
    }
  })
})
