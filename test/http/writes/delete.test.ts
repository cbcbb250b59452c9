import t from 'tap'
import { CrudBase } from '../../../src/index.ts'
import {
  entities, AuditEntry, Customer, Label, Offer, Order, OrderItem, Parcel, Plant, Shelf, Supplier, Tag,
} from '../../fixtures/entities.ts'
import { customerId, plantUuid, seed } from '../../fixtures/seed.ts'
import { forEachDatabase } from '../../helpers/databases.ts'
import { bodyOf, resource, select, serve, verdict, writes } from '../helper.ts'

const NOT_FOUND = '404 FST_CRUD_NOT_FOUND'

await forEachDatabase(t, { entities, seed }, async (t, { orm }) => {
  const app = await serve(t, orm, {
    '/plants': resource(Plant), '/hard': { crud: resource(Plant), allowHardDelete: true },
    '/tags': { crud: resource(Tag), allowHardDelete: true }, '/suppliers': resource(Supplier),
    '/labels': resource(Label), '/shelves': resource(Shelf), '/orders': resource(Order), '/items': resource(OrderItem),
    '/customers': resource(Customer), '/entries': resource(AuditEntry), '/parcels': resource(Parcel),
    '/offers': resource(Offer),
  })
  const { get, remove, restore, created, read, patch } = writes(app)

  t.test('a soft delete marks the record, returns it, and removes it from all reads', async (t) => {
    const before = await read('/plants/14')
    const response = await remove('/plants/14')
    t.equal(response.statusCode, 200)
    const { deleted_at: deletedAt, updated_at: updatedAt, ...rest } = bodyOf(response)
    const { deleted_at: _, updated_at: __, ...expected } = before
    t.strictSame(rest, expected)
    t.ok(Math.abs(Date.parse(deletedAt) - Date.now()) < 60_000)
    t.ok(updatedAt > before.updated_at)
    t.equal(verdict(await get('/plants/14')), NOT_FOUND)
    t.equal(verdict(await remove('/plants/14')), NOT_FOUND)
    t.equal(verdict(await patch('/plants/14', { name: 'x' })), NOT_FOUND)
    t.notOk((await read('/plants?per_page=100')).items.some(({ id }: any) => id === 14))
    t.strictSame(await select(orm, 'select deleted_at is not null as marked from plant where id = 14'), [{
      marked: true,
    }])
  })

  t.test('restore returns the record unchanged, and leaves a live record unchanged', async (t) => {
    const response = await restore('/plants/14')
    t.equal(response.statusCode, 200)
    t.match(bodyOf(response), { id: 14, deleted_at: null, name: 'Thyme' })
    t.strictSame(await read('/plants/14'), bodyOf(response))
    const again = await restore('/plants/14')
    t.equal(again.statusCode, 200)
    t.strictSame(bodyOf(again), bodyOf(response), 'and its updated_at, too')
    t.equal(verdict(await restore('/plants/99')), NOT_FOUND)
    t.equal(verdict(await restore('/plants/x')), '400 FST_ERR_VALIDATION id')
    t.match(bodyOf(await restore(`/plants/${plantUuid(11)}`)), { id: 11, deleted_at: null })
    t.equal((await remove(`/plants/${plantUuid(11)}`)).statusCode, 200)
    t.match(bodyOf(await restore(`/customers/${customerId(3)}`)), { name: 'Cleo', deleted_at: null })
  })

  t.test('an entity without deleted_at cannot be restored', async (t) => {
    for (const path of ['/shelves/A/1', '/labels/1', '/orders/1']) t.equal((await restore(path)).statusCode, 404)
    t.equal((await restore('/labels/1')).json().message, 'Route POST:/labels/1/restore not found')
    await t.rejects(new CrudBase({ model: Label, writable: 'all' }).restore(orm.em.fork(), 1), {
      code: 'FST_CRUD_CONFIG_INVALID',
    })
  })

  t.test('an entity without deleted_at loses the row', async (t) => {
    const record = await read('/labels/3')
    t.strictSame(bodyOf(await remove('/labels/3')), record)
    t.equal(verdict(await remove('/labels/3')), NOT_FOUND)
    t.strictSame(await select(orm, 'select id from label where id = 3'), [])
    t.strictSame(bodyOf(await remove('/items/3/14')), { order: 3, plant: 14, quantity: 12, price: 3 })
    t.strictSame(bodyOf(await remove('/shelves/B/1')), { house: 'B', number: 1, capacity: 0 })
    t.match(bodyOf(await remove('/entries/3')), { id: '3', action: 'opened' })
    t.match(bodyOf(await remove('/parcels/3')), { id: 3, carrier: 'pigeon' })
    t.equal(verdict(await remove('/parcels/2')), NOT_FOUND, 'of another class')
    t.equal((await select(orm, 'select id from delivery where id = 2')).length, 1)
  })

  t.test('rows hidden by a MikroORM filter are not found', async (t) => {
    for (const id of [2, 4]) t.equal(verdict(await remove(`/offers/${id}`)), NOT_FOUND)
    t.equal(verdict(await patch('/offers/2', { title: 'x' })), NOT_FOUND)
    t.equal((await select(orm, "select id from offer where id in (2, 4) and title <> 'x'")).length, 2)
    t.match(bodyOf(await patch('/offers/5', { expired: true })), { id: 5, expired: true }, 'hidden from now on')
    t.equal(verdict(await get('/offers/5')), NOT_FOUND)
  })

  t.test('a record that other rows refer to cannot be removed', async (t) => {
    for (const path of ['/hard/1?hard=true', '/orders/1']) {
      const response = await remove(path)
      t.equal(verdict(response), '409 FST_CRUD_CONFLICT', path)
      t.equal(response.json().message, 'A record that others refer to cannot be removed.')
      t.equal((await get(path.split('?')[0]!)).statusCode, 200)
    }
    t.equal((await remove('/suppliers/1')).statusCode, 200, 'but marked')
    t.equal((await restore('/suppliers/1')).statusCode, 200)
  })

  t.test('a hard delete must be enabled', async (t) => {
    for (const hard of ['true', 'false', '', 'x']) {
      const response = await remove(`/plants/1?hard=${hard}`)
      t.strictSame([verdict(response), response.json().message], [
        '400 FST_CRUD_QUERY_INVALID hard',
        "'hard' is not enabled for this resource.",
      ])
    }
    t.equal((await get('/plants/1')).statusCode, 200)
    for (const hard of ['', 'x', '1', 'TRUE']) {
      t.equal(verdict(await remove(`/hard/1?hard=${hard}`)), '400 FST_CRUD_QUERY_INVALID hard', hard)
    }
    t.equal(verdict(await remove('/hard/1?hard=true&hard=true')), '400 FST_CRUD_QUERY_INVALID hard')
    t.equal(verdict(await app.inject({ method: 'POST', url: '/hard/1/restore?hard=true' })),
      '400 FST_CRUD_QUERY_INVALID hard')
    t.equal(verdict(await app.inject({ method: 'PATCH', url: '/hard/1?hard=true', payload: {} })),
      '400 FST_CRUD_QUERY_INVALID hard')
  })

  t.test('a hard delete removes the row, whether it was marked or not', async (t) => {
    const { id, uuid } = await created('/hard', { name: 'Soon gone', supplier: 1 })
    t.match(bodyOf(await remove(`/hard/${id}?hard=false`)), { id, deleted_at: String })
    t.equal(verdict(await remove(`/hard/${id}`)), NOT_FOUND)
    t.match(bodyOf(await remove(`/hard/${uuid}?hard=true`)), { id, name: 'Soon gone', deleted_at: String })
    t.equal(verdict(await remove(`/hard/${id}?hard=true`)), NOT_FOUND)
    t.equal(verdict(await restore(`/hard/${id}`)), NOT_FOUND)
    const live = await created('/hard', { name: 'Gone at once', supplier: 1 })
    t.match(bodyOf(await remove(`/hard/${live.id}?hard=true`)), { id: live.id, deleted_at: null })
    t.strictSame(await select(orm, `select id from plant where id in (${id}, ${live.id})`), [])
  })

  t.test('a record in many-to-many relations is removed with its links', async (t) => {
    const plant = await created('/hard', { name: 'Tagged', supplier: 1, tags: [1, 3] })
    t.equal((await remove(`/hard/${plant.id}?hard=true`)).statusCode, 200)
    t.strictSame(await select(orm, `select * from plant_tags where plant_id = ${plant.id}`), [])
    t.equal((await select(orm, 'select id from tag where id in (1, 3)')).length, 2)
  })

  t.test('parameters of reads are refused', async (t) => {
    const { id } = await created('/tags', { name: 'x' })
    t.match(verdict(await remove(`/tags/${id}?fields=name`)), /^400 FST_CRUD_/)
    t.match(verdict(await remove(`/tags/${id}?filter[name]=x`)), /^400 FST_CRUD_/)
    t.equal(verdict(await remove('/tags/x')), '400 FST_ERR_VALIDATION id')
  })

  t.test('methods of CrudBase delete and restore', async (t) => {
    const crud = new CrudBase({ model: Tag, writable: 'all' })
    const em = orm.em.fork()
    const { id } = await crud.create(em, { name: 'program' })
    t.ok((await crud.delete(em, id)).deleted_at)
    await t.rejects(crud.delete(em, id), { code: 'FST_CRUD_NOT_FOUND' })
    await t.rejects(crud.delete(em, id, { includeDeleted: true } as object), {
      code: 'FST_CRUD_CONFIG_INVALID',
      message: "CrudBase.delete: there is no option 'includeDeleted'. It has: scope, ifMatch, hard, context.",
    })
    t.equal((await crud.get(em, id, undefined, { includeDeleted: true }))!.name, 'program')
    t.equal((await crud.restore(em, id)).deleted_at, null)
    t.equal((await crud.delete(em, id, { hard: true })).id, id)
    await t.rejects(crud.delete(em, 'x'), { code: 'FST_CRUD_NOT_FOUND' })
    await t.rejects(crud.restore(em, 'x'), { code: 'FST_CRUD_NOT_FOUND' })
  })
})
