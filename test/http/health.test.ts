/** `crudHealth`, alone and as the health check of @fastify/under-pressure. */
import underPressure from '@fastify/under-pressure'
import Fastify from 'fastify'
import pg from 'pg'
import t, { type Test } from 'tap'
import { crudKit, DatabaseFactory, HealthSchema } from '../../src/index.ts'
import { checkHealth } from '../../src/database/index.ts'
import { entities } from '../fixtures/entities.ts'
import { createDatabase, forEachDatabase, skipReasons } from '../helpers/databases.ts'
import { startProxy } from '../helpers/proxy.ts'
import { serve } from './helper.ts'

const up = { status: 'up', millis: Number }

await forEachDatabase(t, { entities }, async (t, { orm, name }) => {
  t.test('a database that answers is up', async (t) => {
    const app = await serve(t, orm)
    const { pool, ...health } = await app.crudHealth()
    t.match(health, { status: 'up', writer: up, replicas: [] })
    if (name === 'pglite') t.equal(pool, undefined)
    else t.match(pool, { size: 1, idle: 1, waiting: 0, max: 5 })
  })

  t.test('replicas that are down degrade the status', async (t) => {
    for (const status of ['lagging', 'down'] as const) {
      const replica = { url: 'postgresql://one/shop', status, lag: 3 }
      t.match(await checkHealth(orm, 20_000, [{ ...replica, status: 'up' }, replica]), {
        status: 'degraded', writer: up, replicas: [{ status: 'up' }, replica],
      })
    }
  })

  t.test('a busy pool does not delay the check', async (t) => {
    const app = await serve(t, orm)
    const holders = Array.from({ length: name === 'pglite' ? 1 : 5 }, () => orm.em.fork())
    for (const em of holders) {
      await em.begin()
      await em.execute('select 1')
    }
    const health = await app.crudHealth({ timeoutMillis: name === 'pglite' ? 50 : 60_000 })
    t.match(health, { status: 'degraded', writer: { status: 'busy' } })
    if (name === 'postgres') t.match(health.pool, { size: 5, idle: 0, waiting: 0 })
    for (const em of holders) await em.rollback()
    t.equal((await app.crudHealth()).status, 'up')
  })
})

t.test('PostgreSQL', { skip: skipReasons.postgres }, async (t) => {
  const start = async (t: Test) => {
    const { url, drop } = await createDatabase()
    const { hostname, port } = new URL(url)
    const proxy = await startProxy(t, { host: hostname, port: Number(port) })
    const through = new URL(url)
    through.host = `127.0.0.1:${proxy.port}`
    const app = Fastify()
    await app.register(crudKit, {
      database: new DatabaseFactory({
        databaseUrl: through.href, entities, pool: { max: 2, connectionTimeoutMillis: 10_000 },
      }),
    })
    const errors: unknown[] = []
    await app.register(underPressure, {
      healthCheck: async () => {
        const health = await app.crudHealth({ timeoutMillis: 10_000 })
        if (health.status === 'down') errors.push(health)
        return health.status !== 'down' && { ...health }
      },
      exposeStatusRoute: { url: '/health', routeOpts: {}, routeResponseSchemaOpts: HealthSchema.properties },
    })
    const admin = new pg.Client({ connectionString: process.env.DATABASE_URL })
    await admin.connect()
    t.teardown(async () => {
      await app.close()
      await admin.end()
      await drop()
    })
    return { app, proxy, admin, errors, database: new URL(url).pathname.slice(1) }
  }

  t.test('the status route of under-pressure has all details, and is a 503 until the database is back', async (t) => {
    const { app, admin, database, errors } = await start(t)
    const health = await app.inject('/health')
    t.equal(health.statusCode, 200)
    t.match(health.json(), { status: 'up', writer: up, replicas: [], pool: { size: 1, idle: 1, waiting: 0, max: 2 } })

    await admin.query(`alter database ${database} allow_connections false`)
    await admin.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [database])
    const gone = await app.inject('/health')
    t.equal(gone.statusCode, 503)
    t.ok(gone.headers['retry-after'])
    t.match(errors, [{ status: 'down', writer: { status: 'down' }, pool: { waiting: 0 } }])
    await admin.query(`alter database ${database} allow_connections true`)
    t.equal((await app.inject('/health')).statusCode, 200)
  })

  t.test('a server that stops answering is reported as down in time, even if the pool is in use', async (t) => {
    const { app, proxy } = await start(t)
    const pool = await app.orm.em.getConnection().getNativeClient()
    const holders = await Promise.all([pool.connect(), pool.connect()])
    proxy.fallSilent()
    t.match(await app.crudHealth({ timeoutMillis: 50 }), {
      status: 'down', writer: { status: 'down' }, pool: { size: 2, idle: 0 },
    })
    for (const holder of holders) holder.release()
    t.match(await app.crudHealth({ timeoutMillis: 50 }), { status: 'down', writer: { status: 'down' } })
    for (const holder of holders) holder.connection.stream.destroy()
  })
})
