/** How long a statement may take, on connections of an ORM that is given. */
import { MikroORM, raw } from '@mikro-orm/postgresql'
import Fastify from 'fastify'
import t, { type Test } from 'tap'
import { AllowedFilters, crudKit, type CrudKitOptions } from '../../src/index.ts'
import { Account } from '../helpers/accounts.ts'
import { createDatabase, skipReasons } from '../helpers/databases.ts'
import { resource } from '../http/helper.ts'

t.test('PostgreSQL', { skip: skipReasons.postgres }, async (t) => {
  const { url, drop } = await createDatabase()
  t.teardown(drop)
  const slow = AllowedFilters.custom('slow', (qb: any) => qb.andWhere(raw('(select pg_sleep(20)) is not null')))
  const slowly = AllowedFilters.custom('slowly', (qb: any) => qb.andWhere(raw('(select pg_sleep(0.5)) is not null')))
  const serve = async (t: Test, more: Partial<CrudKitOptions>) => {
    const orm = await MikroORM.init({ clientUrl: url, entities: [Account], pool: { max: 2 } })
    await orm.schema.update()
    const app = Fastify()
    t.teardown(async () => {
      await app.close()
      await orm.close(true)
    })
    await app.register(crudKit, { orm, resources: { '/accounts': resource(Account, { allowedFilters: [slow] }) }, indexAdvice: false, ...more })
    app.get('/limit', async (request) => await request.em.execute('show statement_timeout'))
    return app
  }

  t.test('a statement that takes longer is a 503 that invites to come back', async (t) => {
    const app = await serve(t, { statementTimeoutMillis: 200 })
    const response = await app.inject('/accounts?filter[slow]=yes')
    t.match([response.statusCode, response.json().code, response.headers['retry-after']], [503, 'FST_CRUD_UNAVAILABLE', '1'])
    const limits = await Promise.all(Array.from({ length: 4 }, async () => (await app.inject('/limit')).json()[0].statement_timeout))
    t.strictSame(limits, Array(4).fill('200ms'), 'on connections that were there, and on new ones')
  })

  t.test('it does not hold for streams, which have a limit of their own', async (t) => {
    const app = await serve(t, { statementTimeoutMillis: 200, resources: { '/accounts': { crud: resource(Account, { allowedFilters: [slowly] }), stream: true } } })
    await app.ready()
    const em = app.orm.em.fork()
    await em.execute('delete from account')
    await em.execute("insert into account (id, owner, balance) values (1, 'Ada', 1), (2, 'Bob', 2)")
    const { statusCode, body } = await app.inject({ url: '/accounts?filter[slowly]=yes', headers: { accept: 'application/x-ndjson' } })
    t.strictSame([statusCode, body.split('\n').slice(0, -1).map((line) => JSON.parse(line).owner)], [200, ['Ada', 'Bob']])
    t.equal((await app.inject('/accounts?filter[slowly]=yes')).statusCode, 503, 'it does for everything else')
    const limits = await Promise.all([1, 2].map(async () => (await app.inject('/limit')).json()[0].statement_timeout))
    t.strictSame(limits, ['200ms', '200ms'], 'also on the connection that the stream had')
  })

  t.test('without the option it is the owner\'s', async (t) => {
    t.equal((await (await serve(t, {})).inject('/limit')).json()[0].statement_timeout, '0')
  })

  t.test('a database has the option of its own', async (t) => {
    const app = Fastify()
    t.teardown(() => app.close())
    await t.rejects(async () => await app.register(crudKit, { database: { databaseUrl: url, entities: [Account] }, statementTimeoutMillis: 5 }), { code: 'FST_CRUD_CONFIG_INVALID', message: /write it into 'database'/ })
  })
})
