/** Answers of writes on a Citus cluster are kept in a table of one node, or in a reference table. */
import { defineEntity, p } from '@mikro-orm/core'
import t from 'tap'
import { ConfigError, CrudBase, crudKit, distributedBy, IdempotencyRecord } from '../../src/index.ts'
import { newServer } from '../helpers/server.ts'
import { createClusterDatabase, execute, openWithTables, skip } from './cluster.ts'

const { key } = distributedBy('tenant_id', { tenant_id: p.integer().primary() })
const Task = defineEntity({ name: 'Task', tableName: 'task', properties: { ...key, title: p.string() } })

for (const [layout, sql] of [
  ['a plain table', 'select 1'],
  ['a local table that all nodes know', "select citus_add_local_table_to_metadata('idempotency_records')"],
  ['a reference table', "select create_reference_table('idempotency_records')"],
  ['a distributed table', "select create_distributed_table('idempotency_records', 'key')"],
] as const) {
  await t.test(layout, { skip }, async (t) => {
    const database = await createClusterDatabase()
    t.teardown(database.drop)
    const orm = await openWithTables(database.url, [Task, IdempotencyRecord], [
      "select create_distributed_table('task', 'tenant_id')",
      sql,
    ])
    t.teardown(() => orm.close(true))
    const app = newServer(t)
    await app.register(crudKit, {
      orm,
      resources: {
        '/tasks': {
          crud: new CrudBase({ model: Task, writable: ['title'] }), operations: ['create'],
          scope: () => ({ tenant_id: 1 }), idempotency: true,
        },
      },
    })
    if (layout === 'a distributed table') {
      await t.rejects(Promise.resolve(app.ready()), { constructor: ConfigError, message: /undistribute_table/ })
      return
    }
    const create = (key: string, title = 'x') =>
      app.inject({ method: 'POST', url: '/tasks', headers: { 'idempotency-key': key }, payload: { title } })
    const first = await create('a')
    t.equal(first.statusCode, 201)
    const second = await create('a')
    t.strictSame([second.body, second.headers['idempotency-replayed']], [first.body, 'true'])
    t.equal((await create('a', 'y')).statusCode, 422)
    const race = await Promise.all(Array.from({ length: 8 }, () => create('b')))
    t.ok(race.every(({ statusCode }) => statusCode === 201 || statusCode === 409))
    t.equal(new Set(race.filter(({ statusCode }) => statusCode === 201).map(({ body }) => body)).size, 1)
    await execute(database.url, "update idempotency_records set expires_at = now() - interval '1 second'")
    for (let writes = 0; writes < 16; writes++) t.equal((await create(`c${writes}`)).statusCode, 201)
    t.strictSame(await execute(database.url, 'select count(*)::int as n from idempotency_records'), [{ n: 16 }])
    t.strictSame(await execute(database.url, 'select count(*)::int as n from task'), [{ n: 18 }])
  })
}
