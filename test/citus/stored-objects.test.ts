/** Embedded objects in JSON columns of a distributed table. An update keeps their hidden members. */
import { defineEntity, p } from '@mikro-orm/core'
import { randomUUID } from 'node:crypto'
import t from 'tap'
import { crudKit, CrudBase } from '../../src/index.ts'
import { newServer } from '../helpers/server.ts'
import { createClusterDatabase, execute, openWithTables, skip } from './cluster.ts'

const Lock = defineEntity({
  name: 'Lock', embeddable: true, properties: { kind: p.string(), code: p.string().hidden().nullable() },
})
const Door = defineEntity({
  name: 'Door',
  embeddable: true,
  properties: { color: p.string(), secret: p.string().hidden().nullable(), lock: () => p.embedded(Lock).object() },
})
const House = defineEntity({
  name: 'House',
  properties: {
    tenant_id: p.integer().primary(), id: p.uuid().primary().onCreate(() => randomUUID()),
    door: () => p.embedded(Door).object(),
  },
})

await t.test('an update keeps the hidden members of objects', { skip }, async (t) => {
  const { url, drop } = await createClusterDatabase()
  t.teardown(drop)
  const orm = await openWithTables(url, [House, Door, Lock], ["select create_distributed_table('house', 'tenant_id')"])
  t.teardown(() => orm.close(true))
  const app = newServer(t)
  await app.register(crudKit, {
    orm,
    resources: {
      '/houses': {
        crud: new CrudBase({ model: House, writable: 'all' }),
        scope: () => ({ tenant_id: 1 }),
        operations: ['get', 'create', 'update'],
      },
    } as never,
  })
  const made = await app.inject({
    method: 'POST', url: '/houses', payload: { door: { color: 'red', lock: { kind: 'bolt' } } },
  })
  t.equal(made.statusCode, 201, made.body)
  await execute(
    url,
    'update house set door = \'{"color":"red","secret":"s","lock":{"kind":"bolt","code":"c"}}\' ' +
      'where tenant_id = 1'
  )
  const door = { color: 'blue', lock: { kind: 'chain' } }
  const changed = await app.inject({ method: 'PATCH', url: `/houses/1/${made.json().id}`, payload: { door } })
  t.equal(changed.statusCode, 200, changed.body)
  t.strictSame(changed.json().door, door)
  t.strictSame((await execute(url, 'select door from house'))[0].door, {
    color: 'blue', secret: 's', lock: { kind: 'chain', code: 'c' },
  })
})
