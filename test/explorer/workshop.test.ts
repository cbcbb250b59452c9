/** The explorer in a browser: writes, conflicts, relations, cost, logins, hostile data and many rows. */
import type { Page } from 'playwright-core'
import t from 'tap'
import { eventually, openBrowser, skipReason } from '../helpers/browser.ts'
import { forOneDatabase } from '../helpers/databases.ts'
import { accessibilityFaults, openPage, settled } from './explorer-page.ts'
import { entities, openWorkshop, seed, TEXTS } from './workshop.ts'

// a browser on a busy machine
t.setTimeout(1_200_000)

const rows = (page: Page) => page.locator('tbody tr:not(.space)')

/** Scrolls down until all rows are loaded. */
const SCROLL_TO_THE_END = `(async () => {
  const grid = document.querySelector('.grid-scroll')
  while (!/^10\\D?000 loaded$/.test(document.querySelector('.pager-count').textContent)) {
    grid.scrollTop = grid.scrollHeight
    await new Promise(requestAnimationFrame)
  }
  return true
})()`

/** Scrolls down and up again from the middle of the list, one step in each frame. */
const SCROLL = `new Promise((resolve) => {
  const grid = document.querySelector('.grid-scroll')
  grid.scrollTop = grid.scrollHeight / 4
  const step = (left) => {
    if (left === 0) return resolve()
    grid.scrollTop += left > 30 ? 300 : -300
    requestAnimationFrame(() => step(left - 1))
  }
  step(60)
})`

/** The milliseconds for which a step of scrolling occupies a processor. Other processes do not count. */
async function costOfStep (page: Page): Promise<number> {
  const session = await page.context().newCDPSession(page)
  await session.send('Performance.enable', { timeDomain: 'threadTicks' })
  const total = async (): Promise<number> =>
    (await session.send('Performance.getMetrics')).metrics.find(({ name }) => name === 'TaskDuration')!.value
  const before = await total()
  await page.evaluate(SCROLL)
  return (await total() - before) * 1000 / 60
}

