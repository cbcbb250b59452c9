/** The statement timeout, on connections of an ORM that is passed in, and while tables are created. */
import { MikroORM, p, raw } from '@mikro-orm/postgresql'
import Fastify from 'fastify'
import pg from 'pg'
import t, { type Test } from 'tap'
import { AllowedFilters, crudKit, DatabaseFactory, type CrudKitOptions } from '../../src/index.ts'
import { Account } from '../helpers/accounts.ts'
import { createDatabase, skipReasons } from '../helpers/databases.ts'
import { keptLog } from '../helpers/log.ts'
import { resource } from '../http/helper.ts'
import { entity } from '../helpers/entity.ts'

t.test('PostgreSQL', { skip: skipReasons.postgres }, async (t) => {
  const { url, drop } = await createDatabase()
  t.teardown(drop)
  const slow = AllowedFilters.custom('slow', (qb: any) => qb.andWhere(raw('(select pg_sleep(20)) is not null')))
  const slowly = AllowedFilters.custom('slowly', (qb: any) => qb.andWhere(raw('(select pg_sleep(2)) is not null')))
  const serve = async (t: Test, more: Partial<CrudKitOptions>) => {
    const orm = await MikroORM.init({ clientUrl: url, entities: [Account], pool: { max: 2 } })
    await orm.schema.update()
    const app = Fastify()
    t.teardown(async () => {
      await app.close()
      await orm.close(true)
    })
    await app.register(crudKit, {
      orm, resources: { '/accounts': resource(Account, { allowedFilters: [slow] }) }, indexAdvice: false, ...more,
    })
    app.get('/limit', async (request) => await request.em.execute('show statement_timeout'))
    return app
  }

  t.test('a statement that exceeds the timeout is a 503 with Retry-After', async (t) => {
    const app = await serve(t, { statementTimeoutMillis: 2_000 })
    const response = await app.inject('/accounts?filter[slow]=yes')
    t.match([response.statusCode, response.json().code, response.headers['retry-after']], [
      503, 'FST_CRUD_UNAVAILABLE', '1',
    ])
    const limits = await Promise.all(
      Array.from({ length: 4 }, async () => (await app.inject('/limit')).json()[0].statement_timeout)
    )
    t.strictSame(limits, Array(4).fill('2s'), 'on connections that were there, and on new ones')
  })

  t.test('the timeout does not apply to streams, which have their own limit', async (t) => {
    const app = await serve(t, {
      statementTimeoutMillis: 2_000,
      resources: { '/accounts': { crud: resource(Account, { allowedFilters: [slowly] }), stream: true } },
    })
    await app.ready()
    const em = app.orm.em.fork()
    await em.execute('delete from account')
    await em.execute("insert into account (id, owner, balance) values (1, 'Ada', 1), (2, 'Bob', 2)")
    const { statusCode, body } = await app.inject({
      url: '/accounts?filter[slowly]=yes',
      headers: { accept: 'application/x-ndjson' },
    })
    t.strictSame([statusCode, body.split('\n').slice(0, -1).map((line) => JSON.parse(line).owner)], [200, [
      'Ada',
      'Bob',
    ]])
    t.equal((await app.inject('/accounts?filter[slowly]=yes')).statusCode, 503, 'it does for everything else')
    const limits = await Promise.all([1, 2].map(async () => (await app.inject('/limit')).json()[0].statement_timeout))
    t.strictSame(limits, ['2s', '2s'], 'also on the connection that the stream had')
  })

  t.test("without the option, the setting of the database's owner applies", async (t) => {
    t.equal((await (await serve(t, {})).inject('/limit')).json()[0].statement_timeout, '0')
  })

  t.test('the timeout applies on every replica', async (t) => {
    const replicas = Array.from({ length: 3 }, (_, index) => ({ name: `replica ${index}`, clientUrl: url }))
    const orm = await MikroORM.init({ clientUrl: url, entities: [Account], replicas })
    const app = Fastify()
    t.teardown(async () => {
      await app.close()
      await orm.close(true)
    })
    await app.register(crudKit, { orm, statementTimeoutMillis: 2_000 })
    // a read uses one of them by chance, so this reaches all three with near certainty
    const limits = await Promise.all(
      Array.from({ length: 40 }, () => orm.em.getConnection('read').execute('show statement_timeout'))
    )
    t.strictSame(new Set(limits.map(([row]) => row!.statement_timeout)), new Set(['2s']))
  })

  t.test('a connection on which the timeout cannot be set is logged', async (t) => {
    const orm = await MikroORM.init({ clientUrl: url, entities: [Account], pool: { max: 1 } })
    const log = keptLog()
    const app = Fastify({ logger: { level: 'error', stream: log.stream } })
    t.teardown(async () => {
      await app.close()
      await orm.close(true)
    })
    const em = orm.em.fork()
    await em.begin()
    // from now on, the server refuses all statements of this transaction
    await t.rejects(em.execute('select 1 / 0'))
    await app.register(crudKit, { orm, statementTimeoutMillis: 2_000, indexAdvice: false })
    await em.rollback()
    const { lines } = log
    t.match(lines, [
      { msg: 'A connection of the orm has no statement timeout, because it could not be set.', err: { code: '25P02' } },
    ])
    t.equal(lines.length, 1)
  })

  t.test('a database has its own option', async (t) => {
    const app = Fastify()
    t.teardown(() => app.close())
    await t.rejects(
      async () =>
        await app.register(crudKit, { database: { databaseUrl: url, entities: [Account] }, statementTimeoutMillis: 5 }),
      { code: 'FST_CRUD_CONFIG_INVALID', message: /write it into 'database'/ }
    )
  })

  t.test('tables are created without the timeout', async (t) => {
    const client = new pg.Client({ connectionString: url })
    await client.connect()
    t.teardown(() => client.end())
    const { rows: [server] } = await client.query('show statement_timeout')
    // the default of a new column is evaluated for existing rows while the statement runs
    const Note = entity('TimedNote', {
      id: p.integer().primary(),
      limit: p.text().defaultRaw("current_setting('statement_timeout')"),
    })
    const made = async (schema: 'create' | 'update', more: object = {}): Promise<unknown[]> => {
      await client.query('create table timed_note (id int primary key); insert into timed_note values (1)')
      const factory = new DatabaseFactory({ databaseUrl: url, entities: [Note], schema, ...more })
      t.teardown(() => factory.close())
      const session = (await factory.getEngine()).em.fork()
      const [[note], [own]] = [
        await session.execute('select "limit" from timed_note'),
        await session.execute('show statement_timeout'),
      ]
      await client.query('drop table timed_note')
      return [note!.limit, own!.statement_timeout]
    }
    const unlimited = server.statement_timeout
    t.strictSame(await made('create'), [unlimited, '30s'])
    t.strictSame(await made('update', { statementTimeoutMillis: 2_500 }), [unlimited, '2500ms'])
    t.strictSame(await made('create', { statementTimeoutMillis: 0 }), [unlimited, unlimited])
    t.strictSame(await made('create', { databaseUrl: `${url}?statement_timeout=900` }), ['900ms', '900ms'],
      "the URL's holds for all statements")
  })
})
