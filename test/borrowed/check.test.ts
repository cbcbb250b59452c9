/** Versions of dependencies without members that this package borrows. */
import Fastify from 'fastify'
import type pg from 'pg'
import t from 'tap'
import { checkClient, checkMikroOrm } from '../../src/borrowed/check-borrowed.ts'
import { ConfigError } from '../../src/base/errors.ts'
import { CrudBase, crudKit, parseQueryParams } from '../../src/index.ts'
import { forEachDatabase } from '../helpers/databases.ts'
import { Lent } from './helper.ts'

await forEachDatabase(t, { entities: [Lent] }, async (t, { orm, name }) => {
  t.test('a version without a member is refused with a sentence', async (t) => {
    checkMikroOrm(orm)
    const kysely = orm.em.getConnection().getClient()
    const client = await orm.em.getConnection().getNativeClient() as unknown as pg.Pool
    checkClient(kysely, client)
    Object.defineProperty(orm.em, 'getTransactionSessionContext', { value: undefined, configurable: true })
    t.teardown(() => Reflect.deleteProperty(orm.em, 'getTransactionSessionContext'))
    t.throws(() => checkMikroOrm(orm), {
      constructor: ConfigError,
      message:
        /^@mikro-orm\/core \d\S+ has no EntityManager.getTransactionSessionContext, .* Install version \d\S+ of /,
    })
    const app = Fastify()
    t.teardown(() => app.close())
    await t.rejects(async () => await app.register(crudKit, { orm }), { code: 'FST_CRUD_CONFIG_INVALID' })
    t.throws(() => checkClient({}, client), { message: /^kysely.* has no Kysely.getExecutor/ })
    if (name === 'pglite') return
    const pool = Object.create(client, { _clients: { value: undefined } })
    t.throws(() => checkClient(kysely, pool), { message: /^pg \d\S+ has no Pool._clients/ })
  })

  t.test('a server does not start on such a pool', { skip: name === 'pglite' && 'it has no pool' }, async (t) => {
    const pool = await orm.em.getConnection().getNativeClient() as unknown as { _clients?: unknown }
    const { _clients: clients } = pool
    pool._clients = undefined
    const app = Fastify()
    t.teardown(async () => {
      pool._clients = clients
      await app.close()
    })
    await app.register(crudKit, { orm })
    await t.rejects(async () => await app.ready(), { code: 'FST_CRUD_CONFIG_INVALID', message: /Pool\._clients/ })
  })

  t.test('a version without a member that can be spared works', async (t) => {
    const em = orm.em.fork()
    for (const [owner, name] of [[em, 'getAbortOptions'], [em.getConnection(), 'logQuery']] as const) {
      Object.defineProperty(owner, name, { value: undefined, configurable: true })
      t.teardown(() => Reflect.deleteProperty(owner, name))
    }
    checkMikroOrm(orm)
    const crud = new CrudBase({ model: Lent, writable: 'all', queryConfig: {} })
    t.equal((await crud.list(em, parseQueryParams('')) as { total: number }).total, 0)
  })
})