const skip = skipReason()
if (skip === false) {
  const browser = await openBrowser(t)

  await forOneDatabase(t, { entities, seed }, async (t, { orm, name }) => {
    // thousands of rows are read from a real server only: in PGlite, they would take most of the time of this file
    const many = name === 'pglite' && 'PGlite is slow'
    const app = await openWorkshop(t, orm)
    const origin = await app.listen({ port: 0, host: '127.0.0.1' })
    const open = async (path: string) => {
      const opened = await openPage(browser, origin)
      await opened.page.goto(`${origin}/explorer${path}`)
      await settled(opened.page)
      return opened
    }

    t.test('a click on a header sorts, a click with Shift adds, and a reload keeps the order', async (t) => {
      const { page, faults, asked } = await open('/machines')
      await page.getByRole('columnheader', { name: 'Name' }).getByRole('button').click()
      await settled(page)
      await page.getByRole('columnheader', { name: 'Power' }).getByRole('button').click({ modifiers: ['Shift'] })
      await settled(page)
      t.equal(asked.at(-1), 'GET /machines?sort=name,power')
      await page.reload()
      await settled(page)
      t.equal(asked.at(-1), 'GET /machines?sort=name,power')
      await eventually(t, () => rows(page).first().innerText(), /Drill/)
      t.strictSame(faults, [])
    })

    t.test('a change of another client is shown, and the choice is saved', async (t) => {
      const { page, faults } = await open('/machines?~open=1')
      const drawer = page.getByRole('complementary')
      await drawer.getByRole('button', { name: 'Edit' }).click()
      await settled(page)
      await drawer.getByRole('textbox', { name: 'Note' }).fill('mine')
      await drawer.getByRole('spinbutton', { name: 'Power' }).or(drawer.getByRole('textbox', { name: 'Power' })).fill(
        '7'
      )
      const headers = { 'if-match': '"1"' }
      const payload = { note: 'theirs', name: 'Drill 2' }
      t.equal((await app.inject({ method: 'PATCH', url: '/machines/1', headers, payload })).statusCode, 200)
      await drawer.getByRole('button', { name: 'Save' }).click()
      await drawer.getByText('The record has changed since you opened it').waitFor()
      t.match((await app.inject('/machines/1')).json(), { note: 'theirs', power: 500 }, 'nothing is saved')
      t.strictSame(await accessibilityFaults(page), [])
      await drawer.getByRole('group', { name: 'Note' }).getByRole('radio', { name: /^Now/ }).check()
      await drawer.getByRole('button', { name: 'Continue with this choice' }).click()
      await drawer.getByRole('button', { name: 'Save' }).click()
      await drawer.getByRole('button', { name: 'Edit' }).waitFor()
      t.match((await app.inject('/machines/1')).json(), { note: 'theirs', name: 'Drill 2', power: 7, version: 3 })
      t.strictSame(faults, [])
    })

    t.test('changes that come back do not overwrite those of another client', async (t) => {
      const { page, faults } = await open('/machines?~open=3')
      const drawer = page.getByRole('complementary')
      await drawer.getByRole('button', { name: 'Edit' }).click()
      await settled(page)
      await drawer.getByRole('textbox', { name: 'Note' }).fill('mine')
      await page.getByRole('link', { name: 'Maker', exact: true }).click()
      const { version } = (await app.inject('/machines/3')).json()
      const headers = { 'if-match': `"${version}"` }
      const payload = { note: 'theirs' }
      t.equal((await app.inject({ method: 'PATCH', url: '/machines/3', headers, payload })).statusCode, 200)
      await page.getByRole('link', { name: 'Lathe in Machine' }).click()
      await drawer.getByText('The record has changed since: Save shows the difference.').waitFor()
      t.equal(await drawer.getByRole('textbox', { name: 'Note' }).inputValue(), 'mine')
      await drawer.getByRole('button', { name: 'Save' }).click()
      await drawer.getByRole('group', { name: 'Note' }).getByText('Before: null').waitFor()
      t.match((await app.inject('/machines/3')).json(), payload, 'nothing is saved')
      // the question is asked here as well
      await page.keyboard.press('Escape')
      await page.getByRole('dialog', { name: 'Discard changes to Lathe?' })
        .getByRole('button', { name: 'Keep editing' }).click()
      await drawer.getByRole('button', { name: 'Discard my changes' }).click()
      await drawer.getByRole('definition').filter({ hasText: 'theirs' }).waitFor()
      t.strictSame(faults, [])
    })

    t.test('a record is made with a maker that is found by name, deleted and restored', async (t) => {
      const { page, faults, asked } = await open('/machines')
      await page.getByRole('button', { name: 'New' }).click()
      const drawer = page.getByRole('complementary')
      await drawer.getByRole('textbox', { name: 'Name' }).fill('Press')
      await drawer.getByRole('combobox', { name: 'Maker' }).fill('bol')
      await drawer.getByRole('option', { name: /Bolt/ }).click()
      await drawer.getByRole('button', { name: 'Create' }).click()
      await drawer.getByRole('heading', { name: 'Press' }).waitFor()
      const { items: [press] } = (await app.inject('/machines?filter[name]=Press')).json()
      t.equal(press.maker, 2)
      t.ok(asked.some((request) => request.startsWith('GET /makers?filter[name][contains]=bol')))

      await settled(page)
      await drawer.getByRole('button', { name: 'Delete' }).click()
      await drawer.getByRole('alert').getByRole('button', { name: 'Delete' }).click()
      await drawer.getByText('The record is deleted').waitFor()
      t.equal((await app.inject(`/machines/${press.id}`)).statusCode, 404)
      await drawer.getByRole('button', { name: 'Restore' }).click()
      await drawer.getByRole('button', { name: 'Edit' }).waitFor()
      t.equal((await app.inject(`/machines/${press.id}`)).statusCode, 200)
      t.strictSame(faults, [])
    })

    t.test('a key leads to its record, and the number of related records to their list', async (t) => {
      const { page, faults, asked } = await open('/machines')
      await rows(page).first().locator('a').first().click()
      await page.getByRole('complementary').getByRole('heading', { name: 'Acme' }).waitFor()
      await page.waitForURL(/\/explorer\/makers\?.*open=1/)
      await page.goto(`${origin}/explorer/makers?include=machines,machinesCount,machinesPowerSum`)
      await settled(page)
      await rows(page).first().locator('a.chip').first().click()
      await settled(page)
      t.equal(asked.at(-1), 'GET /machines?filter[maker]=1')
      await page.goBack()
      await page.waitForURL(/machinesPowerSum/)
      await settled(page)
      t.strictSame(faults, [])
    })

    t.test('the cost of a request, its statement and its plan', async (t) => {
      const { page, faults } = await open('/machines?sort=power')
      await page.getByRole('button', { name: /cost of the request/ }).click()
      await page.getByText('Server: run').waitFor()
      await page.getByRole('button', { name: /^Explain/ }).click()
      await eventually(t, () => page.getByLabel('SQL').innerText(), /select/)
      await eventually(t, () => page.getByLabel('Plan').innerText(), /Execution Time/)
      await eventually(t, () => page.locator('.advice').first().innerText(), /There is no index behind sort=power/)
      t.strictSame(await accessibilityFaults(page), [])
      t.strictSame(faults, [])
    })

    t.test('a list is downloaded as CSV', async (t) => {
      const { page, faults } = await open('/machines?filter[name]=Saw')
      await page.getByRole('button', { name: 'Download' }).click()
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('button', { name: 'CSV' }).click(),
      ])
      t.equal(download.suggestedFilename(), 'machine.csv')
      t.strictSame(faults, [])
    })

    t.test('hostile data is shown as text, in the list and in the record', async (t) => {
      const { page, faults } = await open('/hostile')
      t.equal(await rows(page).count(), TEXTS.length + 2)
      const table = await page.getByRole('grid').innerText()
      for (const text of TEXTS.slice(0, 5)) t.ok(table.includes(text.slice(0, 20)), text)
      for (const key of [1, 2, 6, 7, TEXTS.length + 1, TEXTS.length + 2]) {
        await page.goto(`${origin}/explorer/hostile?~open=${key}`)
        await settled(page)
        await page.getByRole('complementary').getByRole('button', { name: 'Edit' }).click()
        await page.getByRole('button', { name: 'Cancel' }).click()
      }
      t.equal(await page.evaluate('window.harmed'), undefined)
      t.equal(await page.locator('script:not([src]), img, iframe, object').count(), 0)
      t.strictSame(faults, [])
    })

    t.test('hostile addresses lead nowhere', async (t) => {
      for (const path of [
        '/hostile?sort=<script>window.harmed=1</script>', '/hostile?~open=../../machines/1',
        '/hostile?filter[<img src=x onerror=window.harmed=1>]=1', '//example.com/x', '/javascript:window.harmed=1',
      ]) {
        const { page, faults } = await openPage(browser, origin)
        await page.goto(`${origin}/explorer${path}`)
        await settled(page)
        t.equal(await page.evaluate('window.harmed'), undefined, path)
        t.strictSame(faults, [], path)
      }
    })

    t.test('10 000 rows by cursor scroll as smoothly as 500', { skip: many }, async (t) => {
      const { page, faults, asked } = await open('/readings?cursor=&per_page=500')
      const few = await costOfStep(page)
      await page.waitForFunction(SCROLL_TO_THE_END, undefined, { timeout: 300_000 })
      await settled(page)
      const pages = asked.filter((request) => request.startsWith('GET /readings'))
      t.equal(new Set(pages).size, pages.length, 'no page is asked for twice')
      t.ok(await rows(page).count() < 200, 'only the rows in sight are in the document')
      const many = await costOfStep(page)
      t.comment(`a step takes ${few.toFixed(1)} ms with 500 rows, ${many.toFixed(1)} ms with 10 000`)
      t.ok(many < 2 * few, `${many} ms with 10 000 rows, ${few} ms with 500`)
      t.ok(many < 50, `${many} ms allow 20 frames a second`)
      t.strictSame(faults, [])
    })

    t.test('a closed API asks for credentials, which stay in the tab', async (t) => {
      const closed = await openWorkshop(t, orm, { accepted: new Set(['Bearer secret']) })
      const origin = await closed.listen({ port: 0, host: '127.0.0.1' })
      const { page, faults } = await openPage(browser, origin)
      await page.goto(`${origin}/explorer/machines`)
      await page.getByText('Log in first.').first().waitFor()
      t.strictSame(await accessibilityFaults(page), [])
      await page.getByRole('heading', { name: 'The API needs credentials' }).waitFor()
      await eventually(t, () => page.evaluate<string>('document.activeElement.value'), 'Bearer ',
        'the focus is where the token goes')
      await page.getByLabel('Name').fill('Ann')
      await page.getByLabel('Value').fill('Bearer secret')
      await page.getByRole('button', { name: 'Use these headers' }).click()
      await page.getByRole('grid').waitFor()
      await page.reload()
      await page.getByRole('grid').waitFor()
      await settled(page)
      t.equal(await page.evaluate('localStorage.length'), 0)
      t.notMatch(page.url(), /secret/)
      const other = await openPage(browser, origin)
      await other.page.goto(`${origin}/explorer/machines`)
      await other.page.getByText('Log in first.').first().waitFor()
      t.strictSame(faults, [])
    })

    t.test('a form keeps its changes when the token expires, and says how to go on', async (t) => {
      const accepted = new Set(['Bearer first'])
      const closed = await openWorkshop(t, orm, { accepted })
      const origin = await closed.listen({ port: 0, host: '127.0.0.1' })
      const { page, faults } = await openPage(browser, origin)
      const enter = async (token: string): Promise<void> => {
        await page.getByLabel('Value').fill(token)
        await page.getByRole('button', { name: 'Use these headers' }).click()
      }
      await page.goto(`${origin}/explorer/machines?~open=2`)
      await enter('Bearer first')
      const drawer = page.getByRole('complementary', { name: /Record/ })
      await drawer.getByRole('button', { name: 'Edit' }).click()
      await drawer.getByRole('textbox', { name: 'Note' }).fill('Sharpened')
      accepted.clear()
      accepted.add('Bearer second')
      await drawer.getByRole('button', { name: 'Save' }).click()
      await drawer.getByText('Enter other headers under “Ask as”, and save again.').waitFor()
      await page.getByRole('button', { name: /^Ask / }).click()
      await enter('Bearer second')
      await settled(page)
      await drawer.getByRole('button', { name: 'Save' }).click()
      await drawer.getByRole('definition').filter({ hasText: 'Sharpened' }).waitFor()
      t.strictSame(faults, [])
    })
  })
} else t.skip('the explorer on any data', { skip }, () => {})
