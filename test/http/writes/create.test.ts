import t from 'tap'
import {
  AuditEntry, Customer, Delivery, entities, Group, Label, Order, OrderItem, Parcel, Pickup, Plant, Shelf, Specimen,
  Supplier, Tag,
} from '../../fixtures/entities.ts'
import { customerId, seed } from '../../fixtures/seed.ts'
import { forEachDatabase } from '../../helpers/databases.ts'
import { bodyOf, countOf, resource, select, serve, verdict, writes } from '../helper.ts'

const UUID = /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/
const MILLISECONDS = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

await forEachDatabase(t, { entities, seed }, async (t, { orm }) => {
  const app = await serve(t, orm, {
    '/plants': resource(Plant), '/suppliers': resource(Supplier), '/tags': resource(Tag), '/groups': resource(Group),
    '/labels': resource(Label), '/shelves': resource(Shelf), '/orders': resource(Order), '/items': resource(OrderItem),
    '/customers': resource(Customer), '/entries': resource(AuditEntry), '/deliveries': resource(Delivery),
    '/parcels': resource(Parcel), '/pickups': resource(Pickup), '/specimens': resource(Specimen),
  }, { bodyLimit: 100_000 })
  const { post, created, read, check } = writes(app)

  t.test('a create answers 201 with the record and its location', async (t) => {
    const response = await post('/plants', { name: 'Mint', supplier: 1, price: 2.5, sku: 'MIN-001' })
    t.equal(response.statusCode, 201)
    t.equal(response.headers.location, '/plants/15')
    t.equal(response.headers['etag'], undefined, 'there is no version to name')
    const record = bodyOf(response)
    const { uuid, created_at: createdAt, updated_at: updatedAt, ...rest } = record
    t.strictSame(rest, {
      id: 15, deleted_at: null, name: 'Mint', latinName: null, position: 0, status: 'draft', price: 2.5, inStock: true,
      description: null, sku: 'MIN-001', nameLength: 4, slug: 'mint', supplier: 1, group: null, shelf: null,
    })
    t.match(uuid, UUID)
    t.match(createdAt, MILLISECONDS)
    t.ok(Math.abs(Date.parse(createdAt) - Date.now()) < 60_000)
    t.ok(Math.abs(Date.parse(updatedAt) - Date.parse(createdAt)) < 60_000)
    t.strictSame(await read('/plants/15'), record)
    t.strictSame(await read(response.headers.location as string), record)
    t.strictSame(await select(orm, 'select name, supplier_id, article_number from plant where id = 15'), [{
      name: 'Mint', supplier_id: 1, article_number: 'MIN-001',
    }])
  })

  t.test('the location is below the requested path', async (t) => {
    t.match((await post('/tags/', { name: 'slash' })).headers.location, /^\/tags\/\d+$/)
    t.match((await post('/tags?', { name: 'question' })).headers.location, /^\/tags\/\d+$/)
    t.equal((await post('/shelves', { house: 'Z/?#', number: 7 })).headers.location, '/shelves/Z%2F%3F%23/7')
    t.equal((await post('/shelves', { house: '...', number: 7 })).headers.location, '/shelves/.../7')
    for (const house of ['.', '..', '']) {
      t.match(await post('/shelves', { house, number: 7 }), { statusCode: 201, headers: { location: undefined } },
        `'${house}' would lead elsewhere`)
    }
    t.match(await read('/shelves/Z%2F%3F%23/7'), { house: 'Z/?#', number: 7 })
    t.match((await post('/customers', { name: 'Dan', email: 'dan@customers.example' })).headers.location,
      new RegExp(`^/customers/${UUID.source.slice(1)}`))
    t.equal((await post('/items', { order: 2, plant: 3, price: 1 })).headers.location, '/items/2/3')
    t.equal((await post('/entries', { action: 'made', at: '2024-05-04T00:00:00Z' })).headers.location, '/entries/4')
  })

  t.test('an empty record lacks the required properties', async (t) => {
    t.equal(verdict(await post('/groups', {})), '400 FST_ERR_VALIDATION /name')
    t.equal(verdict(await post('/items', {})), '400 FST_ERR_VALIDATION /order /plant /price')
  })

  t.test('all mistakes of a record are listed at once', async (t) => {
    const response = await post('/plants', { name: 5, price: '1', id: 7, nmae: 'x', status: 'sold' })
    t.strictSame(bodyOf(response), {
      statusCode: 400, code: 'FST_ERR_VALIDATION', error: 'Bad Request', message: bodyOf(response).message,
      detail: bodyOf(response).message,
      errors: [
        { source: { pointer: '/name' }, code: 'FST_ERR_VALIDATION', detail: "'name' must be a string." },
        { source: { pointer: '/price' }, code: 'FST_ERR_VALIDATION', detail: "'price' must be a number." },
        {
          source: { pointer: '/id' },
          code: 'FST_ERR_VALIDATION',
          detail: bodyOf(response).errors[2].detail,
          allowed: bodyOf(response).errors[2].allowed,
        },
        {
          source: { pointer: '/nmae' },
          code: 'FST_ERR_VALIDATION',
          detail: bodyOf(response).errors[3].detail,
          allowed: bodyOf(response).errors[3].allowed,
          suggestion: 'name',
        },
        {
          source: { pointer: '/status' },
          code: 'FST_ERR_VALIDATION',
          detail: "'status' must be one of its members. Allowed: active, archived, draft.",
          allowed: ['draft', 'active', 'archived'],
        },
        {
          source: { pointer: '/supplier' },
          code: 'FST_ERR_VALIDATION',
          detail: "The property 'supplier' is required.",
        },
      ],
    })
    for (const { detail } of bodyOf(response).errors.slice(0, 5)) t.ok(bodyOf(response).message.includes(detail))
    t.match(bodyOf(response).errors[2].detail, /^The property 'id' cannot be written\./)
    t.strictSame(bodyOf(response).errors[3].allowed.slice().sort(), [
      'description', 'group', 'inStock', 'latinName', 'name', 'position', 'price', 'shelf', 'sku', 'status', 'supplier',
      'tags',
    ])
  })

  t.test('properties that clients may not write are refused by name', async (t) => {
    const valid = { name: 'Never', supplier: 1 }
    for (const name of [
      'id', 'uuid', 'created_at', 'updated_at', 'deleted_at', 'nameLength', 'slug', 'label', 'offers', 'specimens',
      'orderItems', 'selected', 'purchasePrice', 'articleNumber', 'latinname', 'LATINNAME', 'group_id', 'supplier_id',
      'order', '__proto__x', 'toString', '', 'a/b', 'a~b', 'constructor',
    ]) {
      const pointer = `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`
      t.equal(verdict(await post('/plants', { ...valid, [name]: 1 })), `400 FST_ERR_VALIDATION ${pointer}`, name)
      t.equal(verdict(await post('/plants', { ...valid, [name]: null })), `400 FST_ERR_VALIDATION ${pointer}`,
        `${name}: null`)
    }
    t.equal(verdict(await post('/orders', { customer: customerId(1), version: 3 })), '400 FST_ERR_VALIDATION /version')
    t.equal(await countOf(orm, "plant where name = 'Never'"), 0)
  })

  t.test('a hidden name and an unknown one get the same answer, byte for byte', async (t) => {
    for (const value of [1, null, 'x', {}]) {
      const [hidden, unknown] = await Promise.all(
        ['purchasePrice', 'purchaseQrice'].map((name) => post('/plants', { name: 'Never', supplier: 1, [name]: value }))
      )
      t.equal(hidden!.statusCode, 400)
      t.equal(hidden!.body.replaceAll('purchasePrice', 'purchaseQrice'), unknown!.body)
    }
  })

  t.test('bodies are not coerced, and limits are those of the columns', async (t) => {
    const refused = async (path: string, valid: object, cases: Record<string, readonly unknown[]>) => {
      for (const [name, values] of Object.entries(cases)) {
        for (const value of values) {
          t.equal(verdict(await post(path, { ...valid, [name]: value })), `400 FST_ERR_VALIDATION /${name}`,
            `${name}: ${JSON.stringify(value)?.slice(0, 60)}`)
        }
      }
    }
    await refused('/plants', { name: 'Never', supplier: 1 }, {
      name: [1, true, {}, [], null, 'x'.repeat(256), 'nul\0', '\ud800', '🌹'.repeat(256)],
      position: ['1', 1.5, 2147483648, -2147483649, 1e300, true, null, [1], {}, ''],
      price: ['1', 1e10, 10000000000, 1.001, -10000000000, true, 1e-7, [], {}],
      inStock: [0, 1, 'true', null, 'false'],
      status: ['sold', 'DRAFT', '', 0, null, ['draft'], {}],
      sku: ['x'.repeat(21), 7],
      supplier: ['1', null, 1.5, [1], { id: 1 }, 2147483648, '', true],
      shelf: [1, 'A', ['A', 1], {}, { house: 'A' }, { house: 'A', number: 1, more: 1 }],
    })
    const wrongParts = { number: { house: 'A', number: '1' }, house: { house: null, number: 1 } }
    for (const [name, shelf] of Object.entries(wrongParts)) {
      const response = await post('/plants', { name: 'Never', supplier: 1, shelf })
      t.equal(verdict(response), `400 FST_ERR_VALIDATION /shelf/${name}`)
    }
    await refused('/specimens', { code: 'NEVER', plant: 1 }, {
      code: ['x'.repeat(13), 1, null],
      leaves: [2147483648, -2147483649, 0.5, '1'],
      stems: [32768, -32769],
      cells: [1, '9223372036854775808', '-9223372036854775809', '1.0', '', 'x', ' 1', '1e3', '0x1'],
      pollen: ['1', 9007199254740992, -9007199254740992, 0.5],
      spores: [1, '9223372036854775808', 'x'],
      dryMass: [1, '1e3', '100000000000000', '0.1234567', 'Infinity', '', '.5', '5.', '+1'],
      value: ['1', 100000000, 0.001],
      acidity: ['1', 'nan'],
      chlorophyll: [3.5e38, '1'],
      alive: [0, 'yes'],
      nickname: ['x'.repeat(41), '😀'.repeat(41)],
      grade: ['AB', 1],
      tracker: ['x', 1, '3f0c8a52-7c0e-4f57-9d53-2d6f4a1c9b1', '{3f0c8a52-7c0e-4f57-9d53-2d6f4a1c9b10}'],
      health: ['fine', 1],
      hardiness: ['2', 4, 'Hardy'],
      flowering: ['Summer', 1],
      pruned: ['spring', ['spring', 'x'], {}, [1]],
      sownOn: ['2024-02-30', '2023-02-29', '2024-1-1', '0000-01-01', '2024-01-01T00:00:00Z', 20240101, ''],
      measuredAt: [
        'yesterday', 1700000000000, '2024-02-30T00:00:00Z', '2024-01-01T24:00:01Z', '2024-01-01T00:00:00+25:00', '',
      ],
      wateredAt: ['25:00:00', '7:30', 730, '', '09:30:00.1234567'],
      dormancy: [1, {}, 'x\0'],
      readings: ['\0', '\ud800', { a: '\0' }],
      synonyms: ['x', [1], ['a', ['b']], [['a'], ['b', 'c']], [['a'], 'b'], [[]], ['\0'], { 0: 'x' }],
      ringWidths: [[1.5], ['1'], [2147483648], '1', [[1], [1, 2]]],
      scan: ['=', 'A', 'AAA', [0], 1, 'AA==AA=='],
      genome: ['!', 1],
      petals: [{}, '#12345678'],
      size: [1, 'x', []],
    })
    t.match(await post('/specimens', { code: 'NEVER', plant: 1, pollen: 9007199254740992 }).then(bodyOf), {
      message: "'pollen' must be an integer from -9007199254740991 to 9007199254740991.",
    })
    await refused('/suppliers', { name: 'Never', country: 'fr' }, {
      country: ['fra', 'f'.repeat(3), null, 1],
      address: [1, 'x', [], true],
    })
    t.equal(verdict(await post('/suppliers', { name: 'Never', country: 'fr', address: { street: 1, town: 'x' } })),
      '400 FST_ERR_VALIDATION /address/town /address/street')
    t.equal(verdict(await post('/suppliers', { name: 'Never', country: 'fr', address: {} })),
      '400 FST_ERR_VALIDATION /address/street')
    for (const [size, pointer] of [
      [{ height: 1 }, 'width'],
      [{ height: '1', width: 1 }, 'height'],
      [{ height: 1, width: 1, depth: 1 }, 'depth'],
      [{ height: null, width: 1 }, 'height'],
      [{ height: 1, width: 1, unit: 5 }, 'unit'],
      [{ height: 1, width: 1.5 }, 'width'],
    ] as const) {
      t.equal(verdict(await post('/specimens', { code: 'NEVER', plant: 1, size })),
        `400 FST_ERR_VALIDATION /size/${pointer}`)
    }
    for (const table of ['plant', 'supplier']) {
      t.equal(await countOf(orm, `${table} where name = 'Never'`), 0)
    }
  })

  t.test('a value that only the SQL of a custom type refuses is also a 400', async (t) => {
    for (const minimum of ['x', {}, [], '', 1e300, true]) {
      t.equal(verdict(await post('/specimens', { code: 'NEVER', plant: 1, minimum })),
        minimum === 1e300 ? '400 FST_CRUD_DATA_INVALID' : '400 FST_CRUD_DATA_INVALID /minimum', JSON.stringify(minimum))
    }
  })

  t.test('the greatest values fit', async (t) => {
    const data = {
      code: 'x'.repeat(12), plant: 1, leaves: 2147483647, stems: -32768, cells: '9223372036854775807',
      pollen: -9007199254740991, spores: '-9223372036854775808', dryMass: '-99999999999999.999999', value: 99999999.99,
      acidity: 1.7976931348623157e308, chlorophyll: -3.4028235e38, minimum: -273.1, nickname: '😀'.repeat(40),
      grade: 'é', sownOn: '9999-12-31', measuredAt: '9999-12-31T23:59:59.999Z', recordedAt: '0001-01-01T00:00:00.000Z',
      wateredAt: '23:59:59', readings: [[[{ a: null }]]], scan: '', ringWidths: [-2147483648, 2147483647],
      synonyms: ['', '{}', '"', '\\', 'null', ',', ' '], pruned: [],
    }
    const record = await created('/specimens', data)
    t.match(record, data)
    t.strictSame(await read(`/specimens/${record.id}`), record)
    await check(t, [
      ['POST /plants', {
        name: 'x'.repeat(255), supplier: 1, position: -2147483648, price: 9999999999.99, sku: '🌹'.repeat(20),
      }, { position: -2147483648, price: 9999999999.99, sku: '🌹'.repeat(20) }],
      ['POST /plants', { name: '🌹'.repeat(255), supplier: 1, price: -0.01 }, { nameLength: 255, price: -0.01 }],
    ])
  })

  t.test('null is accepted if the column allows it', async (t) => {
    const record = await created('/plants', {
      name: 'Nulls', supplier: 1, price: null, description: null, group: null, shelf: null, latinName: null, sku: null,
    })
    t.match(record, { price: null, description: null, group: null, shelf: null, latinName: null, sku: null })
    const json = await created('/specimens', {
      code: 'JSON', plant: 1, readings: null, size: null, scan: null, pruned: null, dormancy: null,
    })
    t.match(json, { readings: null, size: null, scan: null, pruned: null, dormancy: null })
    t.match(await select(orm, "select readings is null as is_null from specimen where code = 'JSON'"), [{
      is_null: true,
    }], 'null of SQL, not of JSON')
  })

  t.test('JSON of every kind is stored unchanged', async (t) => {
    for (const [index, value] of [
      'text', '', 0, -1.5, true, false, [], {}, [null], { a: { b: [1, 'x', null, { 'c"d\\': '😀' }] } }, 'null',
      '"quoted"', '{"a":1}', 1e300, 1e15, 1.5e-300,
    ].entries()) {
      const record = await created('/specimens', { code: `J${index}`, plant: 1, readings: value })
      t.strictSame(record.readings, value, JSON.stringify(value))
      t.strictSame((await read(`/specimens/${record.id}`)).readings, value)
    }
  })

  t.test('embedded objects are stored in columns of the table, or as JSON', async (t) => {
    const record = await created('/suppliers', {
      name: 'Embedded', country: 'de', address: { street: 'Hauptstraße 1' },
    })
    t.match(record, { country: 'DE', address: { street: 'Hauptstraße 1', city: null } })
    t.strictSame(await read(`/suppliers/${record.id}`), record)
    t.strictSame(
      await select(orm, `select address_street, address_city, country from supplier where id = ${record.id}`),
      [{ address_street: 'Hauptstraße 1', address_city: null, country: 'de' }]
    )
    t.match(await created('/suppliers', { name: 'None', country: 'de', address: null }), { address: null })
    t.match(await created('/suppliers', { name: 'Left out', country: 'de' }), { address: null })
    const size = { height: 3, width: 4, unit: 'm' }
    const specimen = await created('/specimens', { code: 'SIZE', plant: 1, size })
    t.strictSame(specimen.size, size)
  })

  t.test('a body that is not a record is refused', async (t) => {
    for (const body of [null, 'text', 5, true, [], [{ name: 'x', supplier: 1 }]]) {
      t.equal(verdict(await post('/plants', body)), '400 FST_ERR_VALIDATION ', JSON.stringify(body))
    }
    const empty = await post('/plants')
    t.equal(verdict(empty), '400 FST_ERR_VALIDATION ', 'no body at all')
    const sentence = 'The request has no body. Send a record as JSON, with the content type application/json.'
    t.equal(empty.json().message, sentence)
    const send = (payload: string, type: string) =>
      app.inject({ method: 'POST', url: '/plants', payload, headers: { 'content-type': type } })
    t.equal((await send('{"name":"x","supplier":1}', 'text/plain')).statusCode, 415)
    t.equal((await send('name=x&supplier=1', 'application/x-www-form-urlencoded')).statusCode, 415)
    t.equal((await send('<x/>', 'application/xml')).statusCode, 415)
    for (const malformed of [
      '{', '', '{"name":}', "{'name':'x'}", 'undefined', '{"name":"x"}}', '{"__proto__":{"x":1}}',
      '{"name":"x","supplier":1,"constructor":{"prototype":{"x":1}}}', '\0', 'NaN',
    ]) {
      const response = await send(malformed, 'application/json')
      t.equal(response.statusCode, 400, malformed)
      t.match(response.json(), { statusCode: 400, code: /^FST_/, message: String }, malformed)
    }
    t.equal((await post('/plants', { name: 'x'.repeat(100_001), supplier: 1 })).statusCode, 413)
    const deep = `${'['.repeat(40_000)}${']'.repeat(40_000)}`
    const response = await app.inject({
      method: 'POST', url: '/specimens', payload: `{"code":"DEEP","plant":1,"readings":${deep}}`,
      headers: { 'content-type': 'application/json' },
    })
    t.equal(verdict(response), '400 FST_ERR_VALIDATION /readings')
  })

  t.test('parameters of reads are refused, and hard is refused as well', async (t) => {
    const before = await countOf(orm, 'tag')
    for (const query of [
      'fields=name', 'include=plants', 'sort=name', 'filter[name]=x', 'page=1', 'cursor=', 'filters=1', 'hard=true',
      'utm_source=x',
    ]) {
      t.match(verdict(await post(`/tags?${query}`, { name: 'query' })), /^400 FST_CRUD_/, query)
    }
    t.equal(await countOf(orm, 'tag'), before)
  })

  t.test('with single-table inheritance, the resource decides the class of a row', async (t) => {
    const parcel = await created('/parcels', { order: 1, carrier: 'turtle', weight: '0.500', due: '2024-06-01' })
    t.match(parcel, { kind: 'parcel', order: 1, carrier: 'turtle', weight: '0.500', due: '2024-06-01' })
    t.strictSame(await read(`/parcels/${parcel.id}`), parcel)
    t.match(await read(`/deliveries/${parcel.id}`), { kind: 'parcel' })
    t.match(await created('/pickups', { order: 1, counter: 3 }), { kind: 'pickup', counter: 3, due: null })
    t.equal(verdict(await post('/parcels', { order: 1, carrier: 'x', kind: 'pickup' })), '400 FST_ERR_VALIDATION /kind')
    t.equal(verdict(await post('/parcels', { order: 1, carrier: 'x', counter: 1 })), '400 FST_ERR_VALIDATION /counter')
    t.equal(verdict(await post('/parcels', { order: 1 })), '400 FST_ERR_VALIDATION /carrier')
  })

  t.test('an abstract class of single-table inheritance creates no records', async (t) => {
    for (const body of [{ order: 1 }, { order: 1, kind: 'parcel' }]) {
      t.equal((await post('/deliveries', body)).statusCode, 404)
    }
  })

  t.test('the client may give the key', async (t) => {
    t.strictSame(await created('/shelves', { house: 'C', number: 1, capacity: 5 }), {
      house: 'C', number: 1, capacity: 5,
    })
    t.strictSame(await read('/shelves/C/1'), { house: 'C', number: 1, capacity: 5 })
    t.equal(verdict(await post('/shelves', { house: 'C', number: 1 })), '409 FST_CRUD_CONFLICT /house /number')
    t.equal(verdict(await post('/shelves', { house: 'C' })), '400 FST_ERR_VALIDATION /number')
    t.equal(verdict(await post('/shelves', { house: null, number: 1 })), '400 FST_ERR_VALIDATION /house')
  })

  t.test('records are created in another schema, and in a table named by a reserved word', async (t) => {
    t.strictSame(await created('/entries', { action: 'watered', at: '2024-05-04T10:00:00+02:00', plant: 1 }), {
      id: '5', action: 'watered', at: '2024-05-04T08:00:00.000Z', plant: 1,
    })
    t.match(await select(orm, 'select action from audit.entry where id = 5'), [{ action: 'watered' }])
    const group = await created('/groups', { name: 'Succulents', parent: 1 })
    t.strictSame(await read(`/groups/${group.id}`), group)
    t.match(await created('/orders', { customer: customerId(1) }), { version: 1, customer: customerId(1), note: null })
  })

  t.test('records may have a composite key of relations', async (t) => {
    t.strictSame(await created('/items', { order: 2, plant: 1, price: 2.5 }), {
      order: 2, plant: 1, quantity: 1, price: 2.5,
    })
    t.equal(verdict(await post('/items', { order: 2, plant: 1, price: 2.5 })), '409 FST_CRUD_CONFLICT /order /plant')
    t.equal(verdict(await post('/items', { order: 2, price: 2.5 })), '400 FST_ERR_VALIDATION /plant')
  })

  t.test('create() takes Dates, bigints and bytes of JavaScript', async (t) => {
    const crud = resource(Specimen)
    const record = await crud.create(orm.em.fork(), {
      code: 'PROGRAM', plant: 1, measuredAt: new Date(1e12), recordedAt: new Date(1e12), spores: 12n, cells: 13n,
      scan: Buffer.from([1, 2]), genome: new Uint8Array([3]), leaves: undefined,
    })
    t.match(record, {
      measuredAt: '2001-09-09T01:46:40.000Z', recordedAt: '2001-09-09T01:46:40.000Z', spores: '12', cells: '13',
      scan: 'AQI=', genome: 'Aw==', leaves: null,
    })
    await t.rejects(crud.create(orm.em.fork(), { code: 'PROGRAM2', plant: 1, measuredAt: new Date(NaN) }), {
      code: 'FST_ERR_VALIDATION',
    })
    await t.rejects(crud.create(orm.em.fork(), { code: 'PROGRAM2', plant: 1, leaves: NaN }), {
      code: 'FST_ERR_VALIDATION',
    })
    await t.rejects(crud.create(orm.em.fork(), { code: 'PROGRAM2', plant: 1, value: Infinity }), {
      code: 'FST_ERR_VALIDATION',
    })
    await t.rejects(crud.create(orm.em.fork(), { code: 'PROGRAM2', plant: 1, readings: () => 1 }), {
      code: 'FST_ERR_VALIDATION',
    })
  })

  t.test('create() does not change the passed data', async (t) => {
    const data = Object.freeze({ name: 'Frozen', supplier: 1, tags: Object.freeze([1]) })
    await resource(Plant).create(orm.em.fork(), data)
    t.strictSame(data, { name: 'Frozen', supplier: 1, tags: [1] })
  })
})
