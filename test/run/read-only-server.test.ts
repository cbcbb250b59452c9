/** A server that refuses to write, such as one that a failover has left behind. */
import Fastify from 'fastify'
import t from 'tap'
import { crudKit } from '../../src/index.ts'
import { Account, accounts } from '../helpers/accounts.ts'
import { databases, skipReasons } from '../helpers/databases.ts'

const [name, open] = databases[1]!
await t.test(name, { skip: skipReasons[name] }, async (t) => {
  const { orm, close } = await open({ entities: [Account], orm: { pool: { min: 0, max: 1 } } })
  t.teardown(close)
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(crudKit, { orm, resources: { '/accounts': accounts } })
  const create = () => app.inject({ method: 'POST', url: '/accounts', payload: { owner: 'x' } })
  t.equal((await create()).statusCode, 201)
  // the one connection of the pool is to such a server, a new one is not
  await orm.em.getConnection().execute('set session characteristics as transaction read only')
  t.match(await app.crudHealth(), { status: 'degraded', writer: { status: 'read-only' } })
  t.equal((await app.inject('/accounts')).statusCode, 200, 'it can be read from')
  const refused = await create()
  t.strictSame([refused.statusCode, refused.json().code], [503, 'FST_CRUD_UNAVAILABLE'])
  t.ok(Number(refused.headers['retry-after']) > 0)
  t.equal((await create()).statusCode, 201, 'the connection has been given up')
  t.match(await app.crudHealth(), { status: 'up' })
})
