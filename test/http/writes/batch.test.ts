import t from 'tap'
import { CrudBase } from '../../../src/index.ts'
import { entities, Customer, Label, Parcel, Plant, Shelf, Supplier, Tag } from '../../fixtures/entities.ts'
import { seed } from '../../fixtures/seed.ts'
import { forEachDatabase } from '../../helpers/databases.ts'
import { hooked } from '../../helpers/hooked.ts'
import { recordStatements } from '../../helpers/statements.ts'
import { bodyOf, column, countOf, resource, serve, verdict, writes } from '../helper.ts'

const both = ['list', 'get', 'create', 'createMany'] as const

await forEachDatabase(t, { entities, seed }, async (t, { orm }) => {
  const app = await serve(t, orm, {
    '/tags': { crud: resource(Tag), operations: both, maxBatch: 5 },
    '/plants': { crud: resource(Plant), operations: both },
    '/suppliers': { crud: resource(Supplier), operations: both },
    '/parcels': { crud: resource(Parcel), operations: both },
    '/labels': { crud: resource(Label), operations: both },
    '/single': resource(Tag),
    '/only-many': { crud: resource(Tag), operations: ['createMany'] },
    '/lenient': { crud: resource(Shelf), operations: both, readonlyProperties: 'ignore' },
    '/default': { crud: resource(Shelf), operations: both },
  })
  const { post, read, check } = writes(app)
  const count = async (table: string): Promise<number> => await countOf(orm, `${table}`)

  t.test('a batch answers 201 with the records in their order', async (t) => {
    const response = await post('/tags', [{ name: 'one', weight: 1 }, { name: 'two' }, { name: 'three', weight: null }])
    t.equal(response.statusCode, 201)
    t.equal(response.headers.location, undefined)
    const records = bodyOf(response)
    t.strictSame(records.map(({ name, weight }: any) => [name, weight]), [['one', 1], ['two', null], ['three', null]])
    for (const record of records) t.strictSame(await read(`/tags/${record.id}`), record)
  })

  t.test('records may have different properties, and omitted ones get their defaults', async (t) => {
    const response = await post('/plants', [{ name: 'A', supplier: 1, price: 1 }, {
      supplier: 2, status: 'active', name: 'B',
    }, { name: 'C', supplier: 1, shelf: { house: 'A', number: 1 }, inStock: false, position: 7 }])
    t.strictSame(
      bodyOf(response).map((
        { name, price, status, inStock, position, shelf, supplier }: any
      ) => [name, price, status, inStock, position, shelf, supplier]),
      [
        ['A', 1, 'draft', true, 0, null, 1],
        ['B', null, 'active', true, 0, null, 2],
        ['C', null, 'draft', false, 7, { house: 'A', number: 1 }, 1],
      ]
    )
    const uuids = bodyOf(response).map(({ uuid }: any) => uuid)
    t.equal(new Set(uuids).size, 3)
    t.strictSame(await column(orm, 'select uuid from plant where id > 14 order by id'), uuids)
    t.strictSame(
      bodyOf(
        await post('/suppliers', [{ name: 'x', country: 'fr', address: { street: 's' } }, { name: 'y', country: 'it' }])
      ).map(({ country, address }: any) => [country, address]),
      [['FR', { street: 's', city: null }], ['IT', null]]
    )
    // with other columns, and with the same
    for (const first of [{ order: 1, carrier: 'a' }, { order: 1, carrier: 'a', weight: '2.000' }]) {
      const parcels = bodyOf(await post('/parcels', [first, { order: 2, carrier: 'b', weight: '1.000' }]))
      t.strictSame(parcels.map(({ kind, carrier }: any) => [kind, carrier]), [['parcel', 'a'], ['parcel', 'b']])
    }
  })

  t.test('values that are the same in all records, or in some, reach all of them', async (t) => {
    const stored = async (...batch: readonly object[]) => {
      const records = bodyOf(await post('/plants', batch.map((plant) => ({ supplier: 1, ...plant }))))
      for (const record of records) t.strictSame(await read(`/plants/${record.id}`), record)
      return records.map(({ name, price }: any) => [name, price])
    }
    t.strictSame(await stored({ name: 'a', price: 1 }, { price: 2, name: 'a' }), [['a', 1], ['a', 2]])
    t.strictSame(await stored({ name: 'b', price: null }, { name: 'c', price: null }), [['b', null], ['c', null]])
    t.strictSame(await stored({ name: 'null', price: 1 }, { name: 'null', price: null }), [['null', 1], ['null', null]])
    t.strictSame(await stored({ name: 'd', price: 7 }, { name: 'd', price: 7 }), [['d', 7], ['d', 7]])
    t.strictSame(await stored({ name: '"}]' }, { name: '"}]' }), [['"}]', null], ['"}]', null]])
  })

  t.test('a batch may have no record, or one', async (t) => {
    const before = await count('tag')
    t.strictSame([(await post('/tags', [])).statusCode, (await post('/tags', [])).body], [201, '[]'])
    t.equal(await count('tag'), before)
    t.equal(bodyOf(await post('/tags', [{ name: 'alone' }])).length, 1)
  })

  t.test('the first bad record is refused with all its mistakes', async (t) => {
    const before = await count('plant')
    await check(t, [
      ['POST /plants', [{ name: 'A', supplier: 1 }, { price: 'x', nmae: 1 }, { name: 5 }],
        '400 FST_ERR_VALIDATION /1/price /1/nmae /1/name /1/supplier'],
      ['POST /plants', [{ name: 'A', supplier: 1 }, null], '400 FST_ERR_VALIDATION /1'],
      ['POST /plants', [[], { name: 'A', supplier: 1 }], '400 FST_ERR_VALIDATION /0'],
      ['POST /plants', ['x'], '400 FST_ERR_VALIDATION /0'],
      ['POST /plants', [{ name: 'A', supplier: 1, tags: [1, 'x'] }], '400 FST_ERR_VALIDATION /0/tags/1'],
      ['POST /plants', [{ name: 'A', supplier: 1 }, { name: 'B', supplier: 1, shelf: { house: 'A' } }],
        '400 FST_ERR_VALIDATION /1/shelf'],
    ])
    t.equal(await count('plant'), before)
  })

  t.test('a batch stores all records or none if the database refuses one', async (t) => {
    const before = await count('tag')
    t.match(verdict(await post('/tags', [{ name: 'fresh' }, { name: 'sun' }])), /^409 FST_CRUD_CONFLICT/)
    t.match(verdict(await post('/tags', [{ name: 'twice' }, { name: 'twice' }])), /^409 FST_CRUD_CONFLICT/)
    t.equal(await count('tag'), before)
    const labels = await count('label')
    t.match(verdict(await post('/labels', [{ text: 'ok', plant: 4 }, { text: 'no', plant: 99 }])),
      /^409 FST_CRUD_CONFLICT/)
    t.match(verdict(await post('/labels', [{ text: 'ok', plant: 4 }, { text: 'deleted', plant: 11 }])),
      /^409 FST_CRUD_CONFLICT/)
    t.equal(await count('label'), labels)
  })

  t.test('a relation to a missing row is named, with its record', async (t) => {
    for (const supplier of [99, 3]) {
      t.equal(
        verdict(
          await post('/plants', [{ name: 'A', supplier: 1 }, { name: 'B', supplier }, { name: 'C', supplier: 98 }])
        ),
        '409 FST_CRUD_CONFLICT /1/supplier'
      )
    }
    const refused = await post('/plants', [{ name: 'A', supplier: 1 }, { name: 'B', supplier: 1, tags: [1, 99] }])
    t.equal(verdict(refused), '409 FST_CRUD_CONFLICT /1/tags')
    t.equal(bodyOf(refused).message, "/1: 'tags' refers to a record that does not exist.", 'the message says which one')
  })

  t.test('a batch has at most maxBatch records', async (t) => {
    const before = await count('tag')
    const batch = (size: number) => Array.from({ length: size }, (_, index) => ({ name: `batch ${size} ${index}` }))
    t.equal((await post('/tags', batch(5))).statusCode, 201)
    const response = await post('/tags', batch(6))
    t.equal(verdict(response), '400 FST_ERR_VALIDATION ')
    t.match(response.json().message, /at most 5 records.* 6/)
    t.equal(await count('tag'), before + 5)
    t.equal((await post('/default', Array.from({ length: 1000 }, (_, number) => ({ house: 'D', number })))).statusCode,
      201)
    t.equal(verdict(await post('/default', Array.from({ length: 1001 }, (_, number) => ({ house: 'E', number })))),
      '400 FST_ERR_VALIDATION ')
  })

  t.test('lists are accepted only if enabled, and single records stay accepted', async (t) => {
    t.equal(verdict(await post('/single', [{ name: 'x' }])), '400 FST_ERR_VALIDATION ')
    t.equal(verdict(await post('/only-many', { name: 'x' })), '400 FST_ERR_VALIDATION ')
    t.equal((await post('/only-many', [{ name: 'only' }])).statusCode, 201)
    t.equal((await post('/tags', { name: 'single' })).statusCode, 201)
  })

  t.test('readonlyProperties applies to each record', async (t) => {
    t.equal((await post('/lenient', [{ house: 'F', number: 1, plants: [] }])).statusCode, 201)
    t.equal(verdict(await post('/default', [{ house: 'G', number: 1, plants: [] }])),
      '400 FST_ERR_VALIDATION /0/plants')
  })

  t.test('createMany() stores more records than one statement has parameters', async (t) => {
    const shelves = new CrudBase({ model: Shelf, writable: 'all' })
    const many = Array.from({ length: 12_000 }, (_, number) => ({ house: 'MANY', number }))
    const recorder = await recordStatements(orm, t)
    const records = await shelves.createMany(orm.em.fork(), many)
    t.equal(records.length, many.length)
    t.strictSame([records[0], records.at(-1)], [{ house: 'MANY', number: 0, capacity: null }, {
      house: 'MANY', number: 11_999, capacity: null,
    }])
    t.strictSame(recorder.take().map(({ sql }) => sql.slice(0, 6)), ['begin', 'insert', 'insert', 'commit'])
    await t.rejects(
      shelves.createMany(orm.em.fork(),
        many.map(({ number }) => ({ house: 'AGAIN', number: number === 11_999 ? 0 : number }))),
      { code: 'FST_CRUD_CONFLICT' }
    )
    t.equal(await countOf(orm, "shelf where house = 'AGAIN'"), 0)
  })

  t.test('createMany() runs the hooks for each record', async (t) => {
    const crud = hooked({ model: Customer, writable: 'all' }, {
      beforeCreate: (data) => ({ ...data, name: `${data.name}!` }),
      afterRead: (record) => ({ ...record, read: true }),
    })
    const records = await crud.createMany(orm.em.fork(), [{ name: 'X', email: 'x@x' }, { name: 'Y', email: 'y@y' }])
    t.strictSame(records.map(({ name, read }) => [name, read]), [['X!', true], ['Y!', true]])
  })
})
