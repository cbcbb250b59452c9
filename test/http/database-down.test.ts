import Fastify from 'fastify'
import t, { type Test } from 'tap'
import pg from 'pg'
import { crudKit, CrudBase, DatabaseFactory } from '../../src/index.ts'
import { entities, Plant } from '../fixtures/entities.ts'
import { createDatabase, skipReasons } from '../helpers/databases.ts'
import { bodyOf, resource } from './helper.ts'

const UNAVAILABLE = {
  statusCode: 503,
  code: 'FST_CRUD_UNAVAILABLE',
  error: 'Service Unavailable',
  message: 'The database is not available at the moment.',
  detail: 'The database is not available at the moment.',
  errors: [{ code: 'FST_CRUD_UNAVAILABLE', detail: 'The database is not available at the moment.' }],
}

// PGlite runs in this process, so it cannot be down
t.test('PostgreSQL', { skip: skipReasons.postgres }, async (t) => {
  /** A server on its own database. */
  const serve = async (
    t: Test,
    pool: { max: number, connectionTimeoutMillis?: number },
    crud: CrudBase = resource(Plant),
    driverOptions: object = {}
  ) => {
    const { url, drop } = await createDatabase()
    const factory = new DatabaseFactory({
      databaseUrl: url, entities, pool, schema: 'create', ormOptions: { driverOptions },
    })
    const lines: any[] = []
    const app = Fastify({
      logger: {
        level: 'error',
        stream: {
          write: (line: string) => {
            lines.push(JSON.parse(line))
          },
        },
      },
    })
    t.teardown(async () => {
      await app.close()
      await drop()
    })
    await app.register(crudKit, { database: factory, resources: { '/plants': crud } })
    const orm = await factory.getEngine()
    return { app, orm, url, lines, database: new URL(url).pathname.slice(1) }
  }

  const admin = async (t: Test): Promise<pg.Client> => {
    const client = new pg.Client({ connectionString: process.env.DATABASE_URL })
    await client.connect()
    t.teardown(() => client.end())
    return client
  }

  /** The answer says to try again and shows nothing of the database. The log has the cause. */
  const unavailable = async (t: Test, app: Awaited<ReturnType<typeof serve>>['app'], lines: any[], cause: RegExp) => {
    lines.length = 0
    const urls = ['/plants?include=&sort=', '/plants/1', '/plants/00000000-0000-4000-8000-000000000001']
    for (const response of await Promise.all(urls.map((url) => app.inject(url)))) {
      t.equal(response.statusCode, 503)
      t.equal(response.headers['retry-after'], '1')
      t.strictSame(bodyOf(response), UNAVAILABLE)
    }
    t.equal(lines.length, urls.length)
    for (const line of lines) t.match(JSON.stringify(line), cause)
  }

  t.test('a database that is gone answers 503 without SQL, and 200 once it is back', async (t) => {
    const { app, lines, database } = await serve(t, { max: 2 })
    const client = await admin(t)
    t.equal((await app.inject('/plants')).statusCode, 200)
    await client.query(`alter database ${database} allow_connections false`)
    await client.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [database])
    const gone = /not currently accepting connections|Connection terminated|terminating connection/
    await unavailable(t, app, lines, gone)
    await unavailable(t, app, lines, gone)
    await client.query(`alter database ${database} allow_connections true`)
    t.equal((await app.inject('/plants')).statusCode, 200)
    t.equal((await app.inject('/plants/1')).statusCode, 404)
  })

  t.test('an exhausted pool answers 503', async (t) => {
    const { app, lines, orm } = await serve(t, { max: 1, connectionTimeoutMillis: 3_000 })
    const em = orm.em.fork()
    await em.begin()
    await em.execute('select 1')
    await unavailable(t, app, lines, /timeout exceeded/)
    await em.rollback()
    t.equal((await app.inject('/plants')).statusCode, 200)
  })

  t.test('a statement that exceeds its timeout answers 503', async (t) => {
    const crud = resource(Plant)
    const { app, lines, orm } = await serve(t, { max: 2 }, crud, { statement_timeout: 2_000 })
    const em = orm.em.fork()
    await em.begin()
    await em.execute('lock table plant in access exclusive mode')
    await unavailable(t, app, lines, /statement timeout/)
    await em.rollback()
    t.equal((await app.inject('/plants')).statusCode, 200)
  })

  t.test('a missing table is a 500 that does not show its name', async (t) => {
    const { app, lines, orm } = await serve(t, { max: 2 })
    await orm.em.fork().execute('alter table plant rename to plant_moved')
    for (const url of ['/plants', '/plants/1']) {
      lines.length = 0
      const response = await app.inject(url)
      t.strictSame(bodyOf(response), {
        statusCode: 500,
        code: 'FST_CRUD_DATABASE_ERROR',
        error: 'Internal Server Error',
        message: 'The database could not answer the request.',
        detail: 'The database could not answer the request.',
        errors: [{ code: 'FST_CRUD_DATABASE_ERROR', detail: 'The database could not answer the request.' }],
      })
      t.match(JSON.stringify(lines), /relation .*plant.* does not exist/)
    }
  })
})
