import { defineEntity, p, type EventArgs } from '@mikro-orm/core'
import type { EntityManager, MikroORM } from '@mikro-orm/postgresql'
import t from 'tap'
import {
  CrudBase, withTransaction, type AfterContext, type CrudContext, type CrudRoutesOptions,
} from '../../../src/index.ts'
import { softDelete, timestamps } from '../../../src/entities/base-model.ts'
import { ColourType } from '../../fixtures/custom-types.ts'
import { forEachDatabase, forPostgres, openPgliteFor } from '../../helpers/databases.ts'
import { hooked } from '../../helpers/hooked.ts'
import { recordStatements } from '../../helpers/statements.ts'
import { select, serve, verdict, writes, type Json } from '../helper.ts'

const id = { id: p.integer().primary().autoincrement() }

const Shop = defineEntity({ name: 'Shop', properties: { ...id, ...softDelete, name: p.string() } })

/** With several keys, and with everything that an update and an insert treat differently. */
const Product = defineEntity({
  name: 'Product',
  properties: {
    ...id, ...timestamps, ...softDelete, version: p.integer().version(), tenant: p.integer().default(0),
    sku: p.string().length(20).serializedName('SKU').unique(), ean: p.string().length(13).unique().nullable(),
    code: p.string().length(20).nullable(), name: p.string(), price: p.decimal('number').precision(10).scale(2),
    stock: p.integer().default(0), label: p.string().nullable(),
    doubled: p.integer().generated('(stock * 2) stored').nullable(), secret: p.string().hidden().nullable(),
    shop: () => p.manyToOne(Shop).nullable(),
  },
  uniques: [{ properties: ['tenant', 'code'] }, { properties: ['label'], where: 'deleted_at is null' }],
  checks: [{ name: 'enough', expression: 'price >= stock' }],
  filters: { listed: { name: 'listed', cond: { stock: { $lt: 900 } }, default: true } },
})

/** A key of two columns, which is the primary key, and types whose values cannot be written as JSON. */
const Rate = defineEntity({
  name: 'Rate',
  properties: {
    shop: () => p.manyToOne(Shop).primary(), day: p.date().primary(), colour: p.type(ColourType).nullable(),
    marks: p.array().nullable(), value: p.integer(),
  },
})

/** Its keys have types whose values can be written in several ways. Its table has the name of a type of PostgreSQL. */
const Line = defineEntity({
  name: 'Line',
  properties: {
    ...id,
    at: p.datetime().columnType('timestamptz(3)').unique().nullable(),
    local: p.datetime().columnType('timestamp').unique().nullable(),
    amount: p.decimal().precision(20).scale(4).unique().nullable(),
    open: p.time().columnType('time').unique().nullable(),
    lasts: p.string().columnType('interval').unique().nullable(),
    code: p.string().columnType('char(5)').unique().nullable(),
    share: p.float().columnType('real').unique().nullable(),
    span: p.string().columnType('int4range').unique().nullable(),
    bytes: p.blob().unique().nullable(),
    uuid: p.uuid().unique().nullable(),
    note: p.string().nullable(),
  },
})

const events: string[] = []
const note = (event: string) => ({ entity }: EventArgs<any>) => {
  events.push(`${event} ${entity.name}`)
}
/** Written by MikroORM's unit of work, because of its hooks. */
const Audited = defineEntity({
  name: 'Audited',
  properties: { ...id, name: p.string().unique(), size: p.integer() },
  hooks: { beforeCreate: [note('create')], beforeUpdate: [note('update')] },
})

/** Bodies may give its primary key beside another key. */
const Currency = defineEntity({
  name: 'Currency',
  properties: { code: p.string().primary(), number: p.integer().unique(), name: p.string() },
})

const entities = [Shop, Product, Rate, Line, Audited, Currency]
const seed = (em: EntityManager): void => {
  em.create(Shop, { id: 1, name: 'north' })
  em.create(Shop, { id: 2, name: 'gone', deleted_at: new Date(0) })
  const product = (values: object): unknown => em.create(Product, { price: 500, tenant: 1, ...values } as never)
  product({ id: 1, sku: 'one', name: 'One', ean: '1', code: 'a', secret: 's', stock: 3 })
  product({ id: 2, sku: 'two', name: 'Two', ean: '2', code: 'b', shop: 2 })
  product({ id: 3, sku: 'gone', name: 'Gone', ean: '3', code: 'c', deleted_at: new Date(0) })
  product({ id: 4, sku: 'theirs', name: 'Theirs', ean: '4', code: 'a', tenant: 2 })
  product({ id: 5, sku: 'unlisted', name: 'Unlisted', ean: '5', code: 'e', stock: 900, price: 1000 })
}
/** Makes room for the keys of the seed. */
const restart = (orm: MikroORM): Promise<unknown> =>
  select(orm,
    ['product', 'shop'].map((table) => `select setval(pg_get_serial_sequence('${table}', 'id'), 10)`).join(' union '))

const upsertKeys = ['sku', 'ean', ['tenant', 'code']] as const
const products = (options: object = {}): CrudBase =>
  new CrudBase({ model: Product, writable: 'all', upsertKeys, ...options } as never)
/** What most tests of hooks write. */
const few = { model: Product, writable: ['sku', 'name', 'price'], upsertKeys: ['sku'] }
const audited = {
  crud: new CrudBase({ model: Audited, writable: 'all', upsertKeys: ['name'] }),
  operations: ['upsert'],
} as const

const OUTSIDE = '403 FST_CRUD_OUT_OF_SCOPE'
const STALE = '412 FST_CRUD_PRECONDITION_FAILED'
const operations: CrudRoutesOptions['operations'] = [
  'list', 'get', 'create', 'createMany', 'upsert', 'update', 'delete',
]

