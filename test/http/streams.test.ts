/** Streams of all records, for programs, and as NDJSON or CSV. */
import { raw } from '@mikro-orm/core'
import type { FastifyInstance } from 'fastify'
import http from 'node:http'
import { once } from 'node:events'
import t, { type Test } from 'tap'
import {
  AllowedFilters, AllowedInclude, AllowedSort, CrudBase, crudKit, parseQueryParams, type CrudRecord,
} from '../../src/index.ts'
import { Customer, entities, Order, OrderItem, Plant, Specimen, Supplier, Tag } from '../fixtures/entities.ts'
import { seed } from '../fixtures/seed.ts'
import { forEachDatabase } from '../helpers/databases.ts'
import { newServer } from '../helpers/server.ts'
import { recordStatements } from '../helpers/statements.ts'
import { until } from '../helpers/until.ts'
import { client, resource, select, serve, whitelist } from './helper.ts'
import { collect } from '../helpers/collect.ts'

const MANY = 1234
const NDJSON = { accept: 'application/x-ndjson' }
const CSV = { accept: 'text/csv' }

/** A condition that fails at one row, and one that takes long after 700. */
const failing = [
  AllowedFilters.custom('breaks', (qb, value) => qb.andWhere(raw('1 / (e0.id - ?) is not null', [Number(value)]))),
  AllowedFilters.custom('slow',
    (qb) => qb.andWhere(raw('(e0.id < 700 or pg_sleep(20) is not null) /* slow stream */'))),
]
const queryConfig = whitelist({
  allowedFilters: ['name', 'status', AllowedFilters.trashed(), { id: ['lte'] }, ...failing],
  allowedSorts: ['name', 'price', 'latinName', 'supplier.name'],
  allowedFields: ['id', 'name', 'price', 'inStock', 'description'],
  allowedIncludes: ['tags', 'supplier'],
})
const plants = new CrudBase<any>({ model: Plant, writable: 'all', queryConfig })
const tags = resource(Tag, {
  allowedFilters: [{ id: ['lte'] }, ...failing],
  allowedSorts: [
    'weight', 'name',
    AllowedSort.custom('length', (qb, direction) => qb.orderBy({ [raw('char_length(e0.name)')]: direction })),
  ],
})
const shouting = new (class extends CrudBase {
  override afterRead ({ id, name }: CrudRecord) {
    return { key: id, loud: String(name).toUpperCase() }
  }
})({ model: Plant, writable: 'all', queryConfig })

