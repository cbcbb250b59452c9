/** Hand-written routes on `request.em`: what a client learns about a database error. */
import { p, UniqueConstraintViolationException } from '@mikro-orm/core'
import { MikroORM } from '@mikro-orm/postgresql'
import Fastify, { type FastifyInstance } from 'fastify'
import http from 'node:http'
import { once } from 'node:events'
import net from 'node:net'
import t, { type Test } from 'tap'
import { crudKit, DatabaseFactory, toCrudError, withTransaction } from '../../src/index.ts'
import { findPostgres, startPostgres } from '../../scripts/postgres.ts'
import { forEachDatabase } from '../helpers/databases.ts'
import { keptLog } from '../helpers/log.ts'
import { newServer } from '../helpers/server.ts'
import { bodyOf } from './helper.ts'
import { entity } from '../helpers/entity.ts'

const Coin = entity('Coin', {
  id: p.integer().primary().autoincrement(), name: p.string().length(10).unique(), version: p.integer().version(),
})

/** Ways to reach the database through MikroORM. */
function addRoutes (app: FastifyInstance): void {
  app.get('/find', async ({ em }) => await em.find(Coin, {}))
  app.get('/sql', async ({ em }) => await em.execute('select id from coin'))
  app.get('/transaction', async ({ em }) => await em.transactional(async (em) => await em.find(Coin, {})))
  app.get('/ours', async ({ em }) => await withTransaction(em, async (em) => await em.find(Coin, {})))
  app.post<{ Params: { name: string } }>('/coins/:name', async ({ em, params }) => {
    const coin = em.create(Coin, { name: params.name, version: 1 })
    await em.flush()
    return coin
  })
  app.get('/hook', {
    preHandler: async ({ em }) => {
      await em.count(Coin)
    },
  }, async () => 'fine')
  app.get('/reply', (request, reply) => {
    request.em.count(Coin).then((count) => reply.send({ count }), (error) => reply.send(error))
  })
  app.get('/mistake', async ({ em }) => await em.execute('select secret from coin'))
  app.get<{ Querystring: { sql: string, value?: string } }>('/own-sql',
    async ({ em, query: { sql, value } }) => await em.execute(`select ${sql}`, value === undefined ? [] : [value]))
  app.get('/stale', async ({ em }) => {
    const coin = await em.findOneOrFail(Coin, { name: 'penny' })
    await em.fork().nativeUpdate(Coin, coin.id, { version: coin.version + 1 })
    coin.name = 'stale'
    await em.flush()
  })
}

const wordless = (t: Test, body: string) =>
  t.notMatch(body, /coin|insert|select|secret|constraint|ECONN|127\.0|::1|localhost|detail:/i)

