/** The documentation in a browser: what a person sees and can try at /docs, without network access. */
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import type { Locator, Page } from 'playwright-core'
import t from 'tap'
import { eventually, openBrowser, skipReason } from '../helpers/browser.ts'
import { openExample } from '../helpers/example.ts'

// a browser on a busy machine
t.setTimeout(1_200_000)

const folder = process.env['KEEP_SCREENSHOTS'] && fs.mkdtempSync(path.join(os.tmpdir(), 'fastify-crud-kit-docs-'))

t.test('the page works in a browser', { skip: skipReason() }, async (t) => {
  const app = await openExample(t)
  const address = await app.listen({ port: 0, host: '127.0.0.1' })
  const { paths } = app.swagger() as { paths: Record<string, Record<string, { readonly requestBody?: object }>> }
  const operations = Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, { requestBody }]) => ({
      method: method.toUpperCase(),
      path,
      hasBody: requestBody !== undefined,
    }))
  )
  const browser = await openBrowser(t)
  const page = await browser.newPage({ viewport: { width: 1280, height: 1600 } })
  page.setDefaultTimeout(120_000)
  const elsewhere: string[] = []
  const errors: string[] = []
  await page.route((url) => url.origin !== address, (route) => {
    elsewhere.push(route.request().url())
    return route.abort()
  })
  page.on('pageerror', (error) => errors.push(String(error)))
  await page.goto(`${address}/docs`)

  t.test('the page lists every operation', async (t) => {
    t.ok(operations.length >= 37, `${operations.length} operations`)
    await eventually(t, () => page.locator('.opblock').count(), operations.length)
    await eventually(t, () => page.locator('.info .title').innerText(), /^Catalogue/)
    await eventually(t, () => operation(page, 'GET', '/categories').locator('.opblock-summary-description').innerText(),
      'List categories')
    await picture(page, 'docs')
  })

  t.test('a user filters a list in the page', async (t) => {
    const list = await open(page, 'GET', '/categories')
    await eventually(t, () => list.locator('.parameters-container tr[data-param-name^="filter"]').count(), 59)
    const name = parameter(list, 'filter[name]')
    await eventually(t, () => name.innerText(), /Records whose name is the value\. Example: filter\[name\]=text/)
    await name.locator('input').fill('Tech')
    await parameter(list, 'filter[price][gte]').locator('input').fill('100')
    await parameter(list, 'include').locator('select').selectOption(['products'])
    await parameter(list, 'fields').locator('select').selectOption(['id', 'name'])
    await picture(list, 'parameters')
    const { status, body, url } = await execute(list)
    const { searchParams } = new URL(url)
    t.strictSame([...searchParams].sort(), [
      ['fields', 'id,name'], ['filter[name]', 'Tech'], ['filter[price][gte]', '100'], ['include', 'products'],
    ], 'sends what was filled in, and no examples')
    t.equal(status, '200')
    t.match(JSON.parse(body), { items: [{ name: 'Tech' }], total: 1 })
    await picture(page, 'list')
  })

  t.test('a user enters a list of values', async (t) => {
    const list = await open(page, 'GET', '/categories')
    const statuses = parameter(list, 'filter[status][in]')
    await statuses.locator('select').selectOption(['draft', 'archived'])
    const { status, url, body } = await execute(list)
    t.equal(new URL(url).searchParams.get('filter[status][in]'), 'draft,archived')
    t.equal(status, '200')
    t.ok(JSON.parse(body).items.every((item: { status: string }) => item.status !== 'active'))
  })

  t.test('the example body works, and a wrong body shows its errors', async (t) => {
    const create = await open(page, 'POST', '/categories')
    t.equal((await execute(create)).status, '403', 'a guest cannot create')
    await create.locator('.btn-clear').click()
    await authorize(page, 'editor')
    const editor = create.locator('textarea.body-param__text')
    await eventually(t, async () => [...(await editor.inputValue()).matchAll(/"(\w+)":/g)].map(([, name]) => name!), [
      'name', 'description', 'price', 'status',
    ])
    await editor.fill('{ "nmae": "Maps", "price": "cheap" }')
    const wrong = await execute(create)
    t.equal(wrong.status, '400')
    t.match(JSON.parse(wrong.body), {
      code: 'FST_ERR_VALIDATION',
      errors: [{ suggestion: 'name' }, { source: { pointer: '/price' } }, { source: { pointer: '/name' } }],
    })
    await picture(page, 'create')
    await editor.fill('{ "name": "Maps" }')
    await create.locator('.btn-clear').click()
    const right = await execute(create)
    t.equal(right.status, '201')
    t.match(JSON.parse(right.body), { name: 'Maps', status: 'draft' })
  })

  t.test('every operation with a body, and one of each other kind, succeeds with its example', async (t) => {
    const kindOf = ({ method, path }: Operation) => method + path.replace(/^\/[^/]+/, '')
    const kinds = new Map(operations.map((operation) => [kindOf(operation), operation]))
    const chosen = operations.filter((operation) => operation.hasBody || kinds.get(kindOf(operation)) === operation)
    await page.goto('about:blank')
    await page.goto(`${address}/docs`)
    await authorize(page, 'admin')
    // records are made first, and go last; a deleted record can be restored
    const ids = new Map<string, string>()
    const tried: string[] = []
    const attempt = async (method: string, path: string): Promise<void> => {
      const block = await expand(page, method, path)
      if (path.includes('{id}')) await parameter(block, 'id').locator('input').fill(ids.get(path.split('/')[1]!)!)
      else if (method === 'PUT') await parameter(block, 'on').locator('select').selectOption('sku')
      // an aggregate needs a group or a number
      else if (path.endsWith('/aggregate')) await parameter(block, 'aggregate').locator('select').selectOption('count')
      // a change or deletion of many records needs a filter
      else if (['PATCH', 'DELETE'].includes(method)) {
        await parameter(block, 'filter[name]').locator('input').fill('Nothing')
      }
      const { status, body } = await execute(block)
      const creates = method === 'POST' && !path.includes('{id}') && !path.endsWith('/query')
      t.equal(status, creates ? '201' : '200', `${method} ${path}: ${body}`)
      if (method === 'POST' && status === '201') {
        ids.set(path.slice(1), String((JSON.parse(body) as { id: unknown }).id))
      }
      await block.locator('.opblock-summary-control').click()
      tried.push(`${method} ${path}`)
    }
    const order = [
      ({ method, path }: Operation) => method === 'POST' && !path.includes('{id}'),
      ({ method }: Operation) => ['GET', 'PATCH', 'PUT'].includes(method),
      ({ method }: Operation) => method === 'DELETE',
      ({ path }: Operation) => path.endsWith('/restore'),
    ]
    for (const isNext of order) {
      for (const { method, path } of chosen.filter(isNext)) await attempt(method, path)
    }
    const names = chosen.map(({ method, path }) => `${method} ${path}`)
    t.strictSame(names.filter((name) => !tried.includes(name)), ['POST /categories/{id}/discount'])
  })

  t.test('pages by limit and by cursor can be tried without clearing other parameters', async (t) => {
    const list = await open(page, 'GET', '/categories')
    await parameter(list, 'limit').locator('input').fill('2')
    const { status, body } = await execute(list)
    t.equal(status, '200', body)
    t.equal((JSON.parse(body) as { items: unknown[] }).items.length, 2)
  })

  t.test('the page has no errors and loads nothing from other hosts', async (t) => {
    t.strictSame(errors, [])
    t.strictSame(elsewhere, [])
  })
})