await forEachDatabase(t, { entities, seed }, async (t, { orm }) => {
  await restart(orm)
  const recorder = await recordStatements(orm, t)
  const app = await serve(t, orm, {
    '/products': { crud: products(), operations },
    '/narrow': {
      crud: products({
        writable: { create: ['sku', 'ean', 'name', 'price', 'tenant', 'code'], update: ['price', 'stock', 'shop'] },
      }),
      operations,
    },
    '/scoped': {
      crud: products({ writable: ['sku', 'code', 'name', 'price'] }), operations, scope: () => ({ tenant: 1 }),
    },
    '/cheap': { crud: products(), operations, scope: () => ({ tenant: 1, price: { $lt: 600 } }) },
    '/together': { crud: products(), operations, transaction: true },
    '/lenient': { crud: products(), operations, readonlyProperties: 'ignore', maxBatch: 2 },
    '/rates': {
      crud: new CrudBase({ model: Rate, writable: 'all', upsertKeys: [['shop', 'day']] }),
      operations: ['upsert', 'get'],
    },
    '/lines': {
      crud: new CrudBase({
        model: Line,
        writable: 'all',
        upsertKeys: ['at', 'local', 'amount', 'open', 'lasts', 'code', 'share', 'span', 'bytes', 'uuid'],
      }),
      operations: ['createMany', 'upsert'],
    },
    '/audited': audited,
  })
  const { put, post, read, check } = writes(app)
  const { words } = recorder
  /** Upserts a list: for each record whether it is new, and some of its properties. */
  const listed = async (url: string, list: unknown, ...names: readonly string[]): Promise<unknown[]> =>
    (await put(url, list)).json().map(({ created, record }: Json) => [created, ...names.map((name) => record[name])])
  let serial = 0
  /** A complete record that does not exist. */
  const fresh = (values: object = {}): Json => ({ SKU: `n${++serial}`, name: 'New', price: 10, ...values })
  const stored = async (sku: string): Promise<Json> =>
    (await select(orm, `select * from product where sku = '${sku}'`))[0]

  t.test('a record is created, and then changed by what is given', async (t) => {
    const record = fresh({ stock: 4 })
    recorder.take()
    const made = await put('/products?on=SKU', record)
    t.equal(words(), 'with', 'one statement')
    t.equal(made.statusCode, 201)
    const before = made.json()
    t.match(before, { ...record, version: 1, doubled: 8, tenant: 0 })
    t.equal(made.headers.location, `/products/${before.id}`)
    t.equal(made.headers.etag, '"1"')
    const changed = await put('/products?on=SKU', { SKU: record.SKU, price: 12 })
    t.equal(words(), 'update', 'a record that cannot be new is only looked for')
    t.equal(changed.statusCode, 200)
    t.equal(changed.headers.location, undefined)
    t.equal(changed.headers.etag, '"2"')
    const { updated_at: updated, ...after } = changed.json()
    t.strictSame({ ...after, updated_at: before.updated_at }, { ...before, price: 12, version: 2 })
    t.ok(updated >= before.updated_at)
    const again = await put('/products?on=SKU', { ...record, name: 'Again' })
    t.equal(words(), 'with')
    t.match([again.statusCode, again.json()], [200, { id: before.id, name: 'Again', version: 3, stock: 4, price: 10 }])
    t.equal((await stored(record.SKU)).id, before.id)
  })

  t.test('a key may have several parts, in any order', async (t) => {
    const record = fresh({ tenant: 7, code: 'x' })
    await check(t, [
      ['PUT /products?on=tenant,code', record, '201'],
      ['PUT /products?on=code,tenant', { tenant: 7, code: 'x', stock: 2 }, { stock: 2 }],
      ['PUT /products?on=code,tenant', { tenant: 7, stock: 2 }, '400 FST_ERR_VALIDATION /code'],
      ['PUT /products?on=code', record, '400 FST_CRUD_QUERY_INVALID on'],
    ])
  })

  t.test('a list is written in its order, by one statement', async (t) => {
    const some = Array.from({ length: 5 }, (_, index) => fresh({ stock: index }))
    await put('/products?on=SKU', some.slice(1, 3))
    recorder.take()
    t.strictSame(
      await listed('/products?on=SKU', some.toReversed(), 'SKU', 'stock', 'version'),
      some.map(({ SKU, stock }, index) => [![1, 2].includes(index), SKU, stock, [1, 2].includes(index) ? 2 : 1])
        .reverse()
    )
    t.equal(words(), 'with')
    await check(t, [['PUT /products?on=SKU', [], '200']])
    t.strictSame(await listed('/products?on=SKU', []), [])
    recorder.take()
    t.strictSame(await listed('/products?on=SKU', some.map(({ SKU }) => ({ SKU, price: 20 })), 'price'),
      some.map(() => [false, 20]))
    t.notMatch(recorder.texts().join(), '@own_', 'changes have no values beside those of new records')
  })

  t.test('records of a list may give different properties, and are written together', async (t) => {
    const [one, two] = [fresh(), fresh({ stock: 1 })]
    recorder.take()
    t.strictSame(await listed('/products?on=SKU', [one, two, { SKU: 'one', price: 21 }, fresh({ ean: '77' })]), [
      [true], [true], [false], [true],
    ])
    t.equal(words(), 'begin with with with update commit')
    // price >= stock
    await check(t, [[
      'PUT /products?on=SKU', [fresh({ name: 'kept?' }), { SKU: 'one', price: 1 }],
      '400 FST_CRUD_DATA_INVALID /1/price /1/stock',
    ]])
    t.strictSame(await select(orm, "select id from product where name = 'kept?'"), [])
  })

  t.test('a row in the way is the conflict of a create, byte for byte', async (t) => {
    for (const [path, record] of [
      ['/products', { SKU: 'gone' }],
      ['/products', { SKU: 'unlisted' }],
      ['/products', { SKU: 'one', ean: '4', stock: 0 }],
      ['/products', { ean: '4' }],
      ['/scoped', { SKU: 'theirs' }],
      ['/scoped', { SKU: 'unlisted' }],
      ['/cheap', { SKU: 'unlisted' }],
    ] as const) {
      const complete: Json = fresh(record)
      for (const body of [complete, [fresh(), complete]]) {
        const [created, upserted] = [await post(path, body), await put(`${path}?on=SKU`, body)]
        t.strictSame([created.statusCode, upserted.statusCode], [409, 409], created.body)
        // which of two keys is named first, is not said
        if (!('ean' in record)) t.equal(upserted.body, created.body, JSON.stringify(record))
        if (body !== complete) t.equal(upserted.json().errors[0].source.pointer.slice(0, 2), '/1')
      }
    }
    // without what a new record needs, an invisible row is as no row
    for (const SKU of ['gone', 'unlisted', 'theirs', 'nothing']) {
      const { body } = await put('/scoped?on=SKU', { SKU, name: 'x' })
      t.equal(body, (await put('/scoped?on=SKU', { SKU: 'nothing', name: 'x' })).body)
      t.match(JSON.parse(body), { statusCode: 400, errors: [{ source: { pointer: '/price' } }] })
    }
  })

  t.test('a new record needs what a create needs, and an existing one what an update may set', async (t) => {
    await check(t, [
      ['PUT /narrow?on=SKU', { SKU: 'narrow', name: 'Narrow', price: 30, ean: '99' }, '201'],
      ['PUT /narrow?on=SKU', { SKU: 'narrow', price: 31 }, '200'],
      ['PUT /narrow?on=SKU', { SKU: 'narrow', stock: 3 }, '200'],
      ['PUT /narrow?on=SKU', { SKU: 'narrow', name: 'x', price: 3 }, '400 FST_ERR_VALIDATION /name'],
      ['PUT /narrow?on=SKU', { SKU: 'narrow', name: 'x', stock: 3 }, '400 FST_ERR_VALIDATION /stock /price'],
      ['PUT /narrow?on=SKU', { SKU: 'new', stock: 3 }, '400 FST_ERR_VALIDATION /stock /name /price'],
      ['PUT /narrow?on=SKU', { SKU: 'new', price: 3 }, '400 FST_ERR_VALIDATION /name'],
      ['PUT /narrow?on=SKU', { SKU: 'narrow', label: 'x' }, '400 FST_ERR_VALIDATION /label'],
      ['PUT /narrow?on=SKU', { SKU: 'narrow', price: 'x' }, '400 FST_ERR_VALIDATION /price'],
      ['PUT /narrow?on=SKU', { name: 'Narrow', price: 30 }, '400 FST_ERR_VALIDATION /SKU'],
      ['PUT /narrow?on=SKU', { SKU: null, price: 30 }, '400 FST_ERR_VALIDATION /SKU'],
      ['PUT /narrow?on=SKU', [{ SKU: 'a', price: 1 }, { SKU: 'b', price: 1 }, { SKU: 'a', price: 1 }],
        '400 FST_ERR_VALIDATION /0/SKU /2/SKU'],
      ['PUT /narrow?on=SKU', [{ SKU: 'narrow', price: 32 }, { SKU: 'b', price: 1 }], '400 FST_ERR_VALIDATION /1/name'],
      ['PUT /narrow?on=SKU', [{ SKU: 'narrow', name: 'x', price: 1 }, { SKU: 'b', price: 1, name: 'b' }],
        '400 FST_ERR_VALIDATION /0/name'],
    ])
    const details = async (request: string, body: object) =>
      (await check(t, [[request, body, 400]]))[0]!.json().errors.map(({ detail }: Json) => detail)
    const [name] = await details('PUT /narrow?on=SKU', { SKU: 'narrow', name: 'x', price: 3 })
    t.equal(name, "The property 'name' can be written only in a new record. Allowed: price, shop, stock.")
    t.strictSame(await details('PUT /narrow?on=SKU', [{ SKU: 'narrow', name: 'x', price: 3 }]), [name])
    const { id } = await stored('narrow')
    t.strictSame(await details(`PATCH /narrow/${id}`, { name: 'x' }), [name])
    const allowed = 'Allowed: SKU, code, ean, name, price, tenant.'
    const stock = `The property 'stock' can be written only in a record that exists. ${allowed}`
    t.strictSame(await details('PUT /narrow?on=SKU', { SKU: 'new', stock: 3 }), [
      stock, "The property 'name' is required.", "The property 'price' is required.",
    ])
    t.equal((await details('POST /narrow', fresh({ stock: 3 })))[0], stock)
    t.match(await details('PUT /narrow?on=SKU', { SKU: 'narrow', version: 3 }), [/^The property 'version' cannot be/])
    t.match(await stored('narrow'), { price: '31.00', stock: 3, name: 'Narrow', ean: '99' })
    const tooMany = await put('/lenient?on=SKU', [fresh(), fresh(), fresh()])
    t.match(tooMany.json().detail, 'A request can write at most 2 records; this one has 3.')
    const whole = { ...await read('/products/1'), name: 'Sent back' }
    await check(t, [['PUT /lenient?on=SKU', whole, { id: 1, name: 'Sent back' }]])
    t.equal(verdict(await put('/products?on=SKU', whole)).slice(0, 3), '400')
  })

  t.test('a scope holds: it fills in, and lets no record in or out', async (t) => {
    await check(t, [
      // a part of the key comes from the scope
      ['PUT /scoped?on=tenant,code', { code: 'new', SKU: 'scoped', name: 'S', price: 5 }, '201'],
      ['PUT /scoped?on=code,tenant', { code: 'new', price: 6 }, { SKU: 'scoped', tenant: 1, price: 6 }],
      ['PUT /scoped?on=code,tenant', [{ code: 'a', price: 7 }], [{ created: false, record: { id: 1 } }]],
      // the part of the key that bodies give
      [
        'PUT /scoped?on=tenant,code', [{ code: 'a', price: 8 }, { code: 'a', price: 9 }],
        '400 FST_ERR_VALIDATION /0/code /1/code',
      ],
      ['PUT /cheap?on=SKU', fresh({ tenant: 1, price: 700 }), OUTSIDE],
      ['PUT /cheap?on=SKU', fresh({ tenant: 2 }), OUTSIDE],
      ['PUT /cheap?on=SKU', { SKU: 'scoped', price: 700 }, OUTSIDE],
      ['PUT /cheap?on=SKU', [{ SKU: 'one', price: 7 }, { SKU: 'scoped', price: 700 }], `${OUTSIDE} /1`],
      ['PUT /cheap?on=SKU', fresh(), '201'],
    ])
    t.equal((await stored('theirs')).price, '500.00')
    t.match(await stored('scoped'), { price: '6.00' })
  })

  t.test('If-Match asks for a version of a record that exists', async (t) => {
    const record = fresh()
    await check(t, [['PUT /products?on=SKU', record, STALE, { 'if-match': '*' }]])
    t.equal(await stored(record.SKU), undefined)
    await check(t, [
      ['PUT /products?on=SKU', record, '201'],
      ['PUT /products?on=SKU', record, STALE, { 'if-match': '"2"' }],
      ['PUT /products?on=SKU', [record], STALE, { 'if-match': '*' }],
    ])
    const changed = await put('/products?on=SKU', { ...record, price: 9 }, { 'if-match': '"1"' })
    t.match([changed.statusCode, changed.headers.etag], [200, '"2"'])
  })

  t.test('references must be visible, unless they stay as they are', async (t) => {
    const missing = await post('/products', fresh({ shop: 2 }))
    t.equal(verdict(missing), '409 FST_CRUD_CONFLICT /shop')
    for (const shop of [2, 99]) {
      t.equal((await put('/products?on=SKU', fresh({ shop }))).body, missing.body)
      await check(t, [
        ['PUT /products?on=SKU', [fresh({ shop: 1 }), fresh({ shop })], '409 FST_CRUD_CONFLICT /1/shop'],
        ['PUT /products?on=SKU', { SKU: 'one', shop }, '409 FST_CRUD_CONFLICT /shop'],
      ])
    }
    const list = [{ SKU: 'two', shop: 2, price: 4 }, { SKU: 'one', shop: 1, price: 4 }]
    await check(t, [
      ['PUT /products?on=SKU', { SKU: 'two', shop: 2, price: 3 }, { shop: 2 }],
      ['PUT /products?on=SKU', list, [{ record: { shop: 2 } }, { record: { shop: 1 } }]],
    ])
  })

  t.test('a record that exists is judged as a change, and not as if it were new', async (t) => {
    const sequence = async (): Promise<unknown> =>
      (await select(orm, 'select last_value from product_id_seq'))[0].last_value
    const record = fresh({ stock: 400, price: 450 })
    await put('/products?on=SKU', record)
    const before = await sequence()
    // new records would not satisfy the check, with the default of the price or the given stock
    await check(t, [
      ['PUT /products?on=SKU', { SKU: record.SKU, name: 'x', price: 449 }, { version: 2 }],
      ['PUT /products?on=SKU', [record, { ...record, SKU: 'one' }], [{ created: false }, { created: false }]],
      ['PUT /products?on=SKU', { SKU: record.SKU }, { version: 3 }],
    ])
    t.equal(await sequence(), before, 'and takes no value of a sequence')
  })

  t.test('keys of relations and dates, and types that cannot be JSON', async (t) => {
    const rate = (day: string, value: number, more: object = {}): Json => ({
      shop: 1, day, value, colour: '#ff0000', marks: ['a', 'b'], ...more,
    })
    const made = await put('/rates?on=shop,day', rate('2026-01-01', 1))
    t.match([made.statusCode, made.headers.location], [201, '/rates/1/2026-01-01'])
    const list = [rate('2026-01-02', 2), rate('2026-01-01', 3, { marks: null })]
    t.strictSame(await listed('/rates?on=day,shop', list, 'value', 'marks', 'colour'), [
      [true, 2, ['a', 'b'], '#ff0000'],
      [false, 3, null, '#ff0000'],
    ])
    await check(t, [['PUT /rates?on=day,shop', rate('2026-13-01', 1), '400 FST_ERR_VALIDATION /day']])
  })

  t.test('a table may have the name of a type of PostgreSQL', async (t) => {
    const list = [{ code: 'one', note: 'a' }, { code: 'two', note: 'b' }]
    await check(t, [['POST /lines', list, [{ note: 'a' }, { note: 'b' }]]])
    t.strictSame(await listed('/lines?on=code', [{ code: 'two', note: 'c' }, { code: 'three', note: 'd' }], 'note'), [[
      false,
      'c',
    ], [true, 'd']])
  })

  t.test('two ways to write one key are the same key, for new and for existing records', async (t) => {
    for (const [key, one, same, other] of [
      ['at', '2026-01-01T00:00:00Z', '2026-01-01T01:00:00+01:00', '2026-01-01T01:00:00Z'],
      ['local', '2026-01-01T00:00:00Z', '2026-01-01T00:00:00.000', '2026-01-01T00:00:00.000001Z'],
      ['amount', '1.0', '01.00', '10'],
      ['open', '11:00:00', '11:00', '11:00:00.000001'],
      ['code', 'a', 'a  ', ' a'],
      ['share', 0.1, 0.100000001, 0.11],
      ['span', '[1,5]', '(0,6)', '[1,5)'],
      ['bytes', 'gIE=', 'gIE=', 'gYA='],
      [
        'uuid', 'aaaaaaaa-0000-4000-8000-00000000000a', 'AAAAAAAA-0000-4000-8000-00000000000A',
        'aaaaaaaa-0000-4000-8000-00000000000b',
      ],
    ] as const) {
      await select(orm, 'delete from line')
      const url = `/lines?on=${key}`
      const list = [{ [key]: one, note: 'a' }, { [key]: other, note: 'b' }, { [key]: same, note: 'c' }]
      const refused = `400 FST_ERR_VALIDATION /0/${key} /2/${key}`
      t.equal(verdict(await put(url, list)), refused, key)
      t.strictSame(await select(orm, 'select note from line'), [], key)
      t.strictSame(await listed(url, list.slice(0, 2), 'note'), [[true, 'a'], [true, 'b']], key)
      t.equal(verdict(await put(url, list)), refused, key)
      t.strictSame((await put(url, list[2])).json().note, 'c', key)
      t.strictSame(await select(orm, 'select note from line order by note'), [{ note: 'b' }, { note: 'c' }], key)
    }
  })

  t.test('keys that only the database knows to be the same never lose a record', async (t) => {
    for (
      const [key, one, two, present, whenPresent] of [
        // the column rounds them to milliseconds
        ['at', '2026-01-01T00:00:00.0001Z', '2026-01-01T00:00:00.0002Z', '2026-01-01', '409 FST_CRUD_CONFLICT /0/at'],
        ['lasts', '1 day', '24:00:00', '24 hours', '400 FST_ERR_VALIDATION /0/lasts /1/lasts'],
      ] as const
    ) {
      for (const more of [{}, { code: 'x' }]) {
        await select(orm, 'delete from line')
        const list = [{ [key]: one, note: 'a' }, { [key]: two, note: 'b', ...more }]
        t.equal(verdict(await put(`/lines?on=${key}`, list)), `409 FST_CRUD_CONFLICT /1/${key}`)
        t.strictSame(await select(orm, 'select note from line'), [])
        await put(`/lines?on=${key}`, { [key]: present, note: 'before' })
        t.equal(verdict(await put(`/lines?on=${key}`, list)), whenPresent)
        t.strictSame(await select(orm, 'select note from line'), [{ note: 'before' }])
      }
    }
  })

  t.test("MikroORM's lifecycle hooks run", async (t) => {
    events.length = 0
    await check(t, [['PUT /audited?on=name', { name: 'a', size: 1 }, '201']])
    const list = [{ name: 'b', size: 2 }, { name: 'a', size: 3 }]
    t.strictSame(await listed('/audited?on=name', list, 'name', 'size'), [[true, 'b', 2], [false, 'a', 3]])
    t.strictSame(events, ['create a', 'update a', 'create b'])
  })

  t.test('the hook of what happens to a record runs', async (t) => {
    const calls: unknown[] = []
    const crud = hooked(few, {
      beforeCreate (data, { request }: CrudContext) {
        calls.push(['create', data, request?.method])
        return { ...data, secret: 'made' }
      },
      async beforeUpdate (id, data) {
        calls.push(['update', id, data])
        return { ...data, secret: 'changed' }
      },
      afterRead: (record) => ({ ...record, read: true }),
    })
    const app = await serve(t, orm, { '/hooked': { crud, operations } })
    const { put, check } = writes(app)
    const record = { SKU: 'hooked', name: 'H', price: 1 }
    const made = await put('/hooked?on=SKU', record)
    t.match([made.statusCode, made.headers.location, made.json().read], [201, `/hooked/${made.json().id}`, true])
    t.equal((await stored('hooked')).secret, 'made')
    t.equal((await put('/hooked?on=SKU', { SKU: 'hooked', price: 2 })).statusCode, 200)
    t.equal((await stored('hooked')).secret, 'changed')
    const id = String(made.json().id)
    t.strictSame(calls.splice(0), [['create', record, 'PUT'], ['update', id, { price: 2 }]])
    const many = await put('/hooked?on=SKU', [{ SKU: 'hooked', price: 3 }, { ...record, SKU: 'hooked 2' }])
    t.match(many.json(), [
      { created: false, record: { SKU: 'hooked', read: true } },
      { created: true, record: { SKU: 'hooked 2', read: true } },
    ])
    t.strictSame(calls.map(([what]: any) => what), ['update', 'create'])
    await check(t, [
      ['PUT /hooked?on=SKU', { SKU: 'gone', name: 'G', price: 2 }, '409 FST_CRUD_CONFLICT /SKU'],
      [
        'PUT /hooked?on=SKU', [{ SKU: 'hooked', price: 4 }, { SKU: 'hooked 3' }],
        '400 FST_ERR_VALIDATION /1/name /1/price',
      ],
    ])
    t.match(await stored('hooked'), { price: '3.00' })
  })

  for (const previous of [undefined, ['price']] as const) {
    t.test(`after hooks run for what was done to each record, with previous: ${previous?.join()}`, async (t) => {
      const calls: unknown[] = []
      const crud = hooked({ ...few, ...previous && { previous } }, {
        afterCreate: ({ SKU }, { changed }: AfterContext) => calls.push(['created', SKU, changed]),
        afterUpdate: ({ SKU }, { changed, previous: before }: AfterContext) =>
          calls.push(['updated', SKU, changed, ...previous === undefined ? [] : [before]]),
      })
      const app = await serve(t, orm, { '/after': { crud, operations } })
      const { put } = writes(app)
      const [one, two] = [fresh(), fresh()]
      const was = previous === undefined ? [] : [{ price: 10 }]
      await put('/after?on=SKU', one)
      await put('/after?on=SKU', [{ ...two }, { SKU: one.SKU, price: 3 }])
      await put('/after?on=SKU', { SKU: two.SKU, price: 4 })
      await put('/after?on=SKU', { SKU: two.SKU })
      await put('/after?on=SKU', fresh({ SKU: 'gone' }))
      t.strictSame(calls, [
        ['created', one.SKU, ['sku', 'name', 'price']],
        ['created', two.SKU, ['sku', 'name', 'price']],
        ['updated', one.SKU, ['price'], ...was],
        ['updated', two.SKU, ['price'], ...was],
      ])
    })
  }

  t.test('after hooks are not told that a primary key has changed', async (t) => {
    const calls: unknown[] = []
    const crud = hooked({ model: Currency, writable: 'all', upsertKeys: ['number'] }, {
      afterCreate: ({ code }, { changed }: AfterContext) => calls.push(['created', code, changed]),
      afterUpdate: ({ code }, { changed }: AfterContext) => calls.push(['updated', code, changed]),
    })
    const app = await serve(t, orm, { '/currencies': { crud, operations } })
    const record = { code: 'EUR', number: 978, name: 'Euro' }
    const { put, patch } = writes(app)
    await put('/currencies?on=number', record)
    await put('/currencies?on=number', { ...record, name: 'euro' })
    await put('/currencies?on=number', [{ ...record, name: 'Euro' }, { code: 'CHF', number: 756, name: 'Franc' }])
    await patch('/currencies/EUR', { code: 'EUR', name: 'euro' })
    t.strictSame(calls, [
      ['created', 'EUR', ['code', 'number', 'name']],
      ['updated', 'EUR', ['name']],
      ['updated', 'EUR', ['name']],
      ['created', 'CHF', ['code', 'number', 'name']],
      ['updated', 'EUR', ['name']],
    ])
  })

  t.test('an own method is called, and its answers are sent', async (t) => {
    class Own extends CrudBase {
      override async upsert (...args: any): Promise<any> {
        const result = await (super.upsert as any)(...args)
        const own = ({ created, record }: Json) => ({ created, record: { ...record, own: args[2].on } })
        return Array.isArray(result) ? result.map(own) : own(result)
      }
    }
    const app = await serve(t, orm, { '/own': { crud: new Own(few as never), operations } })
    const { put } = writes(app)
    const made = await put('/own?on=SKU', { SKU: 'own', name: 'Own', price: 1 })
    t.match([made.statusCode, made.headers.etag, made.json().own], [201, '"1"', ['sku']])
    t.equal(made.headers.location, `/own/${made.json().id}`)
    t.match((await put('/own?on=SKU', [{ SKU: 'own', price: 1 }])).json(), [{
      created: false,
      record: { own: ['sku'] },
    }])
  })

  t.test('methods: one record or several, values of the server, and a transaction of the caller', async (t) => {
    const crud = products({ writable: ['sku', 'code', 'name', 'price'] })
    const em = orm.em.fork() as any
    const one = await crud.upsert(em, { SKU: 'm', name: 'M', price: 1 }, { on: 'sku' })
    t.match(one, { created: true, record: { SKU: 'm' } })
    t.match(await crud.upsert(em, [{ SKU: 'm', price: 2 }], { on: ['sku'] }), [{
      created: false,
      record: { price: 2 },
    }])
    const values = { tenant: 3, secret: 'from the server' }
    const made = await crud.upsert(em, { SKU: 'v', code: 'v', name: 'V', price: 1 }, { on: ['tenant', 'code'], values })
    t.match(made, { created: true, record: { tenant: 3 } })
    t.match(await crud.upsert(em, { code: 'v', price: 2 }, { on: ['code', 'tenant'], values }), {
      created: false,
      record: { SKU: 'v' },
    })
    t.equal((await stored('v')).secret, 'from the server')
    await orm.em.fork().transactional(async (em: any) => {
      await crud.upsert(em, { SKU: 'in', name: 'M', price: 1 }, { on: 'sku' })
      const conflict = { code: 'FST_CRUD_CONFLICT' }
      await t.rejects(crud.upsert(em, { SKU: 'gone', name: 'M', price: 1 }, { on: 'sku' }), conflict)
      await t.rejects(
        crud.upsert(em, [{ SKU: 'in 2', name: 'M', price: 1 }, { SKU: 'gone', name: 'M', price: 1 }], { on: 'sku' }),
        conflict
      )
      await t.rejects(crud.upsert(em, [{ SKU: 'in 3', name: 'M', price: 1 }, { SKU: 'in', price: -1 }], { on: 'sku' }),
        { code: 'FST_CRUD_DATA_INVALID' })
      await crud.upsert(em, [{ SKU: 'in', price: 3 }, { SKU: 'in 4', name: 'M', price: 1 }], { on: 'sku' })
    })
    t.strictSame(await select(orm, "select sku, price from product where sku like 'in%' order by sku"), [{
      sku: 'in',
      price: '3.00',
    }, { sku: 'in 4', price: '1.00' }], 'what was refused is undone, and the rest is kept')
    await check(t, [
      ['PUT /together?on=SKU', [fresh(), { SKU: 'in', price: 4 }], '200'],
      ['PUT /together?on=SKU', fresh({ SKU: 'gone' }), '409 FST_CRUD_CONFLICT /SKU'],
    ])
    for (
      const [options, message] of [
        [undefined,
          "CrudBase.upsert takes the key in its option 'on': 'sku' or 'ean' or ['tenant', 'code']; it got undefined."],
        [{ on: 'name' },
          "CrudBase.upsert takes the key in its option 'on': 'sku' or 'ean' or ['tenant', 'code']; it got 'name'."],
        [{ key: 'sku' }, /CrudBase.upsert: .*'key'/],
      ] as const
    ) await t.rejects(crud.upsert(em, { SKU: 'x' }, options as never), { code: 'FST_CRUD_CONFIG_INVALID', message })
  })

  t.test('another parameter is refused, and the key must be named', async (t) => {
    for (const [url, detail] of [
      [
        '/products',
        "An upsert needs the parameter 'on', which names the key that finds the record. " +
        'Allowed: SKU, ean, tenant,code.',
      ],
      ['/products?on=', "There is no key '' for upserts. Allowed: SKU, ean, tenant,code."],
      ['/products?on=sku', "There is no key 'sku' for upserts. Did you mean 'SKU'? Allowed: SKU, ean, tenant,code."],
      ['/products?on=SKU&on=ean',
        "The parameter 'on' names one key, and is given once. Allowed: SKU, ean, tenant,code."],
      ['/products?on=SKU&x=1', "There is no parameter 'x'. Allowed: on."],
      ['/products?on=SKU&sort=name', 'A write takes no filters, sorts, fields, includes or pagination.'],
    ] as const) {
      const response = await put(url, fresh())
      t.equal(response.statusCode, 400)
      t.equal(response.json().detail, detail)
    }
    await check(t, [
      ['POST /products?on=SKU', fresh(), '400 FST_CRUD_QUERY_INVALID on'],
      ['PATCH /products/1?on=SKU', {}, '400 FST_CRUD_QUERY_INVALID on'],
    ])
  })
})

