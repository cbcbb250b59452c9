/** The schemas of bodies accept what can be converted to columns, as compiled checks and as JSON Schemas. */
import { Ajv2020 } from 'ajv/dist/2020.js'
import { p, Type } from '@mikro-orm/core'
import { FormatRegistry } from '@sinclair/typebox'
import { Errors } from '@sinclair/typebox/errors'
import formats from 'ajv-formats'
import fc from 'fast-check'
import t from 'tap'
import { fromJson, type EntityModel, type Property, type ValueType } from '../../src/model/index.ts'
import { convertData, resolveWritable, type BodyRules, type Checked } from '../../src/plan/index.ts'
import { serverBody } from '../../src/schema/body.ts'
import { clientBody, clientSchema, exampleOf, inputSchema, loadCompiler, readData } from '../../src/schema/index.ts'
import {
  AuditEntry, Customer, Group, Label, Offer, Order, OrderItem, Parcel, Pickup, Plant, Shelf, Specimen, Supplier, Tag,
} from '../fixtures/entities.ts'
import { assertProperty } from '../helpers/property.ts'
import { modelsOf } from '../helpers/models.ts'
import { models } from '../plan/helper.ts'
import { entity } from '../helpers/entity.ts'

const ajv = new Ajv2020({ coerceTypes: false, strict: true })
formats.default(ajv)

const MODELS = [
  AuditEntry, Customer, Group, Label, Offer, Order, OrderItem, Parcel, Pickup, Plant, Shelf, Specimen, Supplier, Tag,
].map((entity) => models.of(entity))

/** Values that are wrong for most properties, and right for some. */
const anything = fc.oneof(
  fc.constantFrom<unknown>(
    null, '', ' ', 'true', 0, -0, 1, 1.5, 1e21, -1e-7, true, '1', '-1.50', '1e3', '2024-02-30', '2024-13-01T00:00:00Z',
    '24:00', [], [null], {}, { id: 1 }, '\0', '\u{1F600}', 'A===', 'urn:uuid:3f0c8a52-7c0e-4f57-9d53-2d6f4a1c9b10'
  ),
  fc.string({ maxLength: 50 }),
  fc.double(),
  fc.integer(),
  fc.jsonValue({ maxDepth: 2 })
)

const digits = (maxLength: number) => fc.stringMatching(new RegExp(`^-?\\d{1,${maxLength}}$`))
const date = fc.date({ min: new Date('0001-01-01'), max: new Date('9999-12-31'), noInvalidDate: true })
const zone = fc.constantFrom('', 'Z', 'z', '+05:45', '-0330', '+14')
const clock = fc.constantFrom('00:00', '23:59:59', '07:30:00.5', '12:00:00.123456')

/** Ranges in every form that a body may use. */
const ranges = (end: fc.Arbitrary<string>): fc.Arbitrary<string> => {
  const written = fc.oneof(end, end.map((text) => `"${text}"`), fc.constantFrom('', 'infinity', '-infinity', 'x'))
  const range = fc.tuple(fc.constantFrom('[', '('), written, fc.constant(','), written, fc.constantFrom(']', ')'))
  return fc.oneof(range.map((parts) => parts.join('')), fc.constantFrom('empty', '(,)', '[,]', '[1,2', '[2,1]'))
}

