import { p } from '@mikro-orm/core'
import type { EntityManager } from '@mikro-orm/postgresql'
import t from 'tap'
import { CrudBase, withTransaction } from '../../../src/index.ts'
import { entities, Customer, Order, OrderItem, Parcel, Plant, Shelf, Specimen, Tag } from '../../fixtures/entities.ts'
import { customerId, plantUuid, seed } from '../../fixtures/seed.ts'
import { forEachDatabase } from '../../helpers/databases.ts'
import { recordStatements } from '../../helpers/statements.ts'
import { resource, serve, writes } from '../helper.ts'
import { entity } from '../../helpers/entity.ts'

/** Its only relation to others is that it owns them. */
const Basket = entity('Basket', {
  id: p.integer().primary().autoincrement(),
  name: p.string(),
  lines: () => p.oneToMany(Line).mappedBy('basket').orphanRemoval(),
})
const Line = entity('Line', { id: p.integer().primary().autoincrement(), basket: () => p.manyToOne(Basket) })

await forEachDatabase(t, { entities: [...entities, Basket, Line], seed }, async (t, { orm }) => {
  const operations = ['list', 'get', 'create', 'createMany', 'update', 'delete', 'restore'] as const
  const app = await serve(t, orm, {
    '/tags': { crud: resource(Tag), operations, allowHardDelete: true },
    '/plants': { crud: resource(Plant), operations },
    '/shelves': { crud: resource(Shelf), operations: ['get', 'create', 'createMany', 'update', 'delete'] },
    '/orders': resource(Order),
    '/items': resource(OrderItem),
    '/customers': resource(Customer),
    '/parcels': resource(Parcel),
    '/specimens': resource(Specimen),
    '/baskets': resource(Basket),
    '/together': { crud: resource(Tag), operations, allowHardDelete: true, transaction: true },
    '/scoped': { crud: resource(Plant), operations, scope: () => ({ supplier: 1 }) },
    '/partial': { crud: resource(Plant), operations, scope: () => ({ supplier: 1, position: { $lt: 100 } }) },
    '/related': { crud: resource(Plant), operations, scope: () => ({ supplier: { id: 1, name: { $ne: 'x' } } }) },
    '/back': { crud: resource(Plant), operations, scope: () => ({ supplier: { plants: { $some: {} } } }) },
  })
  const { post, patch, put, remove, restore, created } = writes(app)
  const recorder = await recordStatements(orm, t)

  /** Asserts the first word of each statement of a request, and the status of its answer. */
  const words = async (status: number, send: () => ReturnType<typeof post>): Promise<string> => {
    recorder.take()
    const response = await send()
    if (response.statusCode !== status) throw new Error(`${response.statusCode} ${response.body}`)
    return recorder.words()
  }

  t.test('a write is one statement, without a transaction', async (t) => {
    for (const [expected, what, status, send] of [
      ['insert', 'create', 201, () => post('/tags', { name: 'a' })],
      [
        'insert', 'create with relations that may be deleted', 201,
        () => post('/plants', { name: 'a', supplier: 1, group: 2, shelf: { house: 'A', number: 1 } }),
      ],
      ['insert', 'create of all types', 201, () =>
        post('/specimens', {
          code: 'x', plant: 1, minimum: 1.5, petals: '#ffffff', synonyms: ['x'], size: { height: 1, width: 1 },
        })],
      ['insert', 'create of a class of a shared table', 201, () => post('/parcels', { order: 1, carrier: 'x' })],
      [
        'insert', 'createMany', 201,
        () => post('/shelves', Array.from({ length: 100 }, (_, number) => ({ house: 'M', number }))),
      ],
      ['insert', 'createMany of one', 201, () => post('/tags', [{ name: 'b' }])],
      ['insert', 'create in a scope', 201, () => post('/scoped', { name: 'a' })],
      ['update', 'PATCH', 200, () => patch('/tags/1', { weight: 7 })],
      ['update', 'PUT', 200, () => put('/tags/1', { weight: 8 })],
      ['update', 'update by uuid', 200, () => patch(`/plants/${plantUuid(1)}`, { price: 1, group: 1 })],
      ['update', 'update by a composite key', 200, () => patch('/items/1/1', { quantity: 2 })],
      ['update', 'update in a scope', 200, () => patch('/scoped/1', { price: 2 })],
      ['update', 'update with If-Match', 200, () => patch('/orders/1', { note: 'x' }, { 'if-match': '"1"' })],
      ['update', 'soft delete', 200, () => remove('/tags/2')],
      ['update', 'restore', 200, () => restore('/tags/2')],
      ['update', 'soft delete by a key that is a UUID', 200, () => remove(`/customers/${customerId(1)}`)],
      ['delete', 'hard delete', 200, () => remove('/tags/5?hard=true')],
      ['delete', 'delete', 200, () => remove('/shelves/M/1')],
      ['select', 'an update of nothing', 200, () => patch('/plants/1', {})],
    ] as const) t.equal(await words(status, send), expected, what)
  })

  t.test('a refused request runs no statement', async (t) => {
    for (const [status, send] of [
      [400, () => post('/tags', { nmae: 1 })],
      [400, () => patch('/tags/1', { name: null })],
      [400, () => patch('/tags/x', {})],
      [400, () => remove('/plants/1?hard=true')],
      [403, () => post('/scoped', { name: 'x', supplier: 2 })],
      [403, () => patch('/scoped/1', { supplier: 2 })],
    ] as const) t.equal(await words(status, send), '')
  })

  t.test('the reason of a failed write is looked up only after the failure', async (t) => {
    t.equal(await words(404, () => patch('/tags/99', { name: 'x' })), 'update select')
    t.equal(await words(404, () => remove('/tags/99')), 'update select')
    t.equal(await words(412, () => patch('/orders/2', { note: 'x' }, { 'if-match': '"9"' })), 'update select')
    t.equal(await words(409, () => post('/plants', { name: 'a', supplier: 3 })), 'insert select')
    t.equal(await words(409, () => patch('/plants/1', { supplier: 3 })), 'update select select select')
    t.equal(await words(409, () => post('/tags', { name: 'sun' })), 'insert')
    t.equal(await words(200, () => restore('/tags/1')), 'update select', 'there was nothing to restore')
  })

  t.test('a batch checks rows that may be deleted once for each relation, instead of each record', async (t) => {
    const batch = Array.from({ length: 100 },
      (_, index) => ({ name: `p${index}`, supplier: 1 + index % 2, group: 1 + index % 3 }))
    t.equal(await words(201, () => post('/plants', batch)), 'begin select select insert commit')
  })

  t.test('a scope that only the database can check is checked by the statement that writes', async (t) => {
    t.equal(await words(201, () => post('/partial', { name: 'x' })), 'with insert', 'the first asks for triggers')
    t.equal(await words(201, () => post('/partial', { name: 'x' })), 'insert')
    t.equal(await words(201, () => post('/partial', [{ name: 'x' }, { name: 'y' }])), 'begin select insert commit')
    t.equal(await words(200, () => patch('/partial/1', { position: 3 })), 'update')
    t.equal(await words(200, () => remove('/partial/1')), 'update', 'which a delete can not leave')
  })

  t.test('a scope over relations, too, unless it leads back to the written table', async (t) => {
    t.equal(await words(201, () => post('/related', { name: 'x', supplier: 1 })), 'insert')
    const [{ id }] = await orm.em.fork().execute('select max(id) as id from plant') as [{ id: number }]
    t.equal(await words(200, () => patch(`/related/${id}`, { position: 3 })), 'update')
    t.equal(await words(201, () => post('/back', { name: 'x', supplier: 1 })), 'begin insert select commit')
    t.equal(await words(200, () => patch(`/back/${id}`, { position: 3 })), 'begin update select commit')
    t.equal(await words(200, () => remove(`/back/${id}`)), 'update')
  })

  t.test('the unit of work writes many-to-many links, in any number of statements', async (t) => {
    const small = await words(201, () => post('/plants', { name: 'x', supplier: 1, tags: [1] }))
    const large = await words(201, () => post('/plants', { name: 'x', supplier: 1, tags: [1, 2, 3] }))
    t.equal(small, large)
    t.match(small, /^begin .* commit$/)
    t.ok(small.split(' ').length <= 7, small)
    const replaced = await words(200, () => patch('/plants/2', { tags: [1, 2, 3] }))
    t.ok(replaced.split(' ').length <= 10, replaced)
  })

  t.test('the unit of work runs a delete that cascades', async (t) => {
    await orm.em.fork().execute("insert into basket (name) values ('x')")
    await orm.em.fork().execute('insert into line (basket_id) values (1), (1)')
    const deleted = await words(200, () => remove('/baskets/1'))
    t.match(deleted, /^begin .* commit$/)
    t.strictSame(await orm.em.fork().execute('select * from line'), [])
    t.equal(await words(201, () => post('/baskets', { name: 'y' })), 'insert')
    t.equal(await words(200, () => patch('/baskets/2', { name: 'z' })), 'update')
  })

  t.test('values are bound, and never part of the text', async (t) => {
    recorder.take()
    const value = "x'); drop table tag; --"
    await post('/tags', { name: value })
    await patch('/tags/1', { name: `${value} $1 ? :x` })
    for (const { sql, params } of recorder.take()) {
      t.notMatch(sql, /drop table/)
      t.ok(params.some((param) => String(param).startsWith(value)))
    }
  })

  t.test('the text depends only on the shape, so that it can be kept', async (t) => {
    recorder.take()
    for (const name of ['c', 'd']) await post('/tags', { name })
    for (const weight of [1, 2]) await patch('/tags/1', { weight })
    const texts = recorder.texts()
    t.equal(texts[0], texts[1])
    t.equal(texts[2], texts[3])
    for (const size of [2, 3, 50]) {
      await post('/shelves', Array.from({ length: size }, (_, number) => ({ house: `T${size}`, number })))
    }
    const batches = recorder.take()
    t.equal(new Set(batches.map(({ sql }) => sql)).size, 1, 'the number of rows is none of its business')
    t.strictSame(batches.map(({ params }) => params.length), [2, 2, 2])
  })

  t.test('the statements are the same in a transaction, whoever started it', async (t) => {
    const batch = (name: string) => Array.from({ length: 100 }, (_, index) => ({ name: `${name}${index}` }))
    for (const [expected, what, status, send] of [
      ['insert', 'create', 201, () => post('/together', { name: 'in a transaction' })],
      ['savepoint insert release', 'createMany', 201, () => post('/together', batch('route'))],
      ['update', 'PATCH', 200, () => patch('/together/1', { weight: 9 })],
      ['update', 'soft delete', 200, () => remove('/together/3')],
      ['update', 'restore', 200, () => restore('/together/3')],
      ['delete', 'hard delete', 200, () => remove('/together/4?hard=true')],
    ] as const) t.equal(await words(status, send), `begin ${expected} commit`, what)
    const tags = new CrudBase({ model: Tag, writable: 'all' })
    const everything = (name: string) => async (em: EntityManager) => {
      const { id } = await tags.create(em, { name })
      await tags.createMany(em, batch(name))
      await tags.update(em, id, { weight: 3 })
      await tags.delete(em, id)
      await tags.restore(em, id)
      await tags.delete(em, id, { hard: true })
    }
    // after an error of the batch, its refused record is searched in the transaction
    const each = 'insert savepoint insert release update update update delete'
    const inside = async (run: () => Promise<unknown>): Promise<string> => {
      recorder.take()
      await run()
      return recorder.words()
    }
    const em = orm.em.fork()
    t.equal(await inside(() => withTransaction(em, everything('a '))), `begin ${each} commit`, 'withTransaction')
    t.equal(await inside(() => em.transactional(everything('b '))), `begin ${each} commit`, 'em.transactional')
    t.equal(await inside(() => withTransaction(em, (em) => em.transactional(everything('c ')))),
      `begin savepoint ${each} release commit`, 'one in the other')
    t.equal(await inside(() => em.transactional((em) => withTransaction(em, everything('d ')))),
      `begin savepoint ${each} release commit`, 'the other in the one')
    t.equal(await inside(() => orm.em.transactional(() => everything('e ')(orm.em))), `begin ${each} commit`,
      'on the global EntityManager')
    await em.begin()
    t.equal(await inside(() => everything('f ')(em)), each, 'em.begin')
    await em.rollback()
  })

  t.test('the unit of work does not read again what is unchanged, removed, or returned by an update', async (t) => {
    orm.em.getEventManager().registerSubscriber({ getSubscribedEntities: () => [Tag, Plant], afterUpdate: () => {} })
    t.equal(await words(200, () => restore('/tags/1')), 'begin select select commit')
    const links = await words(200, () => patch('/plants/3', { tags: [2] }))
    t.match(links, /delete insert update commit$/)
    const { id } = await created('/baskets', { name: 'x' })
    t.equal(await words(200, () => remove(`/baskets/${id}`)), 'begin select select select delete commit')
  })
})