t.test('mistakes are found at start-up', async (t) => {
  const { orm } = await openPgliteFor(t, { entities })
  const start = async (options: object, more: object = {}): Promise<void> => {
    const crud = products({ upsertKeys: undefined, ...options })
    await serve(t, orm, { '/x': { crud, operations: ['upsert'], ...more } as never })
  }
  for (const [crud, options, message] of [
    [{}, {}, 'The resource /x: \'upsert\' needs "upsertKeys", the keys by which requests may find a record of Product'],
    [{ upsertKeys: 'sku' }, {}, "CrudBase: \"upsertKeys\" must be a list of keys, as in ['isbn'], got 'sku'."],
    [{ upsertKeys: [[]] }, {}, 'CrudBase: "upsertKeys[0]" must be the name of a property, or a list of names'],
    [{ upsertKeys: [['sku', 'sku']] }, {}, 'CrudBase: a key of "upsertKeys" names \'sku\' twice.'],
    [{ upsertKeys: ['sku', ['sku']] }, {}, 'CrudBase: "upsertKeys" has the key \'sku\' twice.'],
    [
      { upsertKeys: ['skuu'] }, {},
      "\"upsertKeys\" of Product names 'skuu', which is not a property of it. Did you mean 'sku'?",
    ],
    [
      { upsertKeys: ['SKU'] }, {},
      "\"upsertKeys\" of Product names 'SKU', which is not a property of it. Did you mean 'sku'?",
    ],
    [
      { upsertKeys: ['name'] },
      {},
      '"upsertKeys" of Product names \'name\', which no unique constraint guards: several rows may have the ' +
      "same values. Make it unique, as in name: p.string().unique(), or use one of Product's keys: [id], [sku], " +
      '[ean], [tenant, code].',
    ],
    [{ upsertKeys: [['tenant', 'sku']] }, {}, "Declare it, as in uniques: [{ properties: ['tenant', 'sku'] }]"],
    [{ upsertKeys: ['label'] }, {}, '"upsertKeys" of Product names \'label\', whose unique constraint has a condition'],
    [{ upsertKeys: ['secret'] }, {}, '"upsertKeys" of Product names \'secret\', which is hidden from clients.'],
    [{ upsertKeys: ['id'] }, {},
      "The resource /x: 'upsert' needs a key that bodies may set, and \"writable\" of Product has no 'id' "],
    [{ upsertKeys: ['sku'], writable: ['name', 'price'] }, {}, "has no 'sku' for new records: add it, " +
      "take the key out of \"upsertKeys\", or leave 'upsert' out of the operations."],
    [{ upsertKeys: ['sku'], writable: { create: 'all' } }, {}, "'upsert' needs a list of what bodies may set"],
    [{ upsertKeys: ['sku'] }, { requireIfMatch: true },
      "The resource /x: 'upsert' writes several records, whose versions If-Match does not name"],
  ] as const) {
    const error: Error = await start(crud, options).then(() => new Error('started'), (error) => error)
    t.ok(error.message.includes(message), `${message} <- ${error.message}`)
  }
  t.test('and a scope may set the key', async () => {
    await start({ upsertKeys: [['tenant', 'code']], writable: ['sku', 'code', 'name', 'price'] }, {
      scope: () => ({ tenant: 1 }),
    })
  })
  t.test('and so may a method of the application', async (t) => {
    class Filling extends CrudBase<any> {
      override async upsert (em: any, data: any, options: any): Promise<any> {
        return await super.upsert(em, data, { ...options, values: { tenant: 1 } })
      }
    }
    const crud = new Filling({
      model: Product, writable: ['sku', 'code', 'name', 'price'], upsertKeys: [['tenant', 'code']],
    } as never)
    const app = await serve(t, orm, { '/x': { crud, operations: ['upsert'] } as never })
    const payload = { SKU: 'own', code: 'own', name: 'Own', price: 1 }
    const response = await app.inject({ method: 'PUT', url: '/x?on=tenant,code', payload })
    t.match([response.statusCode, response.json()], [201, { tenant: 1, code: 'own' }])
  })
})