interface Operation {
  readonly method: string
  readonly path: string
  readonly hasBody: boolean
}

const operation = (page: Page, method: string, path: string): Locator =>
  page.locator('.opblock')
    .filter({ has: page.locator(`.opblock-summary-path[data-path="${path}"]`) })
    .filter({ has: page.locator(`.opblock-summary-method:text-is("${method}")`) })

const parameter = (operation: Locator, name: string): Locator => operation.locator(`tr[data-param-name="${name}"]`)

/** Expands an operation of a fresh page, ready to be tried. */
async function open (page: Page, method: string, path: string): Promise<Locator> {
  // the page's own address says which operation is expanded, so come from another address
  const { origin } = new URL(page.url())
  await page.goto('about:blank')
  await page.goto(`${origin}/docs`)
  const block = operation(page, method, path)
  await block.locator('.opblock-summary-control').click()
  await block.locator('.try-out__btn').click()
  return block
}

/** Expands an operation of the page as it is, with the role that was set. */
async function expand (page: Page, method: string, path: string): Promise<Locator> {
  const block = operation(page, method, path)
  await block.locator('.opblock-summary-control').click()
  await block.locator('.try-out__btn').click()
  return block
}

/** Sets the header with the role of all requests of the page. */
async function authorize (page: Page, role: string): Promise<void> {
  await page.locator('.scheme-container .btn.authorize').click()
  const dialog = page.locator('.dialog-ux')
  await dialog.locator('input').fill(role)
  await dialog.locator('.btn.authorize').click()
  await dialog.locator('.btn-done').click()
}

/** Sends the request, and returns what the page shows of the answer. The answer before must be cleared. */
async function execute (
  block: Locator
): Promise<{ readonly status: string, readonly body: string, readonly url: string }> {
  await block.locator('.live-responses-table').waitFor({ state: 'detached' })
  await block.locator('.btn.execute').click()
  const answer = block.locator('.live-responses-table .response').first()
  await answer.locator('.response-col_status').waitFor()
  const status = (await answer.locator('.response-col_status').innerText()).split('\n')[0]!.trim()
  return {
    status,
    body: await answer.locator('.response-col_description .highlight-code code').first().innerText(),
    url: (await block.locator('.request-url pre').innerText()).trim(),
  }
}

/** Screenshots for people, in a temporary folder: `KEEP_SCREENSHOTS=1` takes them. */
async function picture (part: Page | Locator, name: string): Promise<void> {
  if (folder) await part.screenshot({ path: path.join(folder, `${name}.png`) })
}
