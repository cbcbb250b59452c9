/** The example's react-admin application in a browser: lists, references, forms and their errors. */
import t from 'tap'
import { eventually, openBrowser } from '../helpers/browser.ts'
import { openExample } from '../helpers/example.ts'
import { buildFrontEnd, serve, skipReason } from '../helpers/front-end.ts'

// a build, and a browser on a busy machine
t.setTimeout(600_000)

t.test('the react-admin application', { skip: skipReason('example/admin') }, async (t) => {
  const build = await buildFrontEnd(t, 'example/admin')
  t.strictSame(build.modules.filter((name) => !/^(example\/admin|src\/client|src\/admin)\//.test(name)), [],
    'its scripts contain no code of the server')
  const app = await openExample(t)
  serve(app, build)
  const requests: string[] = []
  app.server.prependListener('request',
    ({ method, url }) => requests.push(`${method} ${decodeURIComponent(url ?? '')}`))
  const address = await app.listen({ port: 0, host: '127.0.0.1' })
  const browser = await openBrowser(t)
  const page = await browser.newPage({ viewport: { width: 1280, height: 1400 } })
  page.setDefaultTimeout(60_000)
  const input = (name: string) => page.locator(`input[name="${name}"]`)
  /** Waits for the answer of a request whose URL has one of some texts. */
  const asks = async (...texts: string[]) =>
    await page.waitForResponse((response) => texts.some((text) => decodeURIComponent(response.url()).includes(text)))
  const errors: string[] = []
  page.on('pageerror', (error) => errors.push(String(error)))
  // the application is served completely, so that it needs no other host
  await page.route((url) => url.origin !== address, (route) => route.abort())

  t.test('a list has pages, filters and an order', async (t) => {
    await page.goto(`${address}/app/#/categories`)
    await page.getByText('1-10 of 12').waitFor()
    const filtered = asks('filter[price][gte]=100')
    await input('price_gte').fill('100')
    await filtered
    const both = asks('filter[q]=tech&filter[price][gte]=100', 'filter[price][gte]=100&filter[q]=tech')
    await input('q').fill('tech')
    const { items, total } = await (await both).json()
    await page.getByText(`1-${total} of ${total}`).waitFor()
    await eventually(t, () => page.locator('tbody .column-name').allInnerTexts(), items.map(({ name }: any) => name))
    const sorted = asks('sort=+price')
    await page.getByRole('button', { name: /^Sort by price/ }).click()
    t.equal((await sorted).status(), 200)
  })

  t.test('a form shows the errors of the server beside its inputs', async (t) => {
    // the form shows the record of the list first, and begins again with the answer of this request
    const read = asks('/categories/')
    await page.getByRole('cell', { name: 'Tech', exact: true }).click()
    await read
    await page.getByText('Laptop 14"').waitFor()
    await input('price').fill('99999999999999')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.locator('.Mui-error', { hasText: "'price'" }).first().waitFor()
    await eventually(t, () => input('price').getAttribute('aria-invalid'), 'true')
    await eventually(t, () => input('name').getAttribute('aria-invalid'), 'false')

    await input('price').fill('450.5')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Element updated').waitFor()
    const { items } = (await app.inject('/categories?filter[name]=Tech')).json()
    t.match(items, [{ name: 'Tech', price: 450.5, status: 'active' }])
  })

  t.test('references of a list are read in one request', async (t) => {
    requests.length = 0
    const answered = asks('/categories?filter[id][in]=')
    await page.goto(`${address}/app/#/products`)
    // the names may come from the cache of react-admin before the request is sent
    await answered
    await page.getByRole('link', { name: 'Kitchen' }).first().waitFor()
    // the list of categories that follows a saved form may still be read: only reads by keys are references
    t.equal(requests.filter((request) => request.startsWith('GET /categories?filter[id][in]=')).length, 1)
    t.strictSame(requests.filter((request) => /^GET \/categories\/\d/.test(request)), [])
  })

  t.test('a record is created with a reference', async (t) => {
    await page.goto(`${address}/app/#/products/create`)
    await input('name').fill('Globe')
    await input('price').fill('20')
    await page.getByLabel('Category').fill('gard')
    await page.getByRole('option', { name: 'Garden' }).click()
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Element created').waitFor()
    const { items } = (await app.inject('/products?filter[name]=Globe&include=category')).json()
    t.match(items, [{ name: 'Globe', price: 20, stock: 0, category: { name: 'Garden' } }])
  })

  t.test('the page has no errors', async (t) => {
    t.strictSame(errors, [])
  })
})
