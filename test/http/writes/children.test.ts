/** Bodies that write records together with their owned children. */
import swagger from '@fastify/swagger'
import { p } from '@mikro-orm/core'
import t from 'tap'
import { crudKit, CrudBase, type AfterContext } from '../../../src/index.ts'
import { forEachDatabase } from '../../helpers/databases.ts'
import { hooked } from '../../helpers/hooked.ts'
import { newServer } from '../../helpers/server.ts'
import { recordStatements } from '../../helpers/statements.ts'
import { select, serve, verdict, writes, type Json } from '../helper.ts'
import { entity } from '../../helpers/entity.ts'

const Product = entity('Product', { id: p.integer().primary(), name: p.string(), deleted_at: p.datetime().nullable() })

const Invoice = entity('Invoice', {
  id: p.integer().primary(),
  number: p.string().unique(),
  version: p.integer().version(),
  updated_at: p.datetime().onCreate(() => new Date()).onUpdate(() => new Date()),
  lines: () => p.oneToMany(Line).mappedBy('invoice'),
  notes: () => p.oneToMany(Note).mappedBy('invoice'),
  parts: () => p.oneToMany(Part).mappedBy('invoice'),
  visits: () => p.oneToMany(Visit).mappedBy('invoice'),
})

const Line = entity('InvoiceLine', {
  id: p.integer().primary(), invoice: () => p.manyToOne(Invoice), product: () => p.manyToOne(Product).nullable(),
  position: p.integer(), quantity: p.integer().default(1).check('quantity > 0'),
  price: p.decimal('string').precision(12).scale(2).nullable(), data: p.json().nullable(), labels: p.array().nullable(),
  secret: p.string().hidden().nullable(), version: p.integer().version(),
  updated_at: p.datetime().onCreate(() => new Date()).onUpdate(() => new Date()), deleted_at: p.datetime().nullable(),
}, {
  // the name of a type of PostgreSQL, too
  tableName: 'line',
  uniques: [{ properties: ['invoice', 'position'] }],
})

/** Written through MikroORM's unit of work, because of its lifecycle hooks. Its key is a UUID. */
const Note = entity('Note', {
  id: p.uuid().primary().onCreate(() => crypto.randomUUID()), invoice: () => p.manyToOne(Invoice), text: p.string(),
  seen: p.string().default(''),
}, {
  hooks: {
    beforeCreate: [({ entity }: any) => {
      entity.seen += 'c'
    }],
    beforeUpdate: [({ entity }: any) => {
      entity.seen += 'u'
    }],
  },
})

/** Its key has types whose values can be written in several ways. */
const Visit = entity('Visit', {
  invoice: () => p.manyToOne(Invoice).primary(),
  at: p.datetime().primary(),
  rate: p.decimal('string').precision(6).scale(2).primary(),
  code: p.string().columnType('char(5)').primary(),
  note: p.string().nullable(),
})

/** The invoice is a part of its key. */
const Part = entity('Part', {
  invoice: () => p.manyToOne(Invoice).primary(), place: p.string().primary(), size: p.integer().nullable(),
})

const lines = ['position', 'quantity', 'price', 'product', 'data', 'labels'] as const
const writable = ['number', { lines, notes: ['text'] }, {
  parts: { create: ['place', 'size'], update: ['size'] },
  visits: { create: ['at', 'rate', 'code'], update: ['note'] },
}] as const
const queryConfig = { allowedIncludes: [] }

const crud = (): CrudBase => new CrudBase({ model: Invoice as any, writable: writable as any, queryConfig })

const operations = ['list', 'get', 'create', 'createMany', 'update', 'delete'] as const

