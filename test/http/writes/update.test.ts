import { p } from '@mikro-orm/core'
import t from 'tap'
import {
  AuditEntry, Customer, Delivery, entities, Order, OrderItem, Parcel, Plant, Shelf, Specimen, Supplier, Tag,
} from '../../fixtures/entities.ts'
import { customerId, plantUuid, seed } from '../../fixtures/seed.ts'
import { forEachDatabase } from '../../helpers/databases.ts'
import { recordStatements } from '../../helpers/statements.ts'
import { bodyOf, resource, select, serve, verdict, writes } from '../helper.ts'
import { entity } from '../../helpers/entity.ts'

/** A key that the client sets, and a UUID beside it. */
const Country = entity('Country', {
  code: p.string().length(2).primary(), uuid: p.uuid().unique().defaultRaw('gen_random_uuid()'), name: p.string(),
})

/** The key is a relation to an entity with a composite key. */
const Inventory = entity('Inventory', {
  shelf: () => p.manyToOne(Shelf).primary(), year: p.integer().primary(), count: p.integer().default(0),
})

const hereAndThere = [...entities, Country, Inventory]

await forEachDatabase(t, { entities: hereAndThere, seed }, async (t, { orm }) => {
  const app = await serve(t, orm, {
    '/plants': resource(Plant), '/suppliers': resource(Supplier), '/tags': resource(Tag), '/shelves': resource(Shelf),
    '/orders': resource(Order), '/items': resource(OrderItem), '/customers': resource(Customer),
    '/entries': resource(AuditEntry), '/deliveries': resource(Delivery), '/parcels': resource(Parcel),
    '/specimens': resource(Specimen), '/countries': resource(Country), '/inventories': resource(Inventory),
    '/lenient': { crud: resource(Plant), readonlyProperties: 'ignore' },
    '/lenient-shelves': { crud: resource(Shelf), readonlyProperties: 'ignore' },
  })
  const { patch, put, post, created, updated, read, check } = writes(app)

  t.test('PATCH and PUT change only the given properties', async (t) => {
    const before = await read('/plants/3')
    const { updated_at: first, ...patched } = await updated('/plants/3', { price: 12.5, description: 'Grey leaves' })
    const { updated_at: start, ...rest } = before
    t.strictSame(patched, { ...rest, price: 12.5, description: 'Grey leaves' })
    t.ok(first > start)
    t.ok(Math.abs(Date.parse(first) - Date.now()) < 60_000)
    const response = await put('/plants/3', { price: null })
    t.equal(response.statusCode, 200)
    const { updated_at: second, ...replaced } = bodyOf(response)
    t.strictSame(replaced, { ...patched, price: null })
    t.ok(second >= first)
    t.strictSame(await read('/plants/3'), { ...replaced, updated_at: second })
  })

  t.test('an empty update changes nothing', async (t) => {
    const recorder = await recordStatements(orm, t)
    for (const path of ['/plants/1', '/orders/1', '/shelves/A/1']) {
      const before = await read(path)
      recorder.take()
      for (const send of [patch, put]) {
        const response = await send(path, {})
        t.equal(response.statusCode, 200)
        t.strictSame(bodyOf(response), before)
      }
      t.strictSame(recorder.take().filter(({ sql }) => !sql.startsWith('select')), [])
      t.strictSame(await read(path), before)
    }
    t.equal(verdict(await patch('/plants/99', {})), '404 FST_CRUD_NOT_FOUND')
    t.equal(verdict(await patch('/plants/11', {})), '404 FST_CRUD_NOT_FOUND')
  })

  t.test('a body that is not a record is refused', async (t) => {
    const before = await read('/plants/1')
    for (const send of [patch, put]) {
      for (const body of [null, 'text', 5, [], [{ name: 'x' }], undefined]) {
        t.equal(verdict(await send('/plants/1', body)), '400 FST_ERR_VALIDATION ', JSON.stringify(body))
      }
    }
    t.strictSame(await read('/plants/1'), before)
  })

  t.test('invalid properties are refused by name, and nothing is changed', async (t) => {
    const before = await read('/plants/1')
    for (const name of [
      'uuid', 'created_at', 'updated_at', 'deleted_at', 'nameLength', 'slug', 'label', 'offers', 'purchasePrice',
      'articleNumber', 'nmae',
    ]) {
      t.equal(verdict(await patch('/plants/1', { name: 'Never', [name]: before[name] ?? null })),
        `400 FST_ERR_VALIDATION /${name}`)
    }
    for (const [body, pointers] of [
      [{ name: null }, '/name'],
      [{ supplier: null }, '/supplier'],
      [{ position: '1' }, '/position'],
      [{ price: 1.001, status: 'x' }, '/price /status'],
      [{ name: 'x'.repeat(256) }, '/name'],
    ] as const) t.equal(verdict(await patch('/plants/1', body)), `400 FST_ERR_VALIDATION ${pointers}`)
    t.strictSame(await read('/plants/1'), before)
    const [hidden, unknown] = await Promise.all(
      ['purchasePrice', 'purchaseQrice'].map((name) => patch('/plants/1', { [name]: 1 }))
    )
    t.equal(hidden!.body.replaceAll('purchasePrice', 'purchaseQrice'), unknown!.body)
  })

  t.test('mistakes of a body are reported before a missing record', async (t) => {
    t.equal(verdict(await patch('/plants/99', { nmae: 1 })), '400 FST_ERR_VALIDATION /nmae')
    t.equal(verdict(await patch('/plants/x', { name: 'x' })), '400 FST_ERR_VALIDATION id')
    t.equal(verdict(await patch('/plants/99999999999', { name: 'x' })), '400 FST_ERR_VALIDATION id')
  })

  t.test('absent and deleted records get the same answer, byte for byte', async (t) => {
    const { body } = await patch('/plants/99', { name: 'Never' })
    t.equal(JSON.parse(body).code, 'FST_CRUD_NOT_FOUND')
    for (const path of [
      '/plants/11', `/plants/${plantUuid(11)}`, `/plants/${plantUuid(99)}`, `/customers/${customerId(3)}`,
      '/suppliers/3', '/plants/-1',
    ]) {
      const response = await patch(path, { name: 'Never' })
      t.strictSame([response.statusCode, response.body], [404, body], path)
    }
    t.equal((await patch('/parcels/2', { carrier: 'x' })).body, body, 'of another class')
    t.strictSame(await select(orm, "select id from plant where name = 'Never'"), [])
  })

  t.test('records are updated by uuid, and by keys of all kinds', async (t) => {
    t.match(await updated(`/plants/${plantUuid(14).toUpperCase()}`, { position: 6 }), {
      id: 14, uuid: plantUuid(14), position: 6,
    })
    t.match(await updated(`/customers/${customerId(1)}`, { name: 'Ada L.' }), { id: customerId(1), name: 'Ada L.' })
    t.strictSame(await updated('/shelves/A/2', { capacity: 9 }), { house: 'A', number: 2, capacity: 9 })
    t.match(await updated('/items/1/3', { quantity: 5 }), { order: 1, plant: 3, quantity: 5, price: 8 })
    t.match(await updated('/entries/1', { action: 'resold' }), { id: '1', action: 'resold' })
    t.match(await updated('/parcels/1', { carrier: 'hare' }), { id: 1, kind: 'parcel', carrier: 'hare' })
    t.match(await updated('/deliveries/1', { due: null }), { id: 1, kind: 'parcel', due: null })
  })

  t.test('the key may be repeated, but not changed', async (t) => {
    t.match(await updated('/plants/1', { id: 1, position: 8 }), { id: 1, position: 8 })
    t.match(await updated(`/plants/${plantUuid(1)}`, { uuid: plantUuid(1).toUpperCase(), position: 9 }), {
      position: 9,
    })
    t.match(await updated('/plants/0001', { id: 1, position: 10 }), { position: 10 })
    t.match(await updated('/shelves/A/2', { house: 'A', number: 2, capacity: 4 }), { capacity: 4 })
    t.match(await updated('/items/1/3', { order: 1, plant: 3, quantity: 6 }), { quantity: 6 })
    t.match(await updated(`/customers/${customerId(2)}`, { id: customerId(2), name: 'Bobby' }), { name: 'Bobby' })
    t.match(await updated('/entries/2', { id: '2', action: 'x' }), { action: 'x' })
    for (
      const [path, body, name] of [
        ['/plants/1', { id: 2 }, 'id'],
        ['/plants/1', { id: '1' }, 'id'],
        ['/plants/1', { id: null }, 'id'],
        ['/plants/1', { id: [1] }, 'id'],
        [`/plants/${plantUuid(1)}`, { uuid: plantUuid(2) }, 'uuid'],
        ['/plants/1', { uuid: plantUuid(2) }, 'uuid'],
        ['/shelves/A/2', { number: 3 }, 'number'],
        ['/shelves/A/2', { house: 'B', number: 2 }, 'house'],
        ['/shelves/A/2', { number: null }, 'number'],
        ['/items/1/3', { order: 2 }, 'order'],
        ['/items/1/3', { order: 1, plant: 4 }, 'plant'],
        ['/entries/2', { id: 2 }, 'id'],
      ] as const
    ) t.equal(verdict(await patch(path, body)), `400 FST_ERR_VALIDATION /${name}`, `${path} ${JSON.stringify(body)}`)
    t.match(await read('/plants/1'), { id: 1, uuid: plantUuid(1) })
  })

  t.test('a natural key cannot be changed', async (t) => {
    const { uuid } = await created('/countries', { code: 'fr', name: 'France' })
    t.match(await updated('/countries/fr', { code: 'fr', name: 'La France' }), { name: 'La France' })
    for (const path of ['/countries/fr', `/countries/${uuid}`]) {
      t.equal(verdict(await patch(path, { code: 'de' })), '400 FST_ERR_VALIDATION /code', path)
    }
    t.match(await updated(`/countries/${uuid}`, { name: 'France' }), { code: 'fr', name: 'France' })
    t.equal(verdict(await post('/countries', { code: 'fr', name: 'x' })), '409 FST_CRUD_CONFLICT /code')
  })

  t.test('the key may be a relation to a composite key', async (t) => {
    const response = await post('/inventories', { shelf: { house: 'A', number: 1 }, year: 2024 })
    t.strictSame(bodyOf(response), { shelf: { house: 'A', number: 1 }, year: 2024, count: 0 })
    const path = response.headers.location as string
    t.strictSame(await read(path), bodyOf(response))
    t.match(await updated(path, { count: 3 }), { count: 3 })
    t.match(await updated(path, { shelf: { number: 1, house: 'A' }, year: 2024, count: 4 }), { count: 4 })
    for (const shelf of [{ house: 'A', number: 2 }, { house: 'A' }, null, 'A', { house: 'A', number: '1' }]) {
      t.equal(verdict(await patch(path, { shelf })), '400 FST_ERR_VALIDATION /shelf', JSON.stringify(shelf))
    }
    t.equal((await read(path)).count, 4)
  })

  t.test('the class of a row does not change', async (t) => {
    t.equal(verdict(await patch('/parcels/1', { kind: 'pickup' })), '400 FST_ERR_VALIDATION /kind')
    t.equal(verdict(await patch('/deliveries/1', { kind: 'pickup' })), '400 FST_ERR_VALIDATION /kind')
  })

  t.test('an embedded object is replaced as a whole', async (t) => {
    t.strictSame((await updated('/suppliers/1', { address: { street: 'Quai 1' } })).address, {
      street: 'Quai 1',
      city: null,
    })
    t.strictSame((await updated('/suppliers/1', { name: 'Vert' })).address, { street: 'Quai 1', city: null })
    t.strictSame((await updated('/suppliers/1', { address: null })).address, null)
    t.strictSame((await updated('/specimens/1', { size: { height: 1, width: 2 } })).size, { height: 1, width: 2 })
    t.equal(verdict(await patch('/suppliers/1', { address: { city: 'Lyon' } })),
      '400 FST_ERR_VALIDATION /address/street')
    t.equal(verdict(await patch('/specimens/1', { size: { height: 1 } })), '400 FST_ERR_VALIDATION /size/width')
  })

  t.test('a serializer changes the answer, and not the stored value', async (t) => {
    t.match(await updated('/suppliers/2', { country: 'gb' }), { country: 'GB' })
    t.strictSame(await select(orm, 'select country from supplier where id = 2'), [{ country: 'gb' }])
    t.match(await updated('/suppliers/2', {}), { country: 'GB' })
  })

  t.test('generated columns are updated', async (t) => {
    t.match(await updated('/plants/14', { name: 'Wild Thyme' }), { slug: 'wild-thyme', nameLength: 10 })
  })

  t.test('whole records can be sent back if readonlyProperties is ignore', async (t) => {
    for (const path of ['/lenient/4', `/lenient/${plantUuid(4)}`, '/lenient-shelves/A/1']) {
      const record = await read(path)
      for (const send of [put, patch]) {
        const response = await send(path, record)
        t.equal(response.statusCode, 200, response.body)
        const { updated_at: _, ...rest } = bodyOf(response)
        const { updated_at: __, ...expected } = record
        t.strictSame(rest, expected)
      }
    }
    const record = await read('/lenient/4')
    await check(t, [
      ['PATCH /lenient/4', {
        ...record, created_at: 'garbage', deleted_at: 'x', slug: 5, nameLength: {}, uuid: plantUuid(5),
        name: 'Sansevieria',
      }, { name: 'Sansevieria', uuid: plantUuid(4), created_at: record.created_at, deleted_at: null }],
      // another record
      ['PATCH /lenient/4', { ...record, id: 5 }, '400 FST_ERR_VALIDATION /id'],
      ['PATCH /lenient/4', { nmae: 1 }, '400 FST_ERR_VALIDATION /nmae'],
      ['PATCH /lenient/4', { purchasePrice: 1 }, '400 FST_ERR_VALIDATION /purchasePrice'],
      ['PATCH /lenient/4', [], '400 FST_ERR_VALIDATION '],
    ])
    const before = await read('/lenient/4')
    t.strictSame(await updated('/lenient/4', { id: 4, created_at: '', slug: 'x' }), before,
      'nothing is left, and nothing changed')
    t.match(await created('/lenient', { ...record, sku: 'NEW-001' }), { id: 15, name: record.name })
  })

  t.test('update() changes records', async (t) => {
    const crud = resource(Plant)
    t.match(await crud.update(orm.em.fork(), 5, { name: 'Fern', description: undefined }), { id: 5, name: 'Fern' })
    t.match(await crud.update(orm.em.fork(), 5, { id: 5, position: 4 }), { position: 4 })
    await t.rejects(crud.update(orm.em.fork(), 11, { name: 'x' }), { code: 'FST_CRUD_NOT_FOUND' })
    t.match(await crud.update(orm.em.fork(), 11, { name: 'Belladonna' }, { includeDeleted: true }), {
      id: 11, name: 'Belladonna', deleted_at: '2024-06-30T12:00:00.000Z',
    })
    await t.rejects(crud.update(orm.em.fork(), 'x', { name: 'x' }), { code: 'FST_CRUD_NOT_FOUND' })
    await t.rejects(crud.update(orm.em.fork(), 5, [] as never), { code: 'FST_ERR_VALIDATION' })
    const shelves = resource(Shelf)
    t.match(await shelves.update(orm.em.fork(), { house: 'B', number: 1 }, { capacity: 2 }), {
      house: 'B',
      capacity: 2,
    })
  })

  t.test('an entity in the identity map does not mask the written values', async (t) => {
    const em = orm.em.fork()
    await em.findOneOrFail(Plant, 6)
    const crud = resource(Plant)
    t.equal((await crud.update(em, 6, { name: 'Rosa' })).name, 'Rosa')
    t.equal((await crud.get(em, 6))!.name, 'Rosa')
  })
})
