/** What a person has typed in the explorer and not saved: no way of leaving loses it, and no failure. */
import type { Page } from 'playwright-core'
import t from 'tap'
import { eventually, openBrowser, skipReason } from '../helpers/browser.ts'
import { openExample } from '../helpers/example.ts'
import { accessibilityFaults, openPage, settled } from './explorer-page.ts'

// a browser on a busy machine
t.setTimeout(900_000)

const RESTORED = 'Your changes from before are here. They are not saved yet.'

const drawerOf = (page: Page) => page.getByRole('complementary')
const nameOf = (page: Page) => drawerOf(page).getByRole('textbox', { name: 'Name' })
const questionOf = (page: Page) => page.getByRole('dialog', { name: /^Discard/ })
const focused = (page: Page) =>
  page.evaluate<string>('document.activeElement.ariaLabel ?? document.activeElement.innerText')

t.test('the page keeps what is typed and not saved', { skip: skipReason() }, async (t) => {
  const app = await openExample(t)
  const origin = await app.listen({ port: 0, host: '127.0.0.1' })
  const browser = await openBrowser(t)
  const base = `${origin}/explorer`
  const open = async (place: string, role = 'editor') => {
    const opened = await openPage(browser, origin, { role })
    await opened.page.goto(base + place)
    await settled(opened.page)
    return opened
  }
  /** Opens the form of a product and types a name. */
  const edit = async (page: Page, name: string): Promise<void> => {
    await drawerOf(page).getByRole('button', { name: 'Edit', exact: true }).click()
    await nameOf(page).fill(name)
  }
  const product = async (id: number) => (await app.inject({ url: `/products/${id}` })).json()

  t.test('Escape, Close and Cancel ask before they discard changes', async (t) => {
    const { page, faults } = await open('/products?~open=2')
    const { name } = await product(2)
    await edit(page, 'Typed')
    const leave = {
      Escape: () => page.keyboard.press('Escape'),
      Close: () => drawerOf(page).getByRole('button', { name: 'Close' }).click(),
      Cancel: () => drawerOf(page).getByRole('button', { name: 'Cancel' }).click(),
    }
    for (const [way, press] of Object.entries(leave)) {
      await press()
      await page.getByRole('dialog', { name: `Discard changes to ${name}?` }).waitFor()
      await eventually(t, () => focused(page), 'Keep editing', `${way}: the focus is on the harmless answer`)
      t.strictSame(await accessibilityFaults(page), [])
      await page.keyboard.press(way === 'Escape' ? 'Escape' : 'Enter')
      await questionOf(page).waitFor({ state: 'detached' })
      t.equal(await nameOf(page).inputValue(), 'Typed', way)
    }
    await nameOf(page).focus()
    await page.keyboard.press('Escape')
    await questionOf(page).getByRole('button', { name: 'Keep editing' }).click()
    await eventually(t, () => focused(page), 'Name', 'the focus is back in the form')

    await leave.Cancel()
    await questionOf(page).getByRole('button', { name: 'Discard' }).click()
    await drawerOf(page).getByRole('button', { name: 'Edit', exact: true }).click()
    t.equal(await nameOf(page).inputValue(), name, 'the changes are discarded')
    await nameOf(page).fill('Typed again')
    await leave.Close()
    await questionOf(page).getByRole('button', { name: 'Discard' }).click()
    await drawerOf(page).waitFor({ state: 'detached' })
    t.equal((await product(2)).name, name)
    t.strictSame(faults, [])
  })

  t.test('a form without changes closes at once', async (t) => {
    const { page, faults } = await open('/products?~open=2')
    const { name } = await product(2)
    await edit(page, 'Typed')
    await nameOf(page).fill(name)
    await page.keyboard.press('Escape')
    await drawerOf(page).waitFor({ state: 'detached' })
    t.strictSame(faults, [])
  })

  t.test('a link, another record, another form and Back keep changes, and say where they are', async (t) => {
    const { page, faults } = await open('/products?sort=id')
    const { name } = await product(1)
    await page.locator('tbody td').first().click()
    await edit(page, 'Typed')
    const ways: Readonly<Record<string, () => Promise<unknown>>> = {
      'a link of the menu': () => page.getByRole('link', { name: 'Categories', exact: true }).click(),
      'another record': () => page.locator('tbody tr').nth(2).locator('td').first().click(),
      'a new record': () => page.getByRole('button', { name: 'New', exact: true }).click(),
      Back: () => page.goBack(),
    }
    for (const [way, go] of Object.entries(ways)) {
      await go()
      const link = page.getByRole('link', { name: `${name} in Products` })
      await link.waitFor()
      await settled(page)
      t.strictSame(await accessibilityFaults(page), [], way)
      await link.click()
      await page.getByText(RESTORED).waitFor()
      t.equal(await nameOf(page).inputValue(), 'Typed', way)
      t.strictSame(await accessibilityFaults(page), [], way)
      await link.waitFor({ state: 'detached' })
    }
    await settled(page)
    await drawerOf(page).getByRole('button', { name: 'Save' }).click()
    await drawerOf(page).getByRole('heading', { name: 'Typed' }).waitFor()
    t.equal((await product(1)).name, 'Typed')
    await page.goBack()
    await page.goForward()
    await drawerOf(page).getByRole('button', { name: 'Edit', exact: true }).waitFor()
    t.strictSame(faults, [])
  })

  t.test('Back and Forward show the form again', async (t) => {
    const { page, faults } = await open('/products?sort=id')
    await page.locator('tbody tr').nth(1).locator('td').first().click()
    await edit(page, 'Typed')
    await page.goBack()
    await drawerOf(page).waitFor({ state: 'detached' })
    await page.goForward()
    await page.getByText(RESTORED).waitFor()
    t.equal(await nameOf(page).inputValue(), 'Typed')
    t.strictSame(faults, [])
  })

  t.test('closing the tab asks, and a reload keeps changes', async (t) => {
    const { page, faults } = await open('/products?~open=3')
    await edit(page, 'Typed')
    const asked: string[] = []
    page.on('dialog', async (dialog) => {
      asked.push(dialog.type())
      await dialog.accept()
    })
    await page.reload()
    await page.getByText(RESTORED).waitFor()
    t.equal(await nameOf(page).inputValue(), 'Typed')
    t.strictSame(asked, ['beforeunload'])
    await settled(page)
    await drawerOf(page).getByRole('button', { name: 'Save' }).click()
    await drawerOf(page).getByRole('heading', { name: 'Typed' }).waitFor()
    await page.reload()
    await settled(page)
    t.strictSame(asked, ['beforeunload'], 'nothing is asked when everything is saved')
    t.strictSame(faults, [])
  })

  t.test('another caller keeps changes, also one who may not save them', async (t) => {
    const { page, faults } = await open('/products?~open=4')
    const { name } = await product(4)
    await edit(page, 'Typed')
    const askAs = async (role: string): Promise<void> => {
      await page.getByRole('button', { name: /^Ask / }).click()
      await page.getByRole('radio', { name: new RegExp(`^${role}`) }).check()
      await page.keyboard.press('Escape')
      await settled(page)
    }
    await askAs('admin')
    t.equal(await nameOf(page).inputValue(), 'Typed')
    await askAs('guest')
    await drawerOf(page).getByText('You have changes to this record that are not saved.').waitFor()
    await eventually(t, () => page.getByLabel('Changes that are not saved').innerText(), /"name": "Typed"/)
    t.strictSame(await accessibilityFaults(page), [])
    await askAs('editor')
    t.equal(await nameOf(page).inputValue(), 'Typed')
    await askAs('guest')
    await drawerOf(page).getByRole('button', { name: 'Discard' }).click()
    await page.getByRole('dialog', { name: `Discard changes to ${name}?` })
      .getByRole('button', { name: 'Discard' }).click()
    await page.getByText('that are not saved').waitFor({ state: 'detached' })
    t.strictSame(faults, [])
  })

  t.test('a new record keeps its texts, its relations and its JSON', async (t) => {
    const { page, faults } = await open('/products?~create=yes')
    await nameOf(page).fill('Typed')
    await drawerOf(page).getByRole('combobox', { name: 'Category' }).fill('tec')
    await drawerOf(page).getByRole('option', { name: /^Tech [0-9a-f]{8}/ }).click()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog', { name: 'Discard the new record?' })
      .getByRole('button', { name: 'Keep editing' }).click()
    await page.getByRole('link', { name: 'Tags', exact: true }).click()
    await page.getByRole('link', { name: 'New record in Products' }).click()
    await page.getByText(RESTORED).waitFor()
    t.equal(await nameOf(page).inputValue(), 'Typed')
    await drawerOf(page).getByText('Tech', { exact: true }).waitFor()

    await page.getByRole('button', { name: /Paste JSON/ }).click()
    const json = drawerOf(page).getByRole('textbox', { name: /A record/ })
    t.match(JSON.parse(await json.inputValue()), { name: 'Typed' })
    await json.fill('{ "name": "From JSON", "price": 2.5, "other": [1] }')
    const back = page.getByRole('button', { name: 'Back to the form' })
    await drawerOf(page).getByText('The form has room for one record of known properties.').waitFor()
    t.equal(await back.getAttribute('aria-disabled'), 'true', 'a form would lose a part of the JSON')
    await page.goBack()
    await page.goForward()
    await page.getByText(RESTORED).waitFor()
    t.match(await json.inputValue(), /other/)
    await json.fill('{ "name": "From JSON", "price": 2.5 }')
    await back.click()
    t.equal(await nameOf(page).inputValue(), 'From JSON')
    t.equal(await drawerOf(page).getByRole('textbox', { name: 'Price' }).inputValue(), '2.5')
    t.strictSame(faults, [])
  })

  t.test('a save that fails keeps everything', async (t) => {
    const { page, faults } = await open('/products?~open=5')
    await edit(page, 'Typed')
    const answers = [
      { status: 400, body: { statusCode: 400, code: 'FST_CRUD_BODY_INVALID', message: 'Refused.' } },
      { status: 503, body: { statusCode: 503, code: 'FST_CRUD_DATABASE_UNAVAILABLE', message: 'Away.' } },
      undefined,
    ]
    for (const answer of answers) {
      await page.route('**/products/5', (route) =>
        route.request().method() !== 'PATCH'
          ? route.continue()
          : answer === undefined
            ? route.abort()
            : route.fulfill({ status: answer.status, json: answer.body }))
      await drawerOf(page).getByRole('button', { name: 'Save' }).click()
      await drawerOf(page).getByRole('alert').first().waitFor()
      await drawerOf(page).getByRole('button', { name: 'Save' }).waitFor()
      t.equal(await nameOf(page).inputValue(), 'Typed', String(answer?.status ?? 'no answer'))
      await page.unroute('**/products/5')
    }
    await drawerOf(page).getByRole('button', { name: 'Save' }).click()
    await drawerOf(page).getByRole('heading', { name: 'Typed' }).waitFor()
    t.equal((await product(5)).name, 'Typed')
    t.strictSame(faults.filter((fault) => !/status of 503|ERR_FAILED/.test(fault)), [])
  })

  t.test('what is typed while a save is under way is kept, and is saved by the next one', async (t) => {
    const { page, faults } = await open('/products?~open=6')
    await edit(page, 'First')
    const typed = Promise.withResolvers<void>()
    await page.route('**/products/6', async (route) => {
      if (route.request().method() === 'PATCH') await typed.promise
      await route.continue()
    })
    await drawerOf(page).getByRole('button', { name: 'Save' }).click()
    await drawerOf(page).getByRole('button', { name: 'Sending…' }).waitFor()
    await nameOf(page).fill('Second')
    typed.resolve()
    await drawerOf(page).getByRole('button', { name: 'Save' }).waitFor()
    await settled(page)
    t.equal(await nameOf(page).inputValue(), 'Second')
    t.equal((await product(6)).name, 'First')
    await drawerOf(page).getByRole('button', { name: 'Save' }).click()
    await drawerOf(page).getByRole('heading', { name: 'Second' }).waitFor()
    t.equal((await product(6)).name, 'Second')
    t.strictSame(faults, [])
  })

  t.test('the value of a filter and the headers of a caller are kept until they are used', async (t) => {
    const { page, faults } = await open('/products')
    const openFilter = async (): Promise<void> => {
      await page.getByRole('button', { name: 'Add filter' }).click()
      await page.getByRole('option', { name: /^Price/ }).click()
    }
    await openFilter()
    await page.getByLabel('Value').fill('12')
    await page.locator('.pager-count').click()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await openFilter()
    await page.getByText('You have typed this before. It is not applied yet.').waitFor()
    t.equal(await page.getByLabel('Value').inputValue(), '12')
    t.strictSame(await accessibilityFaults(page), [])
    await page.getByRole('button', { name: 'Apply' }).click()
    await page.waitForURL(/filter\[price\]=12/)
    await openFilter()
    t.equal(await page.getByLabel('Value').inputValue(), '')
    await page.keyboard.press('Escape')

    await page.getByRole('button', { name: /^Ask / }).click()
    await page.getByLabel('Name').fill('Ann')
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: /^Ask / }).click()
    t.equal(await page.getByLabel('Name').inputValue(), 'Ann')
    t.strictSame(faults, [])
  })
})
