/** Numbers inside JSON that JavaScript would round are sent as stored, also if records are converted on the way. */
import { p, Type } from '@mikro-orm/core'
import { parse } from 'csv-parse/sync'
import t, { type Test } from 'tap'
import { CrudBase, parseQueryParams, primaryKey, type CrudRecord } from '../../src/index.ts'
import { forEachDatabase } from '../helpers/databases.ts'
import { resource, serve } from './helper.ts'
import { entity } from '../helpers/entity.ts'

const STORED = [
  '9007199254740993', '-9007199254740993', '18446744073709551615', '1e400', '-1e-400', '0.1234567890123456789', '12.5',
]
/** The numbers as jsonb writes them: without exponents. */
const NUMERIC = STORED.map((number) =>
  number === '1e400' ? `1${'0'.repeat(400)}` : number === '-1e-400' ? `-0.${'0'.repeat(399)}1` : number
)
const ROUNDED = [9007199254740992, -9007199254740992, 18446744073709552000, Infinity, -0, 0.12345678901234568, 12.5]

class Doubled extends Type<unknown, unknown> {
  override convertToJSValue (value: unknown): unknown {
    return Array.isArray(value) ? value.map((number) => typeof number === 'number' && number * 2) : value
  }

  override getColumnType (): string {
    return 'jsonb'
  }
}

const Label = entity('Label', {
  text: p.string().nullable(), secret: p.string().hidden().nullable(), extra: p.json().nullable(),
  shape: () => p.embedded(Shape).object().nullable(),
}, { embeddable: true })
const Shape = entity('Shape', { size: p.string().nullable() }, { embeddable: true })
const json = {
  total: p.bigint('number').nullable(), data: p.json().nullable(), plain: p.json().columnType('json').nullable(),
  label: () => p.embedded(Label).object().nullable(),
}
const Field = entity('Field', { ...primaryKey, ...json, rows: () => p.oneToMany(Row).mappedBy('field') })
const Row = entity('Row', {
  ...primaryKey, ...json, code: p.string().nullable().serializer((code) => `#${code}`),
  field: () => p.manyToOne(Field).nullable(),
})
const Seed = entity('Seed', {
  ...primaryKey,
  doubled: p.type(Doubled).nullable(),
  shown: p.json().nullable().serializer((value: unknown) =>
    Array.isArray(value) && value.map((number) => typeof number)
  ),
  total: p.bigint('number').nullable().serializer((total: unknown) => typeof total),
})

class Hooked extends CrudBase {
  seen: unknown
  override afterRead (record: CrudRecord): CrudRecord {
    this.seen = record['data']
    return record
  }
}

/** The lists under a name, as JSON text. */
const listsIn = (text: string, name: string) =>
  [...text.matchAll(new RegExp(`"${name}"\\s*:\\s*\\[([^\\]]*)\\]`, 'g'))].map(([, items]) => items!.split(/,\s*/))

await forEachDatabase(t, { entities: [Field, Row, Seed, Label, Shape] }, async (t, { orm }) => {
  const list = `[${STORED.join()}]`
  const values =
    `'${list}', '${list}', '{"text": "a", "secret": "SECRET", "extra": ${list}, "shape": 9007199254740993}', ` +
    '-9007199254740993'
  for (const statement of [
    `insert into field (data, plain, label, total) values (${values})`,
    `insert into row (data, plain, label, total, code, field_id) values (${values}, 'r', 1)`,
    `insert into seed (doubled, shown, total) values ('${list}', '${list}', 9007199254740993)`,
  ]) await orm.em.getConnection().execute(statement)
  const hooked = new Hooked({ model: Field })
  const include = { allowedIncludes: ['rows'] }
  const app = await serve(t, orm, {
    '/fields': { crud: resource(Field, include), stream: true },
    '/rows': { crud: resource(Row, { allowedIncludes: ['field'] }), stream: true },
    '/seeds': { crud: resource(Seed) },
    '/hooked': { crud: hooked, name: 'hooked', operations: ['get'] },
  })

  const lists = (t: Test, body: string, records: number) => {
    t.strictSame(listsIn(body, 'data'), Array(records).fill(NUMERIC), 'jsonb')
    t.strictSame(listsIn(body, 'plain'), Array(records).fill(STORED), 'json')
    t.strictSame(listsIn(body, 'extra'), Array(records).fill(NUMERIC), 'inside of an embedded object')
    t.equal(body.split(/"shape"\s*:\s*9007199254740993\b/).length, records + 1,
      'a number in the place of an embedded object')
    t.equal(body.split(/"total"\s*:\s*-9007199254740993\b/).length, records + 1,
      'a bigint that is declared to be a number')
    t.notMatch(body, 'SECRET')
  }

  for (const [url, records] of [
    ['/fields', 1], ['/fields/1', 1], ['/fields?include=rows', 2], ['/fields/1?include=rows', 2], ['/rows', 1],
    ['/rows/1', 1], ['/rows?include=field', 2], ['/rows/1?include=field', 2],
  ] as const) {
    t.test(`GET ${url} sends exact numbers`, async (t) => lists(t, (await app.inject(url)).body, records))
  }

  t.test('answers of writes have exact numbers', async (t) => {
    for (const [url, body] of [['/fields/1', {}], ['/rows/1', {}], ['/rows/1', { code: 's' }]] as const) {
      const answer = await app.inject({ method: 'PATCH', url, body })
      t.equal(answer.statusCode, 200, answer.body)
      lists(t, answer.body, 1)
    }
  })

  for (const [url, records] of [['/fields', 1], ['/rows', 1], ['/fields?include=rows', 2], [
    '/rows?include=field',
    2,
  ]] as const) {
    t.test(`streams of ${url} have exact numbers`, async (t) => {
      lists(t, (await app.inject({ url, headers: { accept: 'application/x-ndjson' } })).body, records)
      const { body } = await app.inject({ url, headers: { accept: 'text/csv' } })
      const [record] = parse(body, { columns: true }) as Record<string, string>[]
      t.equal(record!['data'], `[${NUMERIC.join()}]`)
      t.equal(record!['plain'], list)
      t.equal(record!['total'], '-9007199254740993')
      const textOf = (prefix: string, more: string): string => {
        const of = (name: string) => record![`${prefix}${name}`]
        return `{"data":${of('data')},"plain":${of('plain')},"label":${of('label')},"total":${of('total')}${more}}`
      }
      // an included list is one cell, and each value of an included record has a column
      const more = url.endsWith('=rows') ? record!['rows']! : url.endsWith('=field') ? textOf('field.', '') : '0'
      lists(t, textOf('', `,"more":${more}`), records)
    })
  }

  t.test('custom types and serializers get numbers', async (t) => {
    const { doubled, shown, total } = (await app.inject('/seeds/1')).json()
    t.strictSame(doubled, ROUNDED.map((number) => number === Infinity ? null : number * 2))
    t.strictSame(shown, STORED.map(() => 'number'))
    t.equal(total, 'number')
  })

  t.test('afterRead and callers of CrudBase get numbers', async (t) => {
    t.equal((await app.inject('/hooked/1')).statusCode, 200)
    t.strictSame(hooked.seen, ROUNDED)
    const crud = resource(Row)
    const em = orm.em.fork()
    t.strictSame((await crud.get(em, 1))!['data'], ROUNDED)
    t.strictSame((await crud.list(em, parseQueryParams(''))).items[0]!['data'], ROUNDED)
    for await (const record of crud.stream(em)) t.strictSame(record['plain'], ROUNDED)
  })
})