/** Values of a type in every form that a body may use. */
function valuesOf (type: ValueType): fc.Arbitrary<unknown> {
  switch (type.kind) {
    case 'integer':
      return fc.oneof(fc.integer({ min: type.min, max: type.max }), fc.constantFrom(type.min, type.max, type.max + 1))
    case 'bigint':
      return type.form === 'number' ? fc.maxSafeInteger() : fc.oneof(digits(25), digits(45))
    case 'decimal':
      return type.form === 'number'
        ? fc.oneof(fc.integer({ min: -10_000, max: 10_000 }).map((n) => n / 100),
          fc.double({ noNaN: true, noDefaultInfinity: true }), fc.constantFrom(9999999999.99, 1e10, 99999999.99))
        : fc.oneof(fc.stringMatching(/^-?\d{1,16}\.\d{1,8}$/),
          fc.stringMatching(/^-?0{0,3}\d{1,12}(\.\d{1,5}0{0,4})?$/))
    case 'float':
      return fc.double({ noNaN: true, noDefaultInfinity: true })
    case 'boolean':
      return fc.boolean()
    case 'text':
      return fc.string({ unit: 'grapheme', maxLength: Math.min(type.maxLength ?? 300, 60) + 3 })
    case 'enum':
      return fc.constantFrom<unknown>(...type.items, 'none')
    case 'range':
      return ranges(valuesOf(type.end).map(String))
    case 'uuid':
      return fc.uuid().chain((uuid) => fc.constantFrom(uuid, uuid.toUpperCase()))
    case 'date':
      return date.map((date) => date.toISOString().slice(0, 10))
    case 'datetime':
      return fc.oneof(
        date.map((date) => date.toISOString()),
        fc.tuple(date, fc.constantFrom('T', 't', ' '), clock, zone).map(([date, separator, clock, zone]) =>
          `${date.toISOString().slice(0, 10)}${separator}${clock}${zone}`
        ),
        date.map((date) => date.toISOString().slice(0, 10))
      )
    case 'time':
      return clock
    case 'json':
      return fc.jsonValue()
    case 'blob':
      return fc.uint8Array({ maxLength: 9 }).map((bytes) => Buffer.from(bytes).toString('base64'))
    case 'array':
      return fc.array(valuesOf(type.element), { maxLength: 4 })
    case 'other':
      return fc.string()
  }
}

function valuesOfProperty (property: Property): fc.Arbitrary<unknown> {
  if (property.kind === 'scalar') {
    return property.embedded === undefined
      ? valuesOf(property.type)
      : record(property.embedded.properties)
  }
  if (property.kind === 'embedded') return record(property.properties)
  const columns = property.many ? property.target.primaryKey.flatMap(({ columns }) => columns) : property.key
  const [column, ...more] = columns
  if (column === undefined) return anything
  const key = more.length === 0
    ? valuesOf(column.type)
    : fc.record(Object.fromEntries(property.key.map(({ publicName, type }) => [publicName, valuesOf(type)])))
  return property.many ? fc.array(key, { maxLength: 3 }) : key
}

function record (properties: ReadonlyMap<string, Property>): fc.Arbitrary<unknown> {
  const members = [...properties.values()].map((
    member
  ) => [
    member.publicName,
    fc.oneof({ weight: 9, arbitrary: valuesOfProperty(member) }, { weight: 1, arbitrary: anything }),
  ])
  return fc.record(Object.fromEntries(members), { requiredKeys: [] })
}

/** Bodies of a record: some of its properties, most of them valid, and now and then an unknown name. */
function bodies (model: EntityModel, requireAll: boolean): fc.Arbitrary<unknown> {
  const written = [...model.properties.values()].filter(({ write }) => write.writable)
  const values = Object.fromEntries(written.map((property) => {
    const values = valuesOfProperty(property)
    return [property.publicName, property.nullable ? fc.option(values) : values]
  }))
  const names = (optional: boolean) =>
    written.filter(({ write }) => write.optional === optional || (optional && !requireAll)).map(({ publicName }) =>
      publicName
    )
  const pick = (names: readonly string[]) => fc.record(Object.fromEntries(names.map((name) => [name, values[name]!])))
  // few at a time: a body with thirty properties is hardly ever valid
  const right = fc.subarray(names(true), { maxLength: Math.min(3, names(true).length) }).chain((some) =>
    pick(requireAll ? [...names(false), ...some] : some)
  )
  const odd = fc.dictionary(
    fc.constantFrom(...[...model.properties.values()].map(({ publicName }) => publicName), 'other'),
    anything,
    { maxKeys: 2 }
  )
  return fc.oneof({ weight: 6, arbitrary: right }, {
    weight: 3,
    arbitrary: fc.tuple(right, odd).map(([right, odd]) => ({ ...right, ...odd })),
  }, { weight: 1, arbitrary: anything })
    // the body as it arrives in JSON
    .map((body) => body === undefined ? null : JSON.parse(JSON.stringify(body)))
}

