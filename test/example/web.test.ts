/** The example's front end in a browser: a user lists, filters and edits categories. */
import type { Page } from 'playwright-core'
import t from 'tap'
import { eventually, openBrowser } from '../helpers/browser.ts'
import { openExample } from '../helpers/example.ts'
import { buildFrontEnd, serve, skipReason } from '../helpers/front-end.ts'

// a build, and a browser on a busy machine
t.setTimeout(600_000)

t.test('the front end', { skip: skipReason('example/web') }, async (t) => {
  const build = await buildFrontEnd(t, 'example/web')

  t.test('its scripts contain the client and no code of the server', async (t) => {
    const { modules } = build
    t.ok(modules.includes('example/web/src/main.tsx'))
    t.ok(modules.includes('src/client/create-client.ts'))
    t.strictSame(modules.filter((name) => !/^(example\/web|src\/client)\//.test(name)), [])
    const packages = modules.flatMap((name) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(name)?.[1] ?? [])
    t.strictSame([...new Set(packages)].filter((name) => !/^(react|react-dom|scheduler|@tanstack\/.*)$/.test(name)), [])
  })

  const app = await openExample(t)
  serve(app, build)
  const address = await app.listen({ port: 0, host: '127.0.0.1' })
  const browser = await openBrowser(t)
  const page = await browser.newPage()
  page.setDefaultTimeout(60_000)
  const errors: string[] = []
  page.on('pageerror', (error) => errors.push(String(error)))
  await page.goto(`${address}/app/`)

  t.test('it lists pages of categories', async (t) => {
    await page.getByText('Page 1 of 3, 12 categories').waitFor()
    const first = await names(page)
    t.equal(first.length, 5)
    await page.getByRole('button', { name: 'Next' }).click()
    await page.getByText('Page 2 of 3').waitFor()
    await eventually(t, async () => (await names(page)).filter((name) => first.includes(name)), [])
  })

  t.test('it filters and sorts', async (t) => {
    await page.getByLabel('Order').selectOption('Price, highest first')
    await page.getByLabel('Price from').fill('100')
    await page.getByLabel('Status').selectOption('active')
    await page.getByLabel('Name contains').fill('tec')
    await page.getByText('Page 1 of 1, 1 categories').waitFor()
    await eventually(t, () => names(page), ['Tech'])
  })

  t.test('it shows the error of a filter beside it', async (t) => {
    const name = page.getByLabel('Name contains')
    await name.fill('x'.repeat(300))
    await page.locator('[role=search] .error:not(:empty)').waitFor()
    await eventually(t, () => name.getAttribute('aria-invalid'), 'true')
    await eventually(t, () => page.getByRole('alert').innerText(), /at most 256/)
    await name.fill('tec')
    await page.getByRole('alert').waitFor({ state: 'detached' })
  })

  t.test('it edits a record, and shows errors beside inputs', async (t) => {
    await page.getByRole('button', { name: 'Tech', exact: true }).click()
    const form = page.getByRole('form', { name: 'Edit Tech' })
    await form.getByLabel('Price').fill('99999999999999')
    await form.getByRole('button', { name: 'Save' }).click()
    await form.getByRole('alert').waitFor()
    const price = form.getByLabel('Price')
    await eventually(t, () => price.getAttribute('aria-invalid'), 'true')
    await eventually(t, () => form.getByLabel('Name').getAttribute('aria-invalid'), 'false')
    const place = await price.getAttribute('aria-describedby')
    await eventually(t, () => form.locator(`[id="${place}"]`).innerText(), /price/)

    await price.fill('450.5')
    await form.getByLabel('Name').fill('Technology')
    await form.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('button', { name: 'Technology' }).waitFor()
    const { items } = (await app.inject('/categories?filter[name]=Technology')).json()
    t.match(items, [{ name: 'Technology', price: 450.5, status: 'active' }])
  })

  t.test('it says so when the server cannot be reached', async (t) => {
    await page.route('**/categories?*', (route) => route.abort())
    await page.getByRole('button', { name: 'Technology' }).waitFor()
    await page.getByLabel('Status').selectOption('draft')
    await page.getByText('the server was not reached').waitFor()
    await page.unroute('**/categories?*')
  })

  t.test('the page has no errors', async (t) => {
    t.strictSame(errors, [])
  })
})

async function names (page: Page): Promise<string[]> {
  return await page.locator('tbody button').allInnerTexts()
}
