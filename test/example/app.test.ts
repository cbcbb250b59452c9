/** The example application: the queries of the documentation on both databases, and npm start as a process. */
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import path from 'node:path'
import t, { type Test } from 'tap'
import { buildApp } from '../../example/app.ts'
import { DatabaseFactory } from '../../src/index.ts'
import { entities } from '../../example/entities/index.ts'
import { copyTemplate, newDatabases, pgliteUrl } from '../helpers/databases.ts'
import { freePort } from '../../scripts/free-port.ts'

type Json = Record<string, any>

for (const { name, skip, open } of newDatabases) {
  t.test(`the example works on ${name}`, { skip }, async (t) => {
    const { url, close } = await open()
    const lines: Array<{ level: number, msg: string, sql?: string }> = []
    const adviceGiven = Promise.withResolvers<void>()
    const write = (text: string) => {
      lines.push(JSON.parse(text))
      if (lines.at(-1)!.msg.startsWith('looked for missing indexes')) adviceGiven.resolve()
    }
    const app = await buildApp(new DatabaseFactory({ databaseUrl: url, entities, schema: 'create' }), {
      logger: { level: 'debug', stream: { write } },
    })
    t.teardown(async () => {
      await app.close()
      await close()
    })
    const get = async (url: string): Promise<Json> => {
      const response = await app.inject(url)
      t.equal(response.statusCode, 200, url)
      return response.json()
    }
    const send = async (
      role: string | undefined,
      method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE',
      url: string,
      payload?: object
    ) => {
      const headers = role === undefined ? {} : { 'x-role': role }
      const { statusCode, json } = await app.inject({ method, url, headers, ...payload && { payload } })
      return { status: statusCode, body: json<Json>() }
    }
    const FORBIDDEN = { status: 403, body: { code: 'FST_CRUD_FORBIDDEN' } }
    const names = async (query: string): Promise<string[]> =>
      (await get(`/categories?fields=name&sort=name&${query}`))['items'].map((item: Json) => item['name'])

    t.test('the query of the README has its answer', async (t) => {
      const page = await get(
        '/categories?filter[name]=Tech&filter[price][gte]=100&sort=-created_at&include=products&fields=id,name,price' +
          '&page=1&per_page=20'
      )
      const [tech, ...others] = page['items']
      t.strictSame(others, [])
      t.strictSame(Object.keys(tech), ['id', 'name', 'price', 'products'])
      t.match(tech, { name: 'Tech', price: 499 })
      t.strictSame(tech.products.map((product: Json) => product['name']).sort(), [
        'Laptop 14"', 'Mechanical keyboard', 'Noise-cancelling headphones', 'USB-C dock', 'Webcam',
      ])
      t.match(page, { total: 1, page: 1, per_page: 20, total_pages: 1, has_next: false, has_prev: false })
    })

    t.test('the health route answers', async (t) => {
      t.match(await get('/health'), {
        status: 'up', writer: { status: 'up' }, replicas: [], ...(name !== 'pglite' && { pool: { max: 10 } }),
      })
    })

    t.test('filters reach properties, to-many paths and to-one keys', async (t) => {
      t.strictSame(await names('filter[name][in]=Tech,Books'), ['Books', 'Tech'])
      t.strictSame(await names('filter[name]=Tech&filter[name]=Books'), ['Books', 'Tech'])
      t.strictSame(await names('filter[products.price][gte]=1000'), ['Tech'])
      t.strictSame(await names('filter[price][isnull]=true'), ['Unsorted'])
      const [author] = (await get('/authors?per_page=1'))['items']
      const articles = await get(`/articles?filter[author]=${author.id}&include=user&fields=title`)
      t.ok(articles['items'].length > 0)
      for (const article of articles['items']) t.equal(article.author.name, author.name)
      const byName = await get(`/articles?filter[author.name]=${encodeURIComponent(author.name)}`)
      t.equal(byName['total'], articles['total'])
    })

    t.test('an alias replaces the name, and hidden properties are unknown', async (t) => {
      t.equal((await app.inject('/articles?include=author')).statusCode, 400)
      const { items } = await get('/articles?include=user&fields[user]=name&per_page=1')
      t.strictSame(Object.keys(items[0].author), ['name'])
      t.notMatch(JSON.stringify(await get('/authors')), /email|@/)
    })

    t.test('a search, aggregates, deleted records and pages by cursor work', async (t) => {
      t.strictSame(await names('filter[q]=PAPER'), ['Books', 'Office'])
      t.match(await get('/products?filter[q]=books&fields=name&per_page=1'), { total: 4 })
      t.match(await get('/categories?filter[name][in]=Tech,Unsorted&include=productsCount&fields=name&sort=name'), {
        items: [{ productsCount: 5 }, { productsCount: 0 }],
      })
      t.match(await get('/articles?filter[trashed]=only&fields=title'), {
        items: [{ title: 'Fax or telex?' }],
        total: 1,
      })
      const all: string[] = []
      for (let cursor: string | null = ''; cursor !== null;) {
        const page: Json = await get(`/categories?cursor=${cursor}&per_page=5&sort=-price&fields=name`)
        all.push(...page['items'].map((item: Json) => item['name']))
        cursor = page['next_cursor']
      }
      t.strictSame(all, (await get('/categories?sort=-price&fields=name'))['items'].map((item: Json) => item['name']))
    })

    t.test('a guest reads what is published, an editor writes, and an admin deletes', async (t) => {
      const total = async (role: string | undefined, query: string) => (await send(role, 'GET', query)).body['total']
      const unpublished = '/articles?filter[published_at][isnull]=true'
      t.equal(await total(undefined, unpublished), 0)
      t.equal(await total('guest', unpublished), 0)
      t.ok(await total('editor', unpublished) > 0)
      const [article] = (await send('editor', 'GET', unpublished)).body['items']
      t.equal((await send('guest', 'GET', `/articles/${article.id}`)).status, 404)
      t.equal(await total('guest', `/authors?filter[articles.title]=${encodeURIComponent(article.title)}`), 0)
      t.equal(await total('editor', `/authors?filter[articles.title]=${encodeURIComponent(article.title)}`), 1)

      const published = () => lines.filter(({ msg }) => msg === 'an article has been published').length
      for (const [change, count] of [
        [{ title: 'x' }, 0], [{ published_at: '2026-01-01' }, 1], [{ title: 'y' }, 1],
      ] as const) {
        t.equal((await send('editor', 'PATCH', `/articles/${article.id}`, change)).status, 200)
        t.equal(published(), count)
      }

      const category = { name: 'Maps', price: 12 }
      for (const role of [undefined, 'guest', 'stranger', '__proto__']) {
        t.match(await send(role, 'POST', '/categories', category), FORBIDDEN, String(role))
      }
      const created = await send('editor', 'POST', '/categories', category)
      t.match(created, { status: 201, body: category })
      const url = `/categories/${created.body['id']}`
      t.equal((await send('guest', 'PATCH', url, { price: 1 })).status, 403)
      t.match(await send('editor', 'PATCH', url, { price: 13 }), { status: 200, body: { price: 13 } })
      t.equal((await send('editor', 'DELETE', url)).status, 403)
      t.equal((await send('admin', 'DELETE', url)).status, 200)
    })

    t.test('an editor writes an order with its lines, and imports products by their SKU', async (t) => {
      t.equal((await app.inject('/orders')).statusCode, 403, 'guests see no orders')
      const { items: [first, second] } = await get('/products?sort=id&fields=id&per_page=2') as { items: Json[] }
      const { status, body: order } = await send('editor', 'POST', '/orders', {
        customer: 'Ann',
        lines: [{ product: first!['id'], quantity: 2 }, { product: second!['id'] }],
      })
      t.equal(status, 201)
      const [one, two] = order['lines']
      t.match(
        await send('editor', 'PATCH', `/orders/${order['id']}`, {
          lines: {
            add: [{ product: second!['id'], quantity: 3 }], update: [{ id: one.id, quantity: 5 }], remove: [two.id],
          },
        }),
        { status: 200, body: { version: 2, lines: [{ quantity: 3 }, { id: one.id, quantity: 5 }] } }
      )

      const { items: [category] } = await get('/categories?filter[name]=Office&fields=id') as { items: Json[] }
      const upsert = async () =>
        await send('editor', 'PUT', '/products?on=sku', [
          { sku: 'OFFICE-1', stock: 3 },
          { sku: 'OFFICE-9', name: 'Stapler', price: 9, category: category!['id'] },
        ])
      t.match(await upsert(), {
        status: 200,
        body: [{ created: false, record: { name: 'Fountain pen', stock: 3 } }, { created: true }],
      })
      t.match(await upsert(), { body: [{ created: false }, { created: false }] })
    })

    t.test('an editor archives all drafts at once', async (t) => {
      const archive = (role: string, query: string) =>
        send(role, 'PATCH', `/categories?filter[status]=draft${query}`, { status: 'archived' })
      const drafts = await names('filter[status]=draft')
      t.ok(drafts.length > 0)
      t.match(await archive('guest', ''), FORBIDDEN)
      const all = { status: 200, body: { affected: drafts.length } }
      t.strictSame(await archive('editor', '&dry_run=true'), all)
      t.strictSame(await archive('editor', ''), all)
      t.strictSame(await names('filter[status]=draft'), [])
    })

    t.test('a discount lowers the prices of a category, for those who may update products', async (t) => {
      const discount = (role: string, id: string, body: Json) => send(role, 'POST', `/categories/${id}/discount`, body)
      const { items: [{ id }] } = await get('/categories?filter[name]=Books&fields=id') as { items: [Json] }
      const pricesOf = async () =>
        (await get(`/products?filter[category]=${id}&fields=id,price&sort=name`))['items'] as Array<{ price: number }>
      const before = await pricesOf()
      t.ok(before.length > 1)
      t.match(await discount('guest', id, { percent: 10 }), FORBIDDEN)
      t.match(await discount('editor', id, { percent: 100 }), { status: 400 })
      t.match(await discount('editor', 'x', { percent: 10 }), { status: 400 })
      t.match(await discount('editor', '00000000-0000-4000-8000-000000000000', { percent: 10 }), {
        status: 404,
        body: { code: 'FST_CRUD_NOT_FOUND' },
      })
      t.strictSame(await pricesOf(), before)
      const { status, body } = await discount('editor', id, { percent: 10 })
      t.equal(status, 200)
      const after = before.map((product) => ({ ...product, price: Math.round(product.price * 90) / 100 }))
      t.strictSame(await pricesOf(), after)
      t.match(body, after)
      t.match((await get('/docs/json'))['paths']['/categories/{id}/discount'].post.requestBody, { content: {} })
    })

    t.test('the document says which role may use an operation', async (t) => {
      const { paths, components, security } = await get('/docs/json')
      t.strictSame(paths['/categories'].post['x-roles'], ['admin', 'editor'])
      t.strictSame(paths['/categories/{id}'].delete['x-roles'], ['admin'])
      t.strictSame(paths['/categories'].patch['x-roles'], ['admin', 'editor'])
      t.match(components.securitySchemes.role, { type: 'apiKey', in: 'header', name: 'x-role' })
      t.strictSame(security, [{}, { role: [] }])
    })

    t.test('it has the indexes that its whitelists need, except those of a server extension', async (t) => {
      await app.listen({ port: 0, host: '127.0.0.1' })
      await adviceGiven.promise
      const advice = lines.flatMap(({ sql }) => sql ?? [])
      t.strictSame(advice.filter((sql) => name === 'pglite' || !sql.includes('gin_trgm_ops')), [])
    })

    t.test('the documentation page works without network access', async (t) => {
      const document = await get('/docs/json')
      t.equal(document['openapi'], '3.1.0')
      t.strictSame(Object.keys(document['paths']).filter((path) => path.startsWith('/categories')), [
        '/categories', '/categories/query', '/categories/{id}', '/categories/aggregate', '/categories/{id}/discount',
      ])
      const page = await app.inject('/docs')
      t.equal(page.statusCode, 200)
      t.notMatch(page.body, /(?:src|href)="https?:/, 'loads nothing from elsewhere')
    })

    t.test('it opens on the explorer, which has a link to the documentation', async (t) => {
      t.equal((await app.inject('/')).headers['location'], '/explorer')
      t.equal((await app.inject('/explorer')).statusCode, 200)
      const { title, docs, role, roles, headers, resources } = await get('/explorer/resources.json')
      t.match({ title, docs, role, roles }, {
        title: 'Catalogue', docs: 'docs', role: 'guest', roles: ['admin', 'editor', 'guest'],
      })
      t.match(headers, [{ name: 'x-role', values: ['guest', 'editor', 'admin'] }])
      t.equal(resources.length, 5)
    })
  })
}

t.test('in production the header is ignored, and all clients are guests', async (t) => {
  const database = new DatabaseFactory({ databaseUrl: pgliteUrl(t), entities, schema: 'create' })
  const app = await buildApp(database, {}, { NODE_ENV: 'production' })
  t.teardown(() => app.close())
  for (const role of ['guest', 'editor', 'admin', 'stranger']) {
    const headers = { 'x-role': role }
    t.equal((await app.inject({ url: '/categories', headers })).statusCode, 200, role)
    const { statusCode } = await app.inject({ method: 'POST', url: '/categories', headers, payload: { name: 'Maps' } })
    t.equal(statusCode, 403, role)
  }
})

t.test('npm start listens, keeps its rows between starts, and stops on a signal', async (t) => {
  const cwd = t.testdir({ '.data': {} })
  const template = copyTemplate()
  if (template !== undefined) fs.renameSync(template.folder, path.join(cwd, '.data/example'))
  const port = await freePort()

  const first = await startServer(t, cwd, port)
  t.match(first.output(), `http://127.0.0.1:${port}/docs`)
  const before = await (await fetch(`http://127.0.0.1:${port}/categories?fields=id&sort=name`)).json() as Json
  t.equal(before['total'], 12)
  t.equal(await first.stop(), 0)

  const second = await startServer(t, cwd, port)
  t.strictSame(await (await fetch(`http://127.0.0.1:${port}/categories?fields=id&sort=name`)).json(), before)
  t.equal(await second.stop(), 0)
})

async function startServer (t: Test, cwd: string, port: number) {
  const child: ChildProcess = spawn(process.execPath, [
    '--liftoff-only',
    path.resolve(import.meta.dirname, '../../example/server.ts'),
  ], { cwd, env: { ...process.env, PORT: String(port), DATABASE_URL: '' }, stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  child.stdout!.on('data', (chunk) => {
    output += chunk
  })
  child.stderr!.on('data', (chunk) => {
    output += chunk
  })
  const exit = once(child, 'exit')
  const stop = async (): Promise<number | null> => {
    child.kill('SIGTERM')
    await exit
    return child.exitCode
  }
  t.teardown(stop)
  await Promise.race([
    once(child.stdout!, 'data'),
    exit.then(() => {
      throw new Error(output)
    }),
  ])
  return { stop, output: () => output }
}
