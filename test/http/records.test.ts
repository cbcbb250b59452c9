import { serialize } from '@mikro-orm/core'
import t, { type Test } from 'tap'
import {
  entities, AuditEntry, Customer, Delivery, Offer, Order, OrderItem, Parcel, Plant, Shelf, Specimen, Supplier,
} from '../fixtures/entities.ts'
import { customerId, plantUuid, seed } from '../fixtures/seed.ts'
import { forEachDatabase } from '../helpers/databases.ts'
import { recordStatements } from '../helpers/statements.ts'
import { bodyOf, client, resource, serve, type Json } from './helper.ts'

/** Specimen 1 as JSON. */
const USUAL = {
  id: 1, code: 'USUAL', plant: 1, leaves: 240, stems: 12, cells: '12000000000', pollen: 5_000_000_000, spores: '123',
  dryMass: '12.500000', value: 19.99, acidity: 6.5, chlorophyll: 0.25, minimum: -12.5, alive: true, nickname: 'Lola',
  description: 'Stands by the door.\nLikes it there.', grade: 'A', diary: 'Day 1: planted. Day 2: watered.',
  tracker: '3f0c8a52-7c0e-4f57-9d53-2d6f4a1c9b10', health: 'thriving', hardiness: 2, flowering: 'summer',
  pruned: ['spring', 'autumn'], sownOn: '2023-02-28', measuredAt: '2024-05-06T07:08:09.123Z',
  recordedAt: '2024-05-06T07:08:09.123Z', wateredAt: '07:30:00', dormancy: '2 mons 3 days', shelves: '[1,5)',
  barcodes: '[9007199254740993,9007199254740995)', tolerance: '[5.50,7]', bloom: '[2024-06-01,2024-08-01)',
  shown: '["2024-05-06T07:08:09.123Z","2024-05-07T00:00:00.000Z")', lent: '["2024-05-06T07:08:09.123Z",)',
  readings: { sensor: 'north', values: [1, 2.5, -3] }, synonyms: ['English lavender', 'true, "real" one'],
  ringWidths: [3, 1, 2], scan: 'AAH+/w==', genome: 'R0FUQw==', petals: '#967bb6',
  size: { height: 60, width: 40, unit: 'cm' },
}