await forEachDatabase(t, { entities: [Product, Invoice, Line, Note, Part, Visit] }, async (t, { orm }) => {
  await select(orm, "insert into product (id, name, deleted_at) values (1, 'bolt', null), (2, 'gone', now())")
  const told: Json[] = []
  const priced = hooked({ model: Invoice, writable, previous: ['number'] }, {
    afterUpdate: (record, { changed, previous }: AfterContext) => told.push({ record, changed, previous }),
    beforeCreate: (data) => ({
      ...data,
      lines: data.lines?.map((line: Json) => ({ price: '9.50', secret: 'hook', ...line })),
    }),
    afterRead: (record) => ({ ...record, count: record.lines?.length }),
  })
  const app = await serve(t, orm, {
    '/invoices': { crud: crud(), operations, maxBatch: 12 },
    '/priced': { crud: priced, operations },
    '/in-transaction': { crud: crud(), operations, transaction: true },
    '/ignoring': { crud: crud(), operations, readonlyProperties: 'ignore' },
  })
  const { post, patch, created, updated, read, check } = writes(app)
  let last = 0
  const invoice = async (body: Json = {}): Promise<Json> =>
    await created('/invoices', { number: `N${++last}`, ...body })
  const linesOf = async (id: number): Promise<Json[]> =>
    await select(
      orm,
      `select id, position, quantity, deleted_at is not null as gone from line
       where invoice_id = ${id} order by id`
    ) as Json[]

  t.test('hooks of an upsert cannot add children, which it does not write', async (t) => {
    // also to what an upsert writes
    const adding = hooked({ model: Invoice, writable, upsertKeys: ['number'] }, {
      beforeCreate: (data) => ({ ...data, lines: [{ position: 1 }] }),
      beforeUpdate: (_, data) => ({ ...data, lines: { add: [{ position: 2 }] } }),
    })
    const { id, lines: added } = await adding.create(orm.em.fork(), { number: 'by a hook' }) as Json
    t.match(added, [{ position: 1 }], 'a create writes them')
    for (const [number, hook] of [['by a hook', 'beforeUpdate'], ['another', 'beforeCreate']]) {
      const error: any = await adding.upsert(orm.em.fork(), { number } as never, { on: 'number' } as never).then(
        () => new Error('written'),
        (error: unknown) => error
      )
      t.equal(error.message, 'The server has set values that cannot be written.')
      t.match(error.cause?.message, `${hook}: `)
      t.match(error.cause?.message, "'lines'")
    }
    t.match(await linesOf(id), [{ position: 1 }])
    t.strictSame(await select(orm, "select number from invoice where number = 'another'"), [])
  })

  t.test('a new record comes with new children, in the order of the body', async (t) => {
    const body = await invoice({
      lines: [
        { position: 2, quantity: 3, price: '1.50', data: { a: null }, labels: ['x', 'y,"z'] },
        { position: 1, product: 1 },
      ],
      notes: [{ text: 'first' }],
      parts: [{ place: 'left', size: 4 }, { place: 'right' }],
    })
    t.match(body, {
      version: 1,
      lines: [
        {
          position: 2, quantity: 3, price: '1.50', data: { a: null }, labels: ['x', 'y,"z'], product: null, version: 1,
        },
        { position: 1, quantity: 1, product: 1, invoice: body['id'], labels: null },
      ],
      notes: [{ text: 'first', seen: 'c', invoice: body['id'] }],
      parts: [{ place: 'left', size: 4, invoice: body['id'] }, { place: 'right', size: null }],
    })
    t.notOk('secret' in body['lines'][0])
    t.notOk('lines' in await read(`/invoices/${body['id']}`))
    t.strictSame((await invoice({ lines: [] }))['lines'], [])
    t.notOk('lines' in await invoice())
  })

  t.test('a batch creates the children of all its records', async (t) => {
    const response = await post('/invoices', [
      { number: 'B1', lines: [{ position: 1 }, { position: 2 }] },
      { number: 'B2' },
      { number: 'B3', lines: [{ position: 7 }], notes: [{ text: 'n' }] },
    ])
    t.equal(response.statusCode, 201)
    t.match(response.json(), [
      { number: 'B1', lines: [{ position: 1 }, { position: 2 }] },
      { number: 'B2' },
      { number: 'B3', lines: [{ position: 7 }], notes: [{ text: 'n' }] },
    ])
    for (const record of response.json()) {
      for (const line of record.lines ?? []) t.equal(line.invoice, record.id)
    }
  })

  t.test('an update adds, changes and removes children, and counts as a change of the record', async (t) => {
    const before = await invoice({
      lines: [{ position: 1 }, { position: 2, price: '2.00' }, { position: 3 }],
      notes: [{ text: 'a' }, { text: 'b' }],
      parts: [{ place: 'l', size: 1 }, { place: 'r', size: 2 }],
    })
    const [one, two, three] = before['lines']
    const [a, b] = before['notes']
    const after = await updated(`/invoices/${before['id']}`, {
      lines: {
        update: [{ id: two.id, quantity: 5 }, { id: one.id, position: 9, data: null, price: '7.25' }],
        remove: [three.id],
        add: [{ position: 4 }],
      },
      notes: { update: [{ id: b.id, text: 'B' }], remove: [a.id], add: [{ text: 'c' }] },
      parts: { update: [{ place: 'r', size: 3 }], remove: ['l'], add: [{ place: 'm' }] },
    })
    t.match(after, {
      number: before['number'],
      version: 2,
      lines: [
        { id: two.id, quantity: 5, price: '2.00', version: 2, position: 2 },
        { id: one.id, position: 9, quantity: 1, price: '7.25', version: 2 },
        { position: 4, version: 1 },
      ],
      notes: [{ id: b.id, text: 'B', seen: 'cu' }, { text: 'c', seen: 'c' }],
      parts: [{ place: 'r', size: 3 }, { place: 'm', size: null }],
    })
    t.equal(after['lines'].length, 3)
    t.ok(after['updated_at'] > before['updated_at'] && after['lines'][0].updated_at > two.updated_at)
    t.match(await linesOf(before['id']), [
      { id: one.id, gone: false }, { id: two.id, gone: false }, { id: three.id, gone: true }, { position: 4 },
    ])
    t.match(await select(orm, `select place from part where invoice_id = ${before['id']} order by 1`), [
      { place: 'm' },
      { place: 'r' },
    ])
    const swapped = await updated(`/invoices/${before['id']}`, {
      lines: { add: [{ position: 6, labels: ['n'] }], update: [{ id: one.id, labels: ['q'] }] },
    })
    t.match(swapped['lines'], [{ position: 6, labels: ['n'] }, { id: one.id, labels: ['q'], position: 9 }],
      'the order of the body')
  })

  t.test('lists without children change nothing', async (t) => {
    const before = await invoice({ lines: [{ position: 1 }] })
    for (const lines of [{}, { add: [], update: [], remove: [] }]) {
      const after = await updated(`/invoices/${before['id']}`, { lines })
      t.strictSame(after, { ...before, lines: [] })
    }
  })

  t.test('a child that is absent, gone or of another parent is an absent reference', async (t) => {
    const [mine, other] = [
      await invoice({ lines: [{ position: 1 }, { position: 2 }], notes: [{ text: 'm' }], parts: [{ place: 'a' }] }),
      await invoice({ lines: [{ position: 1 }], notes: [{ text: 'o' }], parts: [{ place: 'b' }] }),
    ]
    await updated(`/invoices/${mine['id']}`, { lines: { remove: [mine['lines'][1].id] } })
    const foreign = [other['lines'][0].id, mine['lines'][1].id, 999_999]
    const path = `PATCH /invoices/${mine['id']}`
    const answers = new Set<string>()
    for (const id of foreign) {
      const response = await patch(`/invoices/${mine['id']}`, {
        number: 'never',
        lines: { add: [{ position: 3 }], update: [{ id: mine['lines'][0].id, quantity: 2 }, { id, quantity: 3 }] },
      })
      t.equal(verdict(response), '409 FST_CRUD_CONFLICT /lines/update/1/id')
      answers.add(response.body)
      const removal = await patch(`/invoices/${mine['id']}`, { lines: { remove: [mine['lines'][0].id, id] } })
      t.equal(verdict(removal), '409 FST_CRUD_CONFLICT /lines/remove/1')
      answers.add(removal.body.replaceAll('remove/1"', 'update/1/id"').replaceAll('remove/1:', 'update/1:'))
    }
    t.equal(answers.size, 1)
    t.match(JSON.parse([...answers][0]!), {
      message: "/lines/update/1: 'lines' refers to a record that does not exist.",
    })
    const { id: note } = other['notes'][0]
    await check(t, [
      [path, { notes: { update: [{ id: note, text: 'x' }] } }, '409 FST_CRUD_CONFLICT /notes/update/0/id'],
      [path, { notes: { remove: [note] } }, '409 FST_CRUD_CONFLICT /notes/remove/0'],
      [path, { parts: { update: [{ place: 'b', size: 3 }] } }, '409 FST_CRUD_CONFLICT /parts/update/0/place'],
    ])
    t.match(await read(`/invoices/${mine['id']}`), { number: mine['number'], version: 2 }, 'nothing was half written')
    t.match(await linesOf(mine['id']), [{ quantity: 1 }, { gone: true }])
  })

  t.test('a child is named once, however its key is written', async (t) => {
    const visit = { at: '2026-01-01T00:00:00Z', rate: '1.00', code: 'a' }
    const { id } = await invoice({ visits: [visit] })
    for (const other of [{}, { at: '2026-01-01T01:00:00+01:00' }, { rate: '1.0' }, { code: 'a  ' }]) {
      const update = [{ ...visit, note: 'x' }, { ...visit, ...other, note: 'y' }]
      t.equal(verdict(await patch(`/invoices/${id}`, { visits: { update } })),
        '400 FST_ERR_VALIDATION /visits/update/1', JSON.stringify(other))
      t.equal((await updated(`/invoices/${id}`, { visits: { update: [{ ...visit, ...other }] } }))['visits'].length, 1)
    }
  })

  t.test('mistakes point to the child', async (t) => {
    const { id, lines: [line] } = await invoice({ lines: [{ position: 1 }] }) as Json
    for (const [body, expected] of [
      [{ lines: {} }, '400 FST_ERR_VALIDATION /lines /number'],
      [{ number: 'x', lines: [{}] }, '400 FST_ERR_VALIDATION /lines/0/position'],
      [{ number: 'x', lines: [{ position: 1 }, { position: 'x', invoice: 4, secret: 'y' }, 5] },
        '400 FST_ERR_VALIDATION /lines/1/position /lines/1/invoice /lines/1/secret /lines/2'],
      [{ number: 'x', lines: [{ position: 1, id: 7 }] }, '400 FST_ERR_VALIDATION /lines/0/id'],
      [{
        number: 'x',
        lines: [1, 2, 3, 4, 5, 6, 7].map((position) => ({ position })),
        notes: [1, 2, 3, 4, 5, 6].map(() => ({ text: 't' })),
      }, '400 FST_ERR_VALIDATION /notes'],
      [{ number: 'x', lines: [{ position: 1 }, { position: 1 }] }, '409 FST_CRUD_CONFLICT /lines/1/position'],
      [{ number: 'x', lines: [{ position: 1 }, { position: 2, quantity: 0 }] },
        '400 FST_CRUD_DATA_INVALID /lines/1/quantity'],
      [{ number: 'x', lines: [{ position: 1, product: 1 }, { position: 2, product: 2 }] },
        '409 FST_CRUD_CONFLICT /lines/1/product'],
      [{ number: 'x', lines: [{ position: 1, product: 77 }] }, '409 FST_CRUD_CONFLICT /lines/0/product'],
    ] as const) t.equal(verdict(await post('/invoices', body)), expected, JSON.stringify(body))
    for (const [body, expected] of [
      [{ lines: [] }, '400 FST_ERR_VALIDATION /lines'],
      [{ lines: { insert: [], add: {} } }, '400 FST_ERR_VALIDATION /lines/insert /lines/add'],
      [{ lines: { update: [{ quantity: 3 }] } }, '400 FST_ERR_VALIDATION /lines/update/0/id'],
      [{ lines: { update: [{ id: 'x', quantity: 3 }], remove: ['y'] } },
        '400 FST_ERR_VALIDATION /lines/update/0/id /lines/remove/0'],
      [{ lines: { update: [{ id: line.id, quantity: 3 }], remove: [line.id] } },
        '400 FST_ERR_VALIDATION /lines/remove/0'],
      [{ lines: { remove: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13] } }, '400 FST_ERR_VALIDATION /lines'],
      [{ lines: { add: [{ position: 2 }, { position: 1 }] } }, '409 FST_CRUD_CONFLICT /lines/add/1/position'],
      [{ lines: { update: [{ id: line.id, quantity: 0 }] } }, '400 FST_CRUD_DATA_INVALID /lines/update/0/quantity'],
      [{ lines: { update: [{ id: line.id, product: 2 }] } }, '409 FST_CRUD_CONFLICT /lines/update/0/product'],
      [{ parts: { update: [{ place: 'q', invoice: 3 }] } }, '400 FST_ERR_VALIDATION /parts/update/0/invoice'],
      [{ notes: { update: [{ id: crypto.randomUUID(), seen: 'q' }] } }, '400 FST_ERR_VALIDATION /notes/update/0/seen'],
    ] as const) t.equal(verdict(await patch(`/invoices/${id}`, body)), expected, JSON.stringify(body))
    t.match(await linesOf(id), [{ id: line.id, position: 1, quantity: 1 }])
    t.equal(verdict(await patch('/invoices/999999', { lines: { add: [{ position: 1 }] } })), '404 FST_CRUD_NOT_FOUND')
    t.equal(
      verdict(await post('/invoices', [{ number: 'y' }, { number: 'z', lines: [{ position: 1 }, { position: 1 }] }])),
      '409 FST_CRUD_CONFLICT /1/lines/1/position'
    )
    t.equal(verdict(await post('/invoices', [{ number: 'y' }, { number: 'y', lines: [{ position: 1 }] }])),
      '409 FST_CRUD_CONFLICT /1/number')
  })

  t.test('If-Match protects the record and its children', async (t) => {
    const { id } = await invoice({ lines: [{ position: 1 }] })
    const add = { lines: { add: [{ position: 2 }] } }
    const response = await patch(`/invoices/${id}`, add, { 'if-match': '"1"' })
    t.equal(response.headers['etag'], '"2"')
    t.equal(verdict(await patch(`/invoices/${id}`, { lines: { add: [{ position: 3 }] } }, { 'if-match': '"1"' })),
      '412 FST_CRUD_PRECONDITION_FAILED')
    t.equal((await linesOf(id)).length, 2)
  })

  t.test('a hook sees the children and sets what bodies may not', async (t) => {
    const record = await created('/priced', { number: 'P1', lines: [{ position: 1 }, { position: 2, price: '1.00' }] })
    t.match(record, { count: 2, lines: [{ price: '9.50' }, { price: '1.00' }] })
    t.match(await select(orm, `select secret from line where invoice_id = ${record['id']}`), [{
      secret: 'hook',
    }, { secret: 'hook' }])
    for (const [send, url, lines, pointer, name] of [
      [post, '/priced', [{ quantity: 1 }], '/lines/0/position', 'lines[0].position'],
      [patch, `/priced/${record['id']}`, { add: [{ quantity: 1 }] }, '/lines/add/0/position', 'lines.add[0].position'],
    ] as const) {
      const refused = await send(url, { number: 'P2', lines })
      t.equal(verdict(refused), `400 FST_ERR_VALIDATION ${pointer}`)
      t.equal(refused.json().message, `The property '${name}' is required.`)
    }
  })

  t.test('an after hook gets the children that were written, and a change of children alone calls it', async (t) => {
    const { id, lines } = await created('/priced', { number: 'A1', lines: [{ position: 1 }] })
    const { version } = await updated(`/priced/${id}`, { lines: { update: [{ id: lines[0].id, quantity: 2 }] } })
    await updated(`/priced/${id}`, { lines: { update: [] } })
    t.equal(verdict(await patch(`/priced/${id}`, { number: 'A2', lines: { remove: [0] } })),
      '409 FST_CRUD_CONFLICT /lines/remove/0')
    t.match(told.splice(0), [
      { record: { id, version, lines: [{ quantity: 2 }] }, changed: ['lines'], previous: { number: 'A1' } },
    ])
  })

  t.test('children are written in a transaction of the route, and with properties that are ignored', async (t) => {
    const record = await created('/in-transaction', { number: 'T1', lines: [{ position: 1 }, { position: 2 }] })
    t.equal(
      verdict(await patch(`/in-transaction/${record['id']}`, { lines: { add: [{ position: 3 }, { position: 1 }] } })),
      '409 FST_CRUD_CONFLICT /lines/add/1/position'
    )
    t.match(await linesOf(record['id']), [{ position: 1 }, { position: 2 }])
    const { lines: [line] } = record as Json
    const after = await updated(`/ignoring/${record['id']}`, {
      version: 9,
      lines: { update: [{ ...line, version: 7, quantity: 4 }] },
    })
    t.match(after['lines'], [{ id: line.id, quantity: 4, version: 2 }])
  })

  t.test('the document describes the children of bodies and answers', async (t) => {
    const documented = newServer(t)
    await documented.register(swagger, { openapi: { openapi: '3.1.0' } })
    await documented.register(crudKit, { orm, resources: { '/invoices': crud() }, indexAdvice: false })
    await documented.ready()
    const { NewInvoice, InvoiceChanges, WrittenInvoice } = (documented.swagger() as Json).components.schemas
    t.match(NewInvoice.properties.lines, { type: 'array', items: { required: ['position'] } })
    t.match(InvoiceChanges.properties.parts.properties, {
      add: { type: 'array', items: { properties: { place: {}, size: {} } } },
      update: { type: 'array', items: { required: ['place'] } },
      remove: { type: 'array', items: { type: 'string' } },
    })
    t.match(WrittenInvoice.properties.lines, { type: 'array', items: { required: [] } })
    t.ok(WrittenInvoice.properties.lines.items.properties.quantity)
  })

  t.test('a write takes a statement for the record and at most one for each list', async (t) => {
    const rows = [1, 2, 3, 4].map((position) => ({ position, price: '1.00' }))
    const statements = await recordStatements(orm, t)
    const { id, lines } = await invoice({ lines: rows }) as Json
    t.equal(statements.words(), 'begin insert insert commit')
    await updated(`/invoices/${id}`, {
      lines: {
        add: [{ position: 8, price: null }],
        update: [{ id: lines[0].id, quantity: 2 }, { id: lines[1].id, price: '3.00' }],
        remove: [lines[2].id, lines[3].id],
      },
    })
    t.equal(statements.words(), 'begin update update update insert commit')
  })
})