const schemaOf = (model: EntityModel, isNew: boolean, readonly = false) =>
  clientSchema(model, rulesOf(model, isNew), { complete: isNew, readonly })

const rulesOf = (model: EntityModel, isNew: boolean, writable: 'all' | readonly string[] = 'all'): BodyRules =>
  resolveWritable({ create: writable, update: writable }, model, () => false, false)[isNew ? 'create' : 'update']!

function isAccepted (body: unknown, model: EntityModel, requireAll: boolean): boolean {
  try {
    readData(body, model, { by: rulesOf(model, requireAll), ...(requireAll && { complete: rulesOf(model, true) }) })
    return true
  } catch {
    return false
  }
}

for (const [what, requireAll] of [['new record', true], ['change', false]] as const) {
  t.test(`every accepted ${what} is documented`, async (t) => {
    for (const model of MODELS) {
      const validate = ajv.compile(schemaOf(model, requireAll))
      let accepted = 0
      assertProperty(
        fc.property(bodies(model, requireAll), (body) => {
          if (!isAccepted(body, model, requireAll)) return
          accepted++
          if (!validate(body)) throw new Error(`${model.name}: ${JSON.stringify(validate.errors)}`)
        }),
        { numRuns: 400 }
      )
      t.ok(accepted > 40, `${model.name}: ${accepted} accepted`)
    }
  })
}

for (const [what, requireAll] of [['new record', true], ['change', false]] as const) {
  t.test(`the check of a ${what} accepts exactly what can be converted to columns`, async (t) => {
    await loadCompiler()
    for (const model of MODELS) {
      const rules = rulesOf(model, requireAll)
      const body = clientBody(model, rules, { complete: requireAll })
      const verdicts = new Set<boolean>()
      assertProperty(
        fc.property(bodies(model, requireAll), (data) => {
          const accepted = body.accepts(data)
          verdicts.add(accepted)
          const interpreted = Errors(body.schema, data).First() === undefined
          if (accepted !== interpreted) throw new Error(`compiled: ${accepted}, interpreted: ${interpreted}`)
          if (accepted) convertData(data as Checked, rules, 'client')
          else if (body.refusalOf(data).errors.length === 0) throw new Error('refused without a reason')
        }),
        { numRuns: 300 }
      )
      t.equal(verdicts.size, 2, model.name)
    }
  })
}

t.test('formats and types that an application registers with TypeBox change nothing', async (t) => {
  const body = clientBody(models.of(Specimen), rulesOf(models.of(Specimen), false), { complete: false })
  FormatRegistry.Set('date', () => true)
  t.teardown(() => FormatRegistry.Delete('date'))
  t.ok(body.accepts({ sownOn: '2024-02-29' }))
  t.notOk(body.accepts({ sownOn: '2024-02-30' }))
})

t.test('data with members that are not its own is checked by its own members', async (t) => {
  const plant = models.of(Plant)
  class Dto {
    name = 'Salvia'
    get supplier (): number {
      return 1
    }
  }
  const read = (data: unknown) =>
    readData(data, plant, { by: rulesOf(plant, true), complete: rulesOf(plant, true) }).columns.map(({ column }) =>
      column
    )
  t.throws(() => read(new Dto()), { errors: [{ source: { pointer: '/supplier' } }] })
  t.strictSame(read({ ...new Dto(), supplier: 1 }), ['name', 'supplier_id'])
  for (const data of [new Map(), new Date(), [], null, 'x']) {
    t.throws(() => read(data), { errors: [{ detail: 'A record must be an object.' }] })
  }
})