await forEachDatabase(t, { entities, seed }, async (t, { orm, name }) => {
  const app = await serve(t, orm, {
    '/specimens': resource(Specimen), '/plants': resource(Plant), '/suppliers': resource(Supplier),
    '/shelves': resource(Shelf), '/orders': resource(Order), '/items': resource(OrderItem),
    '/customers': resource(Customer), '/entries': resource(AuditEntry), '/deliveries': resource(Delivery),
    '/parcels': resource(Parcel), '/offers': resource(Offer),
  })
  const get = (url: string) => client(app, url).get()
  const inject = (url: string) => app.inject(url)

  t.test('a record has values of every type', async (t) => {
    t.strictSame(await get('/specimens/1'), USUAL)
  })

  t.test('a record may have no values', async (t) => {
    const { id, code, plant, ...rest } = await get('/specimens/2')
    t.strictSame([id, code, plant], [2, 'NONE', 1])
    t.strictSame(rest, Object.fromEntries(Object.keys(USUAL).slice(3).map((name) => [name, null])))
  })

  t.test('the greatest, the least and the empty values keep every digit', async (t) => {
    t.match(await get('/specimens/3'), {
      leaves: 2147483647, stems: 32767, cells: '9223372036854775807', pollen: 9007199254740991,
      spores: '9223372036854775807', dryMass: '99999999999999.999999', value: 99999999.99,
      acidity: 1.7976931348623157e308, chlorophyll: 3.4028235e38, minimum: 99.9, sownOn: '9999-12-31',
      measuredAt: '9999-12-31T23:59:59.999Z', recordedAt: '9999-12-31T23:59:59.999Z', wateredAt: '23:59:59',
      hardiness: 3, petals: '#ffffff',
    })
    t.match(await get('/specimens/4'), {
      leaves: -2147483648, stems: -32768, cells: '-9223372036854775808', pollen: -9007199254740991,
      spores: '-9223372036854775808', dryMass: '-99999999999999.999999', value: -99999999.99, acidity: 5e-324,
      chlorophyll: -3.4028235e38, minimum: -273.1, sownOn: '0001-01-01', measuredAt: '1969-12-31T23:59:59.999Z',
      recordedAt: '0001-01-01T00:00:00.000Z', wateredAt: '00:00:00', petals: '#000000',
    })
    const empty = await get('/specimens/5')
    t.match(empty, {
      leaves: 0, alive: false, nickname: '', description: '%_\\\'"`{}[],;--/**/ \t¿ñ 😀', diary: '', scan: '',
      genome: '',
    })
    t.strictSame([empty.readings, empty.synonyms, empty.ringWidths, empty.pruned], [[], [], [], []])
  })

  t.test('a list has the same records', async (t) => {
    for (const path of [
      '/specimens', '/plants', '/suppliers', '/customers', '/orders', '/deliveries', '/offers', '/entries',
    ]) {
      const { items } = await get(path)
      t.ok(items.length > 1)
      for (const item of items) t.strictSame(await get(`${path}/${item.id}`), item, `${path}/${item.id}`)
    }
  })

  t.test("records equal MikroORM's serialization of the entity", async (t) => {
    const em = orm.em.fork()
    const compare = async (t: Test, model: any, path: string, differ: (record: Json) => Json = (record) => record) => {
      for (const entity of await em.find(model, {}, { populate: ['*'], filters: false })) {
        const key = (entity as any).house === undefined
          ? (entity as any).id
          : `${(entity as any).house}/${(entity as any).number}`
        const response = await inject(`${path}/${key}`)
        if (response.statusCode === 404) continue
        const whole = JSON.parse(
          JSON.stringify(serialize(entity as object, { forceObject: false }),
            (_, value) => typeof value === 'bigint' ? String(value) : value)
        )
        const record = bodyOf(response)
        // MikroORM serializes a to-many relation as a list of keys, which is left out here
        const expected = Object.fromEntries(Object.keys(record).map((name) => [name, whole[name] ?? null]))
        t.strictSame(record, { ...expected, ...differ(record) }, `${path}/${key}`)
      }
    }
    await compare(t, Plant, '/plants')
    await compare(t, Supplier, '/suppliers')
    await compare(t, Customer, '/customers')
    await compare(t, Order, '/orders')
    await compare(t, Offer, '/offers')
    await compare(t, AuditEntry, '/entries')
    // here, bytes are base64, intervals are PostgreSQL's text, ranges of moments are in UTC, and custom types do not
    // convert null
    await compare(
      t,
      Specimen,
      '/specimens',
      ({ scan, genome, dormancy, shown, lent, petals }) => ({
        scan, genome, dormancy, shown, lent, ...(petals === null && { petals }),
      })
    )
  })

  t.test('the database writes the answer in one statement', async (t) => {
    const recorder = await recordStatements(orm, t)
    await get('/plants/1')
    t.equal(recorder.take().length, 1)
    await get('/plants')
    t.equal(recorder.take().length, 1)
  })

  t.test(
    'times are in UTC in any time zone of the session',
    { skip: name === 'pglite' && 'PGlite has one session' },
    async (t) => {
      const em = orm.em.fork()
      await em.begin()
      t.teardown(() => em.rollback())
      await em.execute("set local time zone 'America/St_Johns'")
      const crud = resource(Specimen)
      t.strictSame(await crud.get(em, 1), USUAL)
    }
  )

  t.test('the uuid property also finds the record, in any case of its letters', async (t) => {
    const record = await get('/plants/14')
    t.strictSame(await get(`/plants/${plantUuid(14)}`), record)
    t.strictSame(await get(`/plants/${plantUuid(14).toUpperCase()}`), record)
    t.equal((await inject(`/plants/${plantUuid(15)}`)).statusCode, 404)
    t.equal((await inject(`/plants/${plantUuid(11)}`)).statusCode, 404, 'deleted')
  })

  t.test('keys of all kinds work in paths', async (t) => {
    t.match(await get(`/customers/${customerId(1)}`), { id: customerId(1), name: 'Ada' })
    t.match(await get('/shelves/A/2'), { house: 'A', number: 2, capacity: null })
    t.strictSame(await get('/items/1/3'), { order: 1, plant: 3, quantity: 1, price: 8 })
    t.match(await get('/entries/1'), { id: '1', action: 'sold' })
    t.match(await get('/plants/0001'), { id: 1 })
    t.match(await get('/plants/%31'), { id: 1 })
    t.strictSame(await get('/parcels/1'), {
      id: 1, kind: 'parcel', due: '2024-05-04', order: 1, carrier: 'snail', weight: '1.250',
    })
    t.match(await get('/deliveries/1'), { id: 1, kind: 'parcel', order: 1 })
  })

  t.test('absent, deleted and filtered rows, and those of another class, get the same answer', async (t) => {
    const { body, headers } = await inject('/plants/99')
    t.strictSame(JSON.parse(body), {
      statusCode: 404, code: 'FST_CRUD_NOT_FOUND', error: 'Not Found', message: 'The record was not found.',
      detail: 'The record was not found.',
      errors: [{ code: 'FST_CRUD_NOT_FOUND', detail: 'The record was not found.' }],
    })
    t.equal(headers['content-type'], 'application/json; charset=utf-8')
    for (const url of [
      '/plants/11', '/plants/0', '/plants/-1', '/plants/2147483647', `/plants/${plantUuid(99)}`,
      `/customers/${customerId(3)}`, '/suppliers/3', '/offers/2', '/parcels/2', '/shelves/A/9', '/shelves/a/1',
      '/items/1/2', '/entries/9223372036854775807',
    ]) {
      const response = await inject(url)
      t.strictSame([response.statusCode, response.body], [404, body], url)
    }
  })

  t.test('a key that its column cannot store is a 400', async (t) => {
    t.strictSame(bodyOf(await inject('/plants/x')), {
      statusCode: 400,
      code: 'FST_ERR_VALIDATION',
      error: 'Bad Request',
      message: "The path's id must be an integer from -2147483648 to 2147483647, or a UUID.",
      detail: "The path's id must be an integer from -2147483648 to 2147483647, or a UUID.",
      errors: [{
        source: { parameter: 'id' },
        code: 'FST_ERR_VALIDATION',
        detail: "The path's id must be an integer from -2147483648 to 2147483647, or a UUID.",
      }],
    })
    const recorder = await recordStatements(orm, t)
    for (const url of [
      '/plants/2147483648', '/plants/-2147483649', '/plants/1e3', '/plants/1.0', '/plants/0x1', '/plants/%20',
      '/plants/%2B1', '/plants/1%20', '/plants/NaN', '/plants/null', '/plants/undefined', '/plants/1,2', '/plants/1%00',
      '/plants/%D9%A1', '/plants/__proto__', '/plants/constructor', '/plants/[object%20Object]',
      '/plants/00000000-0000-4000-8000-00000000000', '/plants/{00000000-0000-4000-8000-000000000001}',
      '/plants/1%27%20or%201=1--', `/plants/${'9'.repeat(90)}`, '/customers/1', '/customers/x',
      '/entries/9223372036854775808', '/entries/x', '/items/1/x', '/items/x/1', '/shelves/A/x', '/shelves/A%00/1',
      '/deliveries/1.5',
    ]) {
      t.match(bodyOf(await inject(url)), {
        statusCode: 400, code: 'FST_ERR_VALIDATION', errors: [{ code: 'FST_ERR_VALIDATION' }],
      }, url)
    }
    t.match(bodyOf(await inject('/items/x/y')), {
      errors: [{ source: { parameter: 'order' } }, { source: { parameter: 'plant' } }],
    }, 'all parts at once')
    t.strictSame(recorder.take(), [], 'nothing reached the database')
  })

  t.test('a path of another form does not match a route', async (t) => {
    for (const url of ['/plants/1/2', '/items/1', '/items/1/3/4', '/shelves/A']) {
      t.equal((await inject(url)).json().message, `Route GET:${url} not found`)
    }
  })
})