await forPostgres(t, 'PostgreSQL', { entities, seed }, async (t, { orm }) => {
  await restart(orm)
  const app = await serve(t, orm, {
    '/products': { crud: products(), operations },
    '/hooked': {
      crud: hooked({ model: Product, writable: 'all', upsertKeys }, { beforeUpdate: (_, data) => data }),
      operations,
    },
    '/audited': audited,
  })
  const { put } = writes(app)
  const CLIENTS = Array.from({ length: 32 }, (_, index) => index)

  for (const path of ['/products', '/hooked']) {
    t.test(`${path}: upserts of one key at the same time make one row`, async (t) => {
      const sku = `same ${path}`
      const responses = await Promise.all(
        CLIENTS.map((stock) => put(`${path}?on=SKU`, { SKU: sku, name: 'x', price: 900, stock }))
      )
      const statuses = responses.map(({ statusCode }) => statusCode).sort()
      t.strictSame(statuses, [...CLIENTS.slice(1).map(() => 200), 201])
      const rows = await select(orm, `select version from product where sku = '${sku}'`)
      t.strictSame(rows, [{ version: 32 }], 'and each of them counts')
    })

    t.test(`${path}: the same for lists, whose keys overlap`, async (t) => {
      const list = (client: number): Json[] =>
        Array.from({ length: 10 },
          (_, index) => ({ SKU: `${path} ${(index + client) % 12}`, name: 'x', price: 900, stock: client }))
      const responses = await Promise.all(CLIENTS.slice(0, 8).map((client) => put(`${path}?on=SKU`, list(client))))
      t.strictSame(responses.map(({ statusCode }) => statusCode), CLIENTS.slice(0, 8).map(() => 200))
      const created = responses.flatMap((response) => response.json().filter(({ created }: Json) => created))
      const [{ rows, sum }] = await select(orm,
        `select count(*)::int as rows, sum(version)::int as sum from product where sku like '${path} %'`)
      t.strictSame([rows, sum, created.length], [12, 80, 12])
    })
  }

  t.test('through the unit of work as well', async (t) => {
    const responses = await Promise.all(
      CLIENTS.slice(0, 8).map((size) => put('/audited?on=name', { name: 'same', size }))
    )
    t.strictSame(responses.map(({ statusCode }) => statusCode).sort(), [200, 200, 200, 200, 200, 200, 200, 201])
  })

  t.test('a transaction that cannot see the row in the way is repeated, or, if it looks, a conflict', async (t) => {
    const looking = hooked({ model: Product, writable: 'all', upsertKeys }, { beforeUpdate: (_, data) => data })
    for (const isolationLevel of ['read committed', 'repeatable read', 'serializable'] as const) {
      for (const [way, crud] of [['at once', products()], ['looks', looking]] as const) {
        const sku = `${isolationLevel} ${way}`.slice(-20)
        const raced = withTransaction(orm.em.fork(), async (em) => {
          // the snapshot of the transaction is older than the row
          await em.execute('select 1 from product')
          if ((await select(orm, `select 1 from product where sku = '${sku}'`)).length === 0) {
            await select(orm, `insert into product (sku, name, price, version, created_at, updated_at)
              values ('${sku}', 'x', 900, 1, now(), now())`)
          }
          return await crud.upsert(em, { SKU: sku, name: 'y', price: 900 }, { on: 'sku' })
        }, { isolationLevel })
        const what = `${isolationLevel}, ${way}`
        if (way === 'looks' && isolationLevel !== 'read committed') {
          await t.rejects(raced, { code: 'FST_CRUD_CONFLICT' }, what)
        } else t.match(await raced, { created: false, record: { name: 'y' } }, what)
      }
    }
  })

  t.test('a row that appears and disappears is at worst a conflict', async (t) => {
    const done = new AbortController()
    const remover = (async () => {
      while (!done.signal.aborted) await select(orm, "delete from product where sku = 'flapping'")
    })()
    const statuses = new Set<number>()
    for (let round = 0; round < 10; round++) {
      const responses = await Promise.all(
        CLIENTS.slice(0, 8).map((stock) => put('/products?on=SKU', { SKU: 'flapping', name: 'x', price: 900, stock }))
      )
      for (const { statusCode } of responses) statuses.add(statusCode)
    }
    done.abort()
    await remover
    t.strictSame([...statuses].filter((status) => ![200, 201, 409, 503].includes(status)), [])
  })

  t.test('triggers of an insert do not run for a record that exists', async (t) => {
    await select(orm,
      "create function note() returns trigger language plpgsql as $$ begin new.label = 'inserted'; return new; end $$")
    await select(orm, 'create trigger note before insert on product for each row execute function note()')
    const record = { SKU: 'triggered', name: 'x', price: 1 }
    t.match((await put('/products?on=SKU', record)).json(), { label: 'inserted' })
    await select(orm, "update product set label = 'kept' where sku = 'triggered'")
    t.match((await put('/products?on=SKU', record)).json(), { label: 'kept' })
    t.match((await put('/products?on=SKU', [record])).json(), [{ record: { label: 'kept' } }])
  })
})