await forEachDatabase(t, { entities: [Coin] }, async (t, { orm }) => {
  const serve = async (t: Test, before?: (app: FastifyInstance) => void): Promise<FastifyInstance> => {
    const app = newServer(t)
    before?.(app)
    await app.register(crudKit, { orm })
    addRoutes(app)
    return app
  }
  await orm.em.fork().insert(Coin, { name: 'penny', version: 1 })

  t.test('answers equal those of generated routes, without the words of the database', async (t) => {
    const app = await serve(t)
    for (const [method, url, status, code] of [
      ['POST', '/coins/penny', 409, 'FST_CRUD_CONFLICT'],
      ['POST', '/coins/muchtoolong', 400, 'FST_CRUD_DATA_INVALID'],
      ['GET', '/mistake', 500, 'FST_CRUD_DATABASE_ERROR'],
      ['GET', '/stale', 412, 'FST_CRUD_PRECONDITION_FAILED'],
    ] as const) {
      const response = await app.inject({ method, url })
      t.strictSame([response.statusCode, bodyOf(response).code], [status, code], url)
      wordless(t, response.body)
    }
    for (const url of ['/find', '/transaction', '/hook', '/reply']) t.equal((await app.inject(url)).statusCode, 200)
  })

  t.test('a mistake in SQL of the application is a 500 and is logged, a value for a wrong type is a 400', async (t) => {
    const log = keptLog()
    const app = newServer(t, { logger: { level: 'error', stream: log.stream } })
    await app.register(crudKit, { orm })
    addRoutes(app)
    for (const sql of [
      '1 / 0', 'ln(0)', 'power(0, -1)', 'width_bucket(1, 2, 2, 0)', "substring('a' from 1 for -1)",
      'array_fill(1, null)', 'ntile(0) over ()',
    ] as const) {
      log.clear()
      const response = await app.inject({ url: '/own-sql', query: { sql } })
      t.strictSame([response.statusCode, bodyOf(response).code], [500, 'FST_CRUD_DATABASE_ERROR'], sql)
      const [{ err }] = log.lines
      t.match(err.code, 'FST_CRUD_DATABASE_ERROR', 'is logged')
      t.match(err.stack, /caused by: .*Exception/, 'with its cause')
      wordless(t, response.body)
    }
    for (const [sql, value] of [
      ['?::int', 'x'], ['?::int', '3000000000'], ['?::date', '2024-02-30'], ['?::date', 'soon'], ['?::uuid', 'x'],
      ['?::jsonb', '{'], ['?::int4range', '[5,1]'], ['now() at time zone ?', 'nowhere'], ["decode(?, 'hex')", 'x'],
      ["'a' ~ ?", '('], ['1 limit ?', '-1'], ['1 offset ?', '-1'], ["'a' like ?", '\\'],
    ] as const) {
      const response = await app.inject({ url: '/own-sql', query: { sql, value } })
      t.strictSame([response.statusCode, bodyOf(response).code], [400, 'FST_CRUD_DATA_INVALID'], `${sql} ${value}`)
      wordless(t, response.body)
    }
  })

  t.test('any other error is unchanged', async (t) => {
    const app = await serve(t)
    const probe = net.createServer().listen(0, '127.0.0.1')
    await once(probe, 'listening')
    const { port } = probe.address() as net.AddressInfo
    probe.close()
    app.get('/elsewhere', async () => await once(http.get({ port, host: '127.0.0.1' }), 'response'))
    app.get('/own', async () => {
      throw Object.assign(new Error('no such coin'), { statusCode: 418 })
    })
    app.get('/text', async () => {
      throw 'text' // eslint-disable-line no-throw-literal -- the input of the test
    })
    t.match(bodyOf(await app.inject('/elsewhere')), { statusCode: 500, code: 'ECONNREFUSED', message: /ECONNREFUSED/ },
      'the database is not to blame')
    t.match(bodyOf(await app.inject('/own')), { statusCode: 418, message: 'no such coin' })
    const plain = newServer(t)
    plain.get('/text', async () => {
      throw 'text' // eslint-disable-line no-throw-literal -- the input of the test
    })
    const [ours, theirs] = [await app.inject('/text'), await plain.inject('/text')]
    t.strictSame([ours.statusCode, ours.body], [theirs.statusCode, theirs.body])
  })

  t.test("an application's own handler gets the thrown error once, and may convert it", async (t) => {
    const seen: unknown[] = []
    const handle = (app: FastifyInstance) =>
      app.setErrorHandler((error, _request, reply) => {
        seen.push(error)
        return reply.send(toCrudError(error))
      })
    let hooked = 0
    for (const when of ['before', 'after', 'route', 'inside'] as const) {
      const app = await serve(t, when === 'before' ? handle : undefined)
      app.addHook('onError', async () => {
        hooked++
      })
      if (when === 'after') handle(app)
      const route = {
        method: 'POST', url: '/own',
        handler: async ({ em }: any) => await em.insert(Coin, { name: 'penny', version: 1 }),
      } as const
      if (when === 'inside') {
        await app.register(async (app) => {
          handle(app).route(route)
        })
      } else {
        app.route({
          ...route,
          ...(when === 'route' && {
            errorHandler: (error, _request, reply) => {
              seen.push(error)
              return reply.send(toCrudError(error))
            },
          }),
        })
      }
      const response = await app.inject({ method: 'POST', url: '/own' })
      t.equal(response.statusCode, 409, when)
      t.ok(seen.pop() instanceof UniqueConstraintViolationException, when)
      t.equal(seen.length, 0)
      t.equal(hooked, 1)
      hooked = 0
    }
  })
})

t.test('an outage answers 503', { skip: await findPostgres() === undefined && 'no PostgreSQL binaries' }, async (t) => {
  const server = await startPostgres()
  t.teardown(() => server.stop())
  const database = new DatabaseFactory({
    databaseUrl: server.url, entities: [Coin], schema: 'create', pool: { max: 2, connectionTimeoutMillis: 20_000 },
  })
  const orm = await MikroORM.init({ entities: [Coin], clientUrl: server.url })
  t.teardown(() => orm.close(true))
  const apps = [Fastify(), Fastify()] as const
  for (const [index, options] of [{ database }, { orm }].entries()) {
    const app = apps[index]!
    t.teardown(() => app.close())
    await app.register(crudKit, options)
    addRoutes(app)
  }
  const requests = [
    ...['/find', '/sql', '/transaction', '/ours', '/hook', '/reply'].map((url) => ({ method: 'GET', url } as const)),
    { method: 'POST', url: '/coins/dime' } as const,
  ]
  for (const request of requests) t.equal((await apps[0].inject(request)).statusCode, 200, request.url)
  await apps[1].inject('/find')
  await server.stop()
  // the requests that notice the outage, and later ones
  for (
    const [app, request] of apps.flatMap((app) => [...requests, ...requests].map((request) => [app, request] as const))
  ) {
    const response = await app.inject(request)
    t.strictSame([response.statusCode, bodyOf(response).code, response.headers['retry-after']], [
      503, 'FST_CRUD_UNAVAILABLE', '1',
    ], request.url)
    wordless(t, response.body)
  }
})