t.test('an embedded object has members: a date has none', async (t) => {
  const supplier = models.of(Supplier)
  const body = serverBody(supplier)
  for (const address of [new Date(), new Map(), [], 'x']) {
    t.notOk(body.accepts({ address }))
    t.match(body.refusalOf({ address }).errors, [{ detail: "'address' must be an object." }])
  }
})

t.test('the server is to blame for a type that refuses what it has accepted', async (t) => {
  class Moody extends Type<string, string> {
    #asked = 0
    override convertToDatabaseValue (value: string): string {
      if (this.#asked++ > 0) throw new Error('not again')
      return value
    }

    override getColumnType (): string {
      return 'text'
    }
  }
  const Diary = entity('Diary', { id: p.integer().primary(), mood: p.type(Moody) })
  const model = modelsOf([Diary]).of(Diary)
  const read = () => readData({ mood: 'fine' }, model, { by: rulesOf(model, false) })
  t.throws(read, { code: 'FST_CRUD_CONFIG_INVALID', detail: /'mood'/ })
})

t.test('a reference is refused even if the type of a part accepts it a moment later', async (t) => {
  let refusals = 0
  class Fickle extends Type<string, string> {
    override convertToDatabaseValue (value: string): string {
      if (refusals-- > 0) throw new Error('not yet')
      return value
    }

    override getColumnType (): string {
      return 'text'
    }
  }
  const Page = entity('Page', { book: p.type(Fickle).primary(), no: p.integer().primary() })
  const Mark = entity('Mark', { id: p.integer().primary(), page: () => p.manyToOne(Page) })
  const body = serverBody(modelsOf([Mark, Page]).of(Mark))
  const details = new Set<unknown>()
  for (let first = 1; first <= 8; first++) {
    refusals = first
    for (const { detail } of body.refusalOf({ page: { book: 'a', no: 1 } }).errors) details.add(detail)
  }
  t.match([...details].join(), /'page\.book' must refer to a record by its id: a value that its type accepts\./)
})

t.test('a documented body is refused only for rules that a schema cannot express', async (t) => {
  const cases: ReadonlyArray<readonly [type: ValueType, value: unknown, why: string]> = [
    [{ kind: 'text' }, 'a\0', 'a NUL'],
    [{ kind: 'datetime', zoned: true }, '2024-02-30T00:00:00Z', 'a day that its month has not'],
    [{ kind: 'datetime', zoned: true }, '2024-02-03T25:00:00Z', 'an hour that the day has not'],
    [{ kind: 'date' }, '0000-01-01', 'the year 0'],
    [{ kind: 'uuid' }, 'urn:uuid:3f0c8a52-7c0e-4f57-9d53-2d6f4a1c9b10', 'a UUID as a URN'],
    [{ kind: 'bigint', form: 'string' }, '9223372036854775808', 'a number beyond 64 bits'],
    [{ kind: 'decimal', form: 'number', precision: 5, scale: 2 }, 1.234, 'more places than the column keeps'],
    [{ kind: 'float', single: true }, 1e300, 'a number beyond 32 bits'],
    [{ kind: 'json', binary: true }, { a: '\0' }, 'a NUL inside JSON'],
  ]
  for (const [type, value, why] of cases) {
    t.ok(ajv.validate(inputSchema(type), value), why)
    t.notOk(fromJson(value, type).ok, why)
  }
})

t.test('the limits of columns are in the schema', async (t) => {
  const cases: ReadonlyArray<readonly [type: ValueType, right: readonly unknown[], wrong: readonly unknown[]]> = [
    [{ kind: 'integer', min: -5, max: 5 }, [-5, 5], [6, 1.5, '1']],
    [{ kind: 'bigint', form: 'number' }, [Number.MAX_SAFE_INTEGER], [2 ** 53, '1']],
    [{ kind: 'bigint', form: 'string' }, ['-1'], [1, '1.0', '']],
    [{ kind: 'decimal', form: 'number', precision: 5, scale: 2 }, [999.99, -999.99], [1000, '1']],
    [{ kind: 'decimal', form: 'string', precision: 5, scale: 2 }, ['999.99', '0001.5000', '-0'], [
      '1000', '1.234', '.5', '1e3', '',
    ]],
    [{ kind: 'decimal', form: 'string', precision: 2, scale: 2 }, ['0.99', '-0.5'], ['1', '1.5']],
    [{ kind: 'decimal', form: 'string', precision: 3, scale: 0 }, ['999', '1.0'], ['1000', '1.5']],
    [{ kind: 'decimal', form: 'string' }, ['12345678901234567890.5'], ['x']],
    [{ kind: 'text', maxLength: 2 }, ['\u{1F600}\u{1F600}'], ['abc']],
    [{ kind: 'enum', items: ['a', 1], native: false }, ['a', 1], ['b', '1']],
    [{ kind: 'uuid' }, ['3F0C8A52-7C0E-4F57-9D53-2D6F4A1C9B10'], ['3f0c8a52']],
    [{ kind: 'date' }, ['2024-02-29', 'infinity', '0044-03-15 BC', '10000-01-01'], [
      '29.2.2024',
      '2024-02-29T00:00:00Z',
    ]],
    [{ kind: 'datetime', zoned: true }, [
      '2024-05-31', '2024-05-31 09:30', '2024-05-31T09:30:00.123456+05:45', 'infinity',
    ], ['31.5.2024', '2024-05-31T09', 1]],
    [{ kind: 'time' }, ['09:30', '09:30:00.5', '09:30:00.123456'], ['9:30', '09:30:00Z', '09:30:00.']],
    [{ kind: 'time', places: 3 }, ['09:30', '09:30:00.5', '09:30:00.123000'], ['09:30:00.1234', '09:30:00.']],
    [{ kind: 'array', element: { kind: 'boolean' } }, [[], [true], [true, null]], [null, true, ['true'], [1]]],
    [{ kind: 'array', element: { kind: 'enum', items: ['a'], native: false } }, [[], ['a']], [['a', null], ['b']]],
    [{ kind: 'array', element: { kind: 'enum', items: ['a'], native: true } }, [['a', null]], [['b']]],
  ]
  for (const [type, right, wrong] of cases) {
    for (const value of right) t.ok(ajv.validate(inputSchema(type), value), `${type.kind}: ${JSON.stringify(value)}`)
    for (const value of wrong) t.notOk(ajv.validate(inputSchema(type), value), `${type.kind}: ${JSON.stringify(value)}`)
    t.ok(ajv.validate(inputSchema(type), exampleOf(type)), `${type.kind}: the example`)
  }
})

t.test('examples of bodies are accepted', async (t) => {
  for (const model of MODELS) {
    for (const requireAll of [true, false]) {
      for (const example of (schemaOf(model, requireAll)['examples'] ?? []) as unknown[]) {
        t.ok(isAccepted(example, model, requireAll), `${model.name}: ${JSON.stringify(example)}`)
      }
    }
  }
})

t.test('a body has the names that clients may write, and with ignore also those that they may read', async (t) => {
  const plant = models.of(Plant)
  const names = (readonly: boolean): string[] => Object.keys(schemaOf(plant, true, readonly).properties).sort()
  t.strictSame(names(false), [
    'description', 'group', 'inStock', 'latinName', 'name', 'position', 'price', 'shelf', 'sku', 'status', 'supplier',
    'tags',
  ])
  t.strictSame(schemaOf(plant, true).required, ['name', 'supplier'])
  t.equal(schemaOf(plant, false).required, undefined)
  t.match(schemaOf(plant, true, true).properties, {
    id: { readOnly: true }, created_at: { readOnly: true }, name: { type: 'string' },
  })
  t.notOk(names(true).includes('purchasePrice'), 'hidden')
})
