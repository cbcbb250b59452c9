/** Aborted requests on a real socket, because `inject` cannot abort one. */
import { raw } from '@mikro-orm/core'
import type { FastifyInstance } from 'fastify'
import http from 'node:http'
import http2 from 'node:http2'
import type { AddressInfo } from 'node:net'
import { once } from 'node:events'
import pg from 'pg'
import t, { type Test } from 'tap'
import { AllowedFilters, crudKit, crudRoutes, parseQueryParams } from '../../src/index.ts'
import { entities, Plant, Tag } from '../fixtures/entities.ts'
import { seed } from '../fixtures/seed.ts'
import { lacks } from '../helpers/capabilities.ts'
import { forEachDatabase } from '../helpers/databases.ts'
import { newServer } from '../helpers/server.ts'
import { until } from '../helpers/until.ts'
import { resource, select } from './helper.ts'

const plants = resource(Plant, {
  allowedFilters: [
    'name',
    AllowedFilters.custom('slow', (qb, value) => qb.andWhere(raw(`(select pg_sleep(30) /* ${value} */) is not null`))),
  ],
})

const tags = resource(Tag)

await forEachDatabase(t, { entities, seed }, async (t, { orm, name, url }) => {
  /** A server on its own port. `early` runs before the plugin's own hooks. */
  const listen = async (t: Test, early?: (app: FastifyInstance) => void): Promise<FastifyInstance> => {
    const app = newServer(t, { forceCloseConnections: true })
    early?.(app)
    await app.register(crudKit, { orm })
    await app.register(crudRoutes, { prefix: '/plants', crud: plants })
    const operations = ['list', 'get', 'create', 'createMany', 'update', 'delete', 'restore'] as const
    await app.register(crudRoutes, { prefix: '/tags', crud: tags, stream: true, operations: [...operations] })
    app.get('/tags/count', async ({ em }) => await tags.count(em))
    app.get('/own', async ({ em }) => await em.execute('select pg_sleep(30) /* own */'))
    app.get(
      '/builder',
      async ({ em }) =>
        await em.createQueryBuilder(Plant).where(raw('(select pg_sleep(30) /* builder */) is not null')).getResultList()
    )
    app.get(
      '/transaction',
      async ({ em }) =>
        await em.transactional(async (em) => await plants.list(em, parseQueryParams('filter[slow]=transaction')))
    )
    app.post('/count',
      async ({ em, body }) => ({ count: await em.count(Tag), again: await em.fork().count(Tag), body }))
    await app.listen({ port: 0, host: '127.0.0.1' })
    return app
  }
  const urlOf = (app: FastifyInstance) => `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`

  /** Polls the server until the given number of statements with this comment are running. */
  const running = (comment: string, count: number): Promise<boolean> =>
    until(async () => {
      const [row] = await select(
        orm,
        "select count(*)::int as n from pg_stat_activity where state = 'active' and pid <> pg_backend_pid() " +
          `and query like '%pg_sleep(30) /* ${comment} */%'`
      )
      return row.n === count
    }, `${count} statements run: ${comment}`)

  const uncancellable = name === 'pglite'
    ? 'PGlite runs in this process, a statement at a time: nothing can cancel it'
    : await lacks('activityView', 'cancelBackend')

  for (const [what, path, comment] of [
    ['a list', '/plants?filter[slow]=list', 'list'],
    ["a hand-written route's own statement", '/own', 'own'],
    ["MikroORM's query builder", '/builder', 'builder'],
    ['a list in a transaction', '/transaction', 'transaction'],
  ] as const) {
    t.test(
      `a client that goes away cancels its statement in the server: ${what}`,
      { skip: uncancellable },
      async (t) => {
        const app = await listen(t)
        const request = http.get(urlOf(app) + path.replace('[', '%5B').replace(']', '%5D'))
        request.on('error', () => {})
        t.ok(await running(comment, 1), 'it runs')
        request.destroy()
        t.ok(await running(comment, 0), 'it is cancelled')
        for (const name of ['Oak', 'Moss', 'Thyme', 'Oak', 'Moss', 'Thyme']) {
          t.equal((await (await fetch(`${urlOf(app)}/plants?filter[name]=${name}`)).json() as any).total, 1,
            'and no other statement is')
        }
      }
    )
  }

  for (const [what, method, path, body] of [
    ['a get', 'GET', '/tags/1'],
    ['a list', 'GET', '/tags'],
    ['a count', 'GET', '/tags/count'],
    ['a stream', 'GET', '/tags', 'application/x-ndjson'],
    ['a create', 'POST', '/tags', { name: 'aborted' }],
    ['a batch', 'POST', '/tags', [{ name: 'aborted' }, { name: 'aborted too' }]],
    ['an update', 'PATCH', '/tags/1', { weight: 99 }],
    ['a delete', 'DELETE', '/tags/1'],
    ['a restore', 'POST', '/tags/1/restore'],
    ["an update by MikroORM's unit of work", 'PATCH', '/plants/1', { tags: [1, 2, 3] }],
  ] as const) {
    t.test(`a client that goes away ends what waits for a lock: ${what}`, { skip: uncancellable }, async (t) => {
      const app = await listen(t)
      const stored = () => select(orm, 'select * from tag order by id')
      const before = await stored()
      const locker = new pg.Client({ connectionString: url! })
      await locker.connect()
      t.teardown(() => locker.end())
      await locker.query('begin; lock table tag in access exclusive mode')
      const waiting = async (count: number) => {
        const [row] = await select(
          orm,
          "select count(*)::int as n from pg_stat_activity where wait_event_type = 'Lock' " +
            'and datname = current_database()'
        )
        return row.n === count
      }
      const request = http.request(urlOf(app) + path, {
        method,
        headers: typeof body === 'string' ? { accept: body } : body && { 'content-type': 'application/json' },
      })
      request.on('error', () => {}).end(typeof body === 'object' ? JSON.stringify(body) : undefined)
      await until(async () => await waiting(1), 'it waits')
      request.destroy()
      await until(async () => await waiting(0), 'it has ended')
      await locker.query('rollback')
      t.strictSame(await stored(), before)
      t.equal((await fetch(`${urlOf(app)}/tags/1`)).status, 200)
    })
  }

  t.test(
    'the statement is cancelled even if a hook uses request.em before the plugin sees the request',
    { skip: uncancellable },
    async (t) => {
      const app = await listen(t, (app) =>
        app.addHook('onRequest', async ({ em }) => {
          await em.count(Tag)
        }))
      const request = http.get(`${urlOf(app)}/plants?filter%5Bslow%5D=early`)
      request.on('error', () => {})
      t.ok(await running('early', 1))
      request.destroy()
      t.ok(await running('early', 0))
    }
  )

  t.test('only the requests of clients that go away are cancelled', { skip: uncancellable }, async (t) => {
    const app = await listen(t)
    const [a, b] = [0, 1].map(() => http.get(`${urlOf(app)}/plants?filter%5Bslow%5D=several`).on('error', () => {}))
    t.ok(await running('several', 2))
    a!.destroy()
    t.ok(await running('several', 1))
    t.equal((await fetch(`${urlOf(app)}/plants`)).status, 200)
    t.ok(await running('several', 1), 'the other still runs')
    b!.destroy()
    t.ok(await running('several', 0))
  })

  t.test('a client that resets its stream of HTTP/2 cancels its statement', { skip: uncancellable }, async (t) => {
    const app = newServer(t, { http2: true } as never)
    await app.register(crudKit, { orm, resources: { '/plants': plants } })
    await app.listen({ port: 0, host: '127.0.0.1' })
    const session = http2.connect(urlOf(app))
    t.teardown(() => session.destroy())
    const request = session.request({ ':path': '/plants?filter%5Bslow%5D=stream' })
    request.on('error', () => {})
    t.ok(await running('stream', 1), 'it runs')
    const left = performance.now()
    request.close(http2.constants.NGHTTP2_CANCEL)
    t.ok(await running('stream', 0), 'it is cancelled')
    t.ok(performance.now() - left < 20_000, 'before it ends by itself')
    const other = session.request({ ':path': '/plants?filter%5Bname%5D=Oak' })
    t.equal(JSON.parse((await other.toArray()).join('')).total, 1, 'and no other statement is')
  })

  t.test('a client that has received its answer does not count as gone', async (t) => {
    const aborted: boolean[] = []
    const app = await listen(t, (app) =>
      app.addHook('onResponse', async ({ em }) => {
        aborted.push((em as any).getAbortOptions().signal.aborted)
      }))
    const agent = new http.Agent({ keepAlive: true, maxSockets: 1 })
    t.teardown(() => agent.destroy())
    for (let i = 0; i < 3; i++) {
      const [response] = await once(http.get(`${urlOf(app)}/plants/1`, { agent }), 'response')
      t.equal(response.statusCode, 200)
      t.equal(JSON.parse((await response.toArray()).join('')).id, 1)
    }
    t.strictSame(aborted, [false, false, false])
  })

  t.test('request.em works in a POST with a JSON body', async (t) => {
    const app = await listen(t)
    for (const body of [{ a: 1 }, { long: 'x'.repeat(100_000) }]) {
      const response = await fetch(`${urlOf(app)}/count`, {
        method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body),
      })
      t.strictSame([response.status, await response.json()], [200, { count: 5, again: 5, body }])
    }
  })
})
