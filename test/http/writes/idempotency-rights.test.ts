/** An answer by a key is repeated only to requests with the same rights, also to the records that a write refers to. */
import { defineEntity, p } from '@mikro-orm/core'
import t from 'tap'
import { AllowedFilters, CrudBase, crudKit, IdempotencyRecord, type CrudKitOptions } from '../../../src/index.ts'
import { forOneDatabase } from '../../helpers/databases.ts'
import { newServer } from '../../helpers/server.ts'
import { select, verdict } from '../helper.ts'

const MISMATCH = '422 FST_CRUD_IDEMPOTENCY_MISMATCH'

const Owner = defineEntity({
  name: 'Owner', properties: { id: p.integer().primary(), tenant: p.integer() },
  filters: { ofTenant: { name: 'ofTenant', cond: ({ tenant }) => ({ tenant }), default: true } },
})
const Room = defineEntity({
  name: 'Room', properties: { id: p.integer().primary(), tenant: p.integer() },
})
const Part = defineEntity({
  name: 'Part',
  properties: { id: p.integer().primary(), thing: () => p.manyToOne(Thing), owner: () => p.manyToOne(Owner) },
})
const Thing = defineEntity({
  name: 'Thing',
  properties: {
    id: p.integer().primary(), title: p.string(), owner: () => p.manyToOne(Owner).nullable(),
    room: () => p.manyToOne(Room).nullable(), guests: () => p.manyToMany(Owner),
    parts: () => p.oneToMany(Part).mappedBy('thing'),
  },
  filters: {
    mine: { name: 'mine', cond: ({ tenant }) => ({ room: { tenant } }) },
    all: { name: 'all', cond: { id: { $gt: 0 } } },
  },
})

/** The record that writes of tenant 1 find. */
const OWNED = "insert into thing (id, title, owner_id, room_id) values (101, 'a', 1, 1) on conflict do nothing"

/** The tenant is an argument of a filter of MikroORM, or it decides which rooms a role may use. */
const things = (writable: readonly unknown[], filter: object) => ({
  crud: new CrudBase<any>({
    model: Thing, writable: writable as never,
    queryConfig: { allowedFilters: [filter as never] },
  }) as CrudBase,
  operations: ['create', 'update', 'updateMany', 'deleteMany'] as const,
  idempotency: { principal: () => 'me' },
})
const options: Partial<CrudKitOptions> = {
  resources: {
    '/titles': things(['title'], AllowedFilters.exact('id')),
    '/owned': things(['title'], AllowedFilters.exact('owner.id')),
    '/mine': things(['title'], AllowedFilters.scope('mine')),
    '/all': things(['title'], AllowedFilters.scope('all')),
    '/things': things(
      ['title', 'owner', 'room', 'guests', { parts: ['owner'] }],
      AllowedFilters.exact('room.id')
    ),
  },
  access: {
    role: () => 'tenant',
    roles: {
      tenant: {
        Thing: true, Part: true, Owner: true,
        Room: { rows: ({ headers }) => ({ tenant: Number(headers['x-tenant']) }) },
      },
    },
  },
}

await forOneDatabase(t, { entities: [Owner, Room, Part, Thing, IdempotencyRecord] }, async (t, { orm }) => {
  await select(orm, 'insert into owner (id, tenant) values (1, 1)')
  await select(orm, 'insert into room (id, tenant) values (1, 1)')
  await select(orm, "insert into thing (id, title) values (102, 'b')")
  const app = newServer(t)
  app.addHook('onRequest', async ({ em, headers }) => {
    const tenant = Number(headers['x-tenant'])
    em.setFilterParams('ofTenant', { tenant })
    em.setFilterParams('mine', { tenant })
  })
  await app.register(crudKit, { orm, indexAdvice: false, ...options })
  const sending = (method: 'POST' | 'PATCH' | 'DELETE', url: string, payload?: object) =>
    (key: string, tenant: string) =>
      app.inject({
        method, url, ...payload !== undefined && { payload },
        headers: { 'idempotency-key': `"${key}"`, 'x-tenant': tenant },
      })

  for (const [what, method, url, payload] of [
    ['a removal of the records that a filter by an owner finds', 'DELETE', '/owned?filter[owner.id]=1', undefined],
    ['an update of the records that a filter by an owner finds', 'PATCH', '/owned?filter[owner.id]=1', { title: 'c' }],
    ['an update of the records that a filter by a room finds', 'PATCH', '/things?filter[room.id]=1', { title: 'd' }],
    ['a removal of the records that a switched filter finds', 'DELETE', '/mine?filter[mine]=true', undefined],
    ['an update of the records that a switched filter finds', 'PATCH', '/mine?filter[mine]=true', { title: 'i' }],
    ['a new record of an owner', 'POST', '/things', { title: 'e', owner: 1 }],
    ['a new record in a room', 'POST', '/things', { title: 'f', room: 1 }],
    ['a new record with links', 'POST', '/things', { title: 'g', guests: [1] }],
    ['a child of an owner', 'PATCH', '/things/101', { parts: { add: [{ owner: 1 }] } }],
  ] as const) {
    t.test(`another tenant does not get the answer of ${what}`, async (t) => {
      const send = sending(method, url, payload)
      await select(orm, OWNED)
      const first = await send(what, '1')
      t.ok(first.statusCode < 300, `${first.statusCode} ${first.body}`)
      t.equal((await send(what, '1')).headers['idempotency-replayed'], 'true')
      t.equal(verdict(await send(what, '2')), MISMATCH)
    })
  }

  t.test('a switched filter without parameters of the request makes no difference', async (t) => {
    const send = sending('PATCH', '/all?filter[all]=true', { title: 'j' })
    t.equal((await send('all', '1')).statusCode, 200)
    t.equal((await send('all', '2')).headers['idempotency-replayed'], 'true')
  })

  t.test('filters of entities that a write cannot lead to make no difference', async (t) => {
    const send = sending('PATCH', '/titles/102', { title: 'h' })
    t.equal((await send('other', '1')).statusCode, 200)
    t.equal((await send('other', '2')).headers['idempotency-replayed'], 'true')
  })
})
