/** When a server's database opens and closes, and how requests wait for a connection, on real sockets. */
import Fastify from 'fastify'
import { once } from 'node:events'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import pg from 'pg'
import t, { type Test } from 'tap'
import { crudKit, DatabaseFactory, type DatabaseOptions } from '../../src/index.ts'
import { entities, Plant } from '../fixtures/entities.ts'
import { createDatabase, skipReasons } from '../helpers/databases.ts'
import { until } from '../helpers/until.ts'
import { bodyOf, resource } from './helper.ts'

t.test('PostgreSQL', { skip: skipReasons.postgres }, async (t) => {
  const { url, drop } = await createDatabase()
  const watcher = new pg.Client({ connectionString: url, application_name: 'watcher' })
  await watcher.connect()
  t.teardown(async () => {
    await watcher.end()
    await drop()
  })

  const database = (options: Partial<DatabaseOptions> = {}) =>
    new DatabaseFactory({ databaseUrl: url, entities, schema: 'create', ...options })
  const serve = async (t: Test, factory: DatabaseFactory) => {
    const app = Fastify()
    t.teardown(() => app.close())
    await app.register(crudKit, { database: factory, resources: { '/plants': resource(Plant) } })
    app.get('/slow', async ({ em }) => {
      await em.execute('select pg_sleep(0.3)')
      // on a connection that the handler requests after the server was told to close
      return { plants: await resource(Plant).count(em) }
    })
    await app.listen({ port: 0, host: '127.0.0.1' })
    return { app, at: `http://127.0.0.1:${(app.server.address() as AddressInfo).port}` }
  }
  const select = async (sql: string) => (await watcher.query(sql)).rows
  const connections = async () =>
    (await select(
      "select 1 from pg_stat_activity where datname = current_database() and application_name = 'fastify-crud-kit'"
    )).length

  t.test('a factory shared by two servers is closed by the last one', async (t) => {
    const factory = database()
    const [one, two] = [await serve(t, factory), await serve(t, factory)]
    await one.app.close()
    t.equal(await two.app.orm.isConnected(), true)
    t.equal((await fetch(`${two.at}/plants`)).status, 200)
    await two.app.close()
    await until(async () => await connections() === 0)
  })

  t.test('a server that failed to start leaves no connection behind', async (t) => {
    const app = Fastify()
    await t.rejects(async () => {
      await app.register(crudKit, {
        database: database({ pool: { min: 1 } }),
        resources: { '/plants': resource(Plant, { allowedFilters: ['nmae'] }) },
      })
      await app.ready()
    }, { code: 'FST_CRUD_CONFIG_INVALID', message: /nmae/ })
    await until(async () => await connections() === 0)
    await app.close()
  })

  t.test('requests in flight are finished before the database is closed', async (t) => {
    const { app, at } = await serve(t, database({ pool: { max: 1 } }))
    // a kept-alive connection would keep the server open, as always in Fastify
    const slow = once(http.get(`${at}/slow`, { agent: false }), 'response')
    await until(async () =>
      (await select("select 1 from pg_stat_activity where state = 'active' and query = 'select pg_sleep(0.3)'"))
        .length === 1
    )
    const closed = app.close()
    const [response] = await slow
    t.equal(response.statusCode, 200)
    t.strictSame(JSON.parse((await response.toArray()).join('')), { plants: 0 })
    await closed
    await until(async () => await connections() === 0)
  })

  t.test('a full queue answers 503 at once, and a client that goes away gives up its place', async (t) => {
    const factory = database({ pool: { max: 1, queueLimit: 1, connectionTimeoutMillis: 60_000 } })
    const { app, at } = await serve(t, factory)
    const { em } = await factory.getEngine()
    const holder = em.fork()
    await holder.begin()
    await holder.execute('select 1')
    const pool = await em.getConnection().getNativeClient()

    const leaving = http.get(`${at}/plants`).on('error', () => {})
    await until(() => pool.waitingCount === 1)
    const refused = await app.inject('/plants')
    t.equal(refused.statusCode, 503)
    t.equal(refused.headers['retry-after'], '1')
    t.match(bodyOf(refused), { code: 'FST_CRUD_UNAVAILABLE' })

    leaving.destroy()
    // the place is free once the server notices; until then, the answer is 503
    let next: Promise<Response>
    for (;;) {
      next = fetch(`${at}/plants`)
      const waits = Symbol('waits')
      const first = await Promise.race([next, until(() => pool.waitingCount === 2).then(() => waits)])
      if (first === waits) break
      t.equal((first as Response).status, 503)
    }
    await holder.rollback()
    t.equal((await next).status, 200)
    t.equal(pool.waitingCount, 0)
  })

  t.test('a request waits for a connection as long as configured', async (t) => {
    const factory = database({ pool: { max: 1, connectionTimeoutMillis: 3_000 } })
    const { app } = await serve(t, factory)
    const holder = (await factory.getEngine()).em.fork()
    await holder.begin()
    await holder.execute('select 1')
    const response = await app.inject('/plants')
    t.equal(response.statusCode, 503)
    t.equal(response.headers['retry-after'], '1')
    await holder.rollback()
    t.equal((await app.inject('/plants')).statusCode, 200)
  })
})