await forEachDatabase(t, { entities, seed }, async (t, { orm, name }) => {
  await orm.em.getConnection().execute(
    "insert into tag (name, weight) select 'tag ' || i, case when i % 3 > 0 then i % 7 end " +
      `from generate_series(1, ${MANY}) as i`
  )
  const streamed = (crud: CrudBase<any>, options: object = {}) => ({ crud, stream: true, ...options })
  const app = await serve(t, orm, {
    '/plants': streamed(plants),
    '/tags': streamed(tags, { name: 'all_tags' }),
    '/loud': streamed(shouting),
    '/scoped': streamed(plants, { scope: () => ({ status: 'active' }) }),
    '/unscoped': streamed(plants, { scope: () => ({ status: undefined }) }),
    '/specimens': streamed(resource(Specimen)),
    '/pages': plants,
  })
  const linesOf = async (url: string) => {
    const response = await app.inject({ url, headers: NDJSON })
    t.equal(response.statusCode, 200, `${url}: ${response.body.slice(0, 200)}`)
    t.equal(response.headers['content-type'], 'application/x-ndjson; charset=utf-8')
    return response.body.split('\n').slice(0, -1).map((line) => JSON.parse(line))
  }

  t.test('stream() yields each record once, in the order of a list', async (t) => {
    for (const query of [
      '', 'sort=-name', 'sort=latinName,-price', 'sort=supplier.name', 'filter[status]=active',
      'fields=id,name&include=tags,supplier&sort=-price', 'filter[trashed]=with',
    ]) {
      const params = parseQueryParams(query)
      const { items } = await plants.list(orm.em.fork(), parseQueryParams(`${query}&per_page=100`))
      t.strictSame(await collect(plants.stream(orm.em.fork(), params)), items, query)
    }
    const oak = await collect(shouting.stream(orm.em.fork(), parseQueryParams('filter[name]=Oak')))
    t.strictSame(oak, [{ key: 9, loud: 'OAK' }])
    t.strictSame(await collect(plants.stream(orm.em.fork(), parseQueryParams('filter[name]=nobody'))), [])
    t.strictSame(
      (await collect(plants.stream(orm.em.fork(), undefined, { scope: { status: 'archived' } }))).map(({ id }) => id),
      [5]
    )
  })

  t.test('stream() yields records with their includes, by keys of every kind', async (t) => {
    for (const [model, include] of [
      [OrderItem, 'order,plant'],
      [Customer, 'orders,orders.items'],
      [Order, 'items,items.plant,customer'],
      [Supplier, 'plants,plantsCount'],
    ] as const) {
      const paths = include.split(',').map((path) =>
        path.endsWith('Count') ? AllowedInclude.count(path.slice(0, -5)) : new AllowedInclude(path)
      )
      const crud = new CrudBase<any>({ model: model as never, queryConfig: whitelist({ allowedIncludes: paths }) })
      const { items } = await crud.list(orm.em.fork(), parseQueryParams(`include=${include}&per_page=100`))
      t.ok(items.length > 1, include)
      t.strictSame(await collect(crud.stream(orm.em.fork(), parseQueryParams(`include=${include}`))), items)
      await orm.em.fork().transactional(async (em) =>
        t.strictSame(await collect(crud.stream(em, parseQueryParams(`include=${include}`))), items)
      )
    }
  })

  t.test('a scope applies to later batches, and a signal ends the stream', async (t) => {
    const params = parseQueryParams('include=supplier,tags')
    const whole = (await plants.list(orm.em.fork(), parseQueryParams('include=supplier,tags&per_page=100'), {
      scope: { supplier: { name: { $ne: null } } },
    })).items
    t.strictSame(await collect(plants.stream(orm.em.fork(), params, { scope: { supplier: { name: { $ne: null } } } })),
      whole)
    const controller = new AbortController()
    const stream = tags.stream(orm.em.fork(), undefined, { signal: controller.signal })
    await stream.next()
    controller.abort()
    await t.rejects(collect(stream), { code: 'FST_CRUD_ABORTED' })
    await t.rejects(collect(tags.stream(orm.em.fork(), undefined, { signal: controller.signal })), {
      code: 'FST_CRUD_ABORTED',
    })
    await orm.em.fork().transactional(async (em) => {
      await t.rejects(collect(tags.stream(em, undefined, { signal: controller.signal })), { code: 'FST_CRUD_ABORTED' })
      t.ok(await tags.count(em) > MANY)
    })
  })

  t.test('stream() yields more records than fit into a batch, each once, with ties and nulls', async (t) => {
    const rows = await select(orm,
      'select id from tag where deleted_at is null order by weight desc nulls last, name, id')
    const streamed = await collect(tags.stream(orm.em.fork(), parseQueryParams('sort=-weight,name')))
    t.strictSame(streamed.map(({ id }) => id), rows.map(({ id }) => id))
    t.ok(streamed.length > MANY)
    const byLength = await select(orm,
      'select id from tag where deleted_at is null order by char_length(name) desc, id')
    t.strictSame((await collect(tags.stream(orm.em.fork(), parseQueryParams('sort=-length')))).map(({ id }) => id),
      byLength.map(({ id }) => id))
  })

  t.test("leaving the loop ends the stream's transaction, and keeps that of the caller", async (t) => {
    const recorder = await recordStatements(orm, t)
    for await (const { id } of tags.stream(orm.em.fork())) if (id > 3) break
    const sent = recorder.texts()
    t.equal(sent.some((sql) => /^begin/i.test(sql)), name === 'postgres')
    t.equal(sent.some((sql) => /^rollback/i.test(sql)), name === 'postgres')
    const em = orm.em.fork()
    await em.transactional(async (em) => {
      await tags.create(em, { name: 'own', weight: 100 })
      const first = await tags.stream(em, parseQueryParams('sort=-weight')).next()
      t.match(first.value, { name: 'own' }, 'it sees what the transaction wrote')
      for await (const { name } of tags.stream(em, parseQueryParams('sort=name'))) if (name > 'tag 3') break
      t.equal(await tags.count(em), await tags.count(em))
      throw new Error('undo')
    }).catch((error: Error) => t.equal(error.message, 'undo'))
    t.equal((await tags.list(orm.em.fork(), parseQueryParams('sort=-weight&per_page=1'))).items[0]!['weight'], 6)
  })

  t.test(
    'on PostgreSQL, the records are a snapshot of one moment',
    { skip: name === 'pglite' && 'read page by page' },
    async (t) => {
      const stream = tags.stream(orm.em.fork(), parseQueryParams('sort=name'))
      await stream.next()
      await orm.em.getConnection().execute("insert into tag (name) values ('zzz')")
      t.notOk((await collect(stream)).some(({ name }) => name === 'zzz'))
      await orm.em.getConnection().execute("delete from tag where name = 'zzz'")
    }
  )

  t.test('a stream refuses pagination', async (t) => {
    for (const parameter of ['page=1', 'per_page=5', 'limit=5', 'offset=5', 'cursor=']) {
      await t.rejects(collect(plants.stream(orm.em.fork(), parseQueryParams(parameter))), {
        code: 'FST_CRUD_PAGINATION_INVALID',
        message: /A stream has no pages/,
      })
    }
    await t.rejects(collect(plants.stream(orm.em.fork(), parseQueryParams('filter[nmae]=x&sort=x'))), {
      code: 'FST_CRUD_FILTER_INVALID',
      errors: { length: 2 },
    })
  })

  t.test('NDJSON has a line for each record', async (t) => {
    const { items } = await client(app, '/plants').get('per_page=100&sort=-name&include=tags')
    t.strictSame(await linesOf('/plants?sort=-name&include=tags'), items)
    t.equal((await linesOf('/tags')).length, MANY + 4)
    t.strictSame((await linesOf('/scoped')).map(({ status }) => status), Array(8).fill('active'))
    t.strictSame(await linesOf('/plants?filter[name]=nobody'), [])
    t.strictSame(await linesOf('/loud?filter[id]=1'), [{ key: 1, loud: 'LAVENDER' }])
    t.strictSame(await linesOf('/specimens'), (await client(app, '/specimens').get()).items,
      'values of every type have their wire form')
  })

  t.test("the client's preference decides the format, and is JSON unless a stream is allowed", async (t) => {
    const type = async (url: string, accept?: string) =>
      String((await app.inject({ url, headers: accept === undefined ? {} : { accept } })).headers['content-type'])
        .split(';')[0]
    for (const [accept, expected] of [
      [undefined, 'application/json'],
      ['*/*', 'application/json'],
      ['application/json, application/x-ndjson', 'application/json'],
      ['text/csv;q=0.5, application/json;q=0.4', 'text/csv'],
      ['application/x-ndjson;q=0', 'application/json'],
      ['text/html, text/csv', 'text/csv'],
      ['application/x-ndjson;q=0.1', 'application/x-ndjson'],
      ['TEXT/CSV', 'text/csv'],
      ['text/*;q=0.2, application/x-ndjson', 'application/x-ndjson'],
      [',;q=csv', 'application/json'],
    ] as const) t.equal(await type('/plants', accept), expected, accept ?? 'nothing said')
    t.equal(await type('/pages', 'text/csv'), 'application/json')
    t.equal((await app.inject('/plants')).headers['vary'], 'accept')
    t.equal((await app.inject('/pages')).headers['vary'], undefined)
    const head = await app.inject({ method: 'HEAD', url: '/plants', headers: CSV })
    t.strictSame([head.statusCode, head.body, head.headers['content-type']], [
      200, '', 'text/csv; charset=utf-8; header=present',
    ])
  })

  t.test('HEAD has the status of GET, and keeps no connection', async (t) => {
    for (const headers of [CSV, NDJSON]) {
      for (const [url, status] of [
        ['/plants?sort=x', 400], ['/unscoped', 500], ['/plants?filter[name]=nobody', 200],
        ['/plants?filter[breaks]=1', undefined],
      ] as const) {
        const got = await app.inject({ url, headers })
        t.equal(got.statusCode, status ?? got.statusCode)
        const head = await app.inject({ method: 'HEAD', url, headers })
        t.strictSame([head.statusCode, head.headers['content-type'], head.body], [
          got.statusCode, got.headers['content-type'], '',
        ], url)
      }
      // more than the pool has connections
      for (let count = 0; count < 7; count++) {
        t.equal((await app.inject({ method: 'HEAD', url: '/tags', headers })).statusCode, 200)
      }
    }
  })

  t.test('mistakes of a request are known before the first record', async (t) => {
    for (const headers of [NDJSON, CSV]) {
      const response = await app.inject({ url: '/plants?filter[nmae]=x&per_page=5', headers })
      t.equal(response.statusCode, 400)
      t.match(response.json(), {
        code: 'FST_CRUD_FILTER_INVALID',
        errors: [{ source: { parameter: 'filter[nmae]' } }, { source: { parameter: 'per_page' } }],
      })
      t.equal(response.headers['content-type'], 'application/json; charset=utf-8')
    }
    t.ok((await app.inject({ url: '/plants?filter[breaks]=1', headers: NDJSON })).statusCode >= 400)
  })

  t.test('streams work on a socket', async (t) => {
    const listen = async (t: Test, stream: unknown = true): Promise<{ server: FastifyInstance, url: string }> => {
      const server = newServer(t, { forceCloseConnections: true })
      const resources = { '/plants': streamed(plants), '/tags': { crud: tags, stream } } as never
      await server.register(crudKit, { orm, indexAdvice: false, resources })
      return { server, url: await server.listen({ port: 0, host: '127.0.0.1' }) }
    }
    const idle = () =>
      until(async () => {
        const [row] = await select(
          orm,
          'select count(*)::int as n from pg_stat_activity where datname = current_database() ' +
            "and pid <> pg_backend_pid() and (state like 'idle in transaction%' or (state = 'active' " +
            "and query like '%crud_stream%'))"
        )
        return row.n === 0
      }, 'no stream is left open')

    t.test('an error after the first record breaks off the answer, so that the client notices', async (t) => {
      const { url } = await listen(t)
      // sorting would read all rows before the first one
      if (name === 'pglite') await orm.em.getConnection().execute('set enable_sort = off')
      const request = http.get(`${url}/tags?filter%5Bbreaks%5D=1100`, { headers: NDJSON })
      const [response] = await once(request, 'response') as [http.IncomingMessage]
      t.equal(response.statusCode, 200)
      let text = ''
      await t.rejects(
        (async () => {
          for await (const chunk of response) text += chunk
        })(),
        { code: 'ECONNRESET' }
      )
      t.ok(text === '' || /^\{"id" ?: ?1,/.test(text), 'what has been sent is whole records')
      t.notOk(text.includes('"error"') || text.includes('zero'))
      if (name === 'postgres') t.ok(await idle())
    })

    t.test('a client that stops reading is disconnected, and does not keep the pool from others', {
      skip: name === 'pglite' && 'a stream occupies no connection there',
    }, async (t) => {
      await orm.em.getConnection().execute(
        "insert into tag (name) select 'long ' || i || repeat(' text', 40) from generate_series(1, 40000) as i"
      )
      t.teardown(() => orm.em.getConnection().execute("delete from tag where name like 'long %'"))
      const { server, url } = await listen(t, { stallTimeoutMillis: 1_000 })
      // the pool has one more connection, for the others
      const stalled = Array.from({ length: 4 }, () => http.get(`${url}/tags`, { headers: NDJSON, agent: false }))
      const responses = await Promise.all(
        stalled.map(async (request) => (await once(request, 'response'))[0] as http.IncomingMessage)
      )
      for (const response of responses) {
        t.equal(response.statusCode, 200)
        response.on('error', () => {})
      }
      const beyond = await server.inject({ url: '/tags', headers: NDJSON })
      t.strictSame([beyond.statusCode, beyond.json().code, beyond.headers['retry-after']], [
        503, 'FST_CRUD_UNAVAILABLE', '1',
      ])
      t.equal((await fetch(`${url}/tags?per_page=1`)).status, 200)
      t.ok(await idle())
      const again = await server.inject({ url: '/tags?filter[id][lte]=3', headers: NDJSON })
      t.equal(again.statusCode, 200, 'when they are over, there is room again')
      for (const request of stalled) request.destroy()
    })

    t.test('a client that goes away while it reads or waits leaves no cursor and no statement behind', {
      skip: name === 'pglite' && 'nothing is left open there',
    }, async (t) => {
      const { url } = await listen(t)
      for (const query of ['', '?filter%5Bslow%5D=1']) {
        const request = http.get(`${url}/tags${query}`, { headers: NDJSON })
        request.on('error', () => {})
        const [response] = await once(request, 'response') as [http.IncomingMessage]
        await once(response, 'data')
        request.destroy()
        t.ok(await idle(), query)
      }
      const response = await fetch(`${url}/plants`)
      t.equal(response.status, 200, 'and the pool goes on')
    })
  })
})
