/** A record that is sent back as it is shown changes nothing in its row, whatever the columns hold. */
import { p } from '@mikro-orm/core'
import fc from 'fast-check'
import t from 'tap'
import { AllowedFilters, AllowedSort } from '../../../src/index.ts'
import { forOneDatabase } from '../../helpers/databases.ts'
import { assertProperty } from '../../helpers/property.ts'
import { q, resource, select, serve, writes, type Json } from '../helper.ts'
import { entity } from '../../helpers/entity.ts'

const MOOD = ['calm', 'calm down', 'NULL'] as const

const Row = entity('Row', {
  id: p.integer().primary().autoincrement(),
  small: p.smallint().nullable(),
  whole: p.integer().nullable(),
  big: p.bigint('string').nullable(),
  exact: p.decimal().columnType('numeric').nullable(),
  limited: p.decimal('number').precision(8).scale(2).nullable(),
  single: p.float().columnType('real').nullable(),
  double: p.double().nullable(),
  flag: p.boolean().nullable(),
  words: p.text().nullable(),
  padded: p.character().length(4).nullable(),
  unique: p.uuid().nullable(),
  mood: p.enum(MOOD).nativeEnumName('mood').nullable(),
  day: p.date().nullable(),
  zoned: p.datetime().nullable(),
  plain: p.datetime().columnType('timestamp').nullable(),
  short: p.datetime(3).nullable(),
  clock: p.time().columnType('time').nullable(),
  doc: p.json().nullable(),
  bytes: p.blob().nullable(),
  pause: p.interval().nullable(),
  address: p.string().columnType('inet').nullable(),
  bits: p.string().columnType('varbit').nullable(),
  numbers: p.array((text) => Number(text)).columnType('int[]').nullable(),
  bigs: p.array().columnType('bigint[]').nullable(),
  exacts: p.array().columnType('numeric[]').nullable(),
  texts: p.array().nullable(),
  days: p.array().columnType('date[]').nullable(),
  moments: p.array().columnType('timestamptz[]').nullable(),
  doubles: p.array().columnType('float8[]').nullable(),
  pairs: p.array().columnType('pair[]').nullable(),
  counted: p.string().columnType('int4range').nullable(),
  measured: p.string().columnType('numrange').nullable(),
  period: p.string().columnType('daterange').nullable(),
  span: p.string().columnType('tstzrange').nullable(),
}, { tableName: 'row' })
/** MikroORM declares its own times as `time(0)`, whatever length they have. */
const Shop = entity('Shop', { id: p.integer().primary(), opens: p.time(), closes: p.time(3) }, { tableName: 'shop' })
const TABLE = `
  create table shop (id int primary key, opens time not null, closes time not null);
  insert into shop values (1, '09:30:00.5', '23:59:59.999999');
  create type pair as (n int, t text);
  create type mood as enum ('calm', 'calm down', 'NULL');
  create table "row" (
    id serial primary key, small smallint, whole int, big bigint, exact numeric, limited numeric(8, 2), single real,
    double float8, flag boolean, words text, padded char(4), "unique" uuid, mood mood, day date, zoned timestamptz,
    plain timestamp, short timestamptz(3), clock time, doc jsonb, bytes bytea, pause interval, address inet,
    bits varbit, numbers int[], bigs bigint[], exacts numeric[], texts text[], days date[], moments timestamptz[],
    doubles float8[], pairs pair[], counted int4range, measured numrange, period daterange, span tstzrange
  )`

const DAYS = ['infinity', '-infinity', '0044-03-15 BC', '4713-01-01 BC', '0001-01-01', '9999-12-31', '10000-01-01']
const MOMENTS = [
  'infinity', '-infinity', '0044-03-15 12:30:00.000001+00 BC', '0001-01-01 00:00:00+00',
  '2022-01-01 00:00:00.123456+00', '2022-01-01 00:00:00.12+00', '9999-12-31 23:59:59.999999+00',
  '10000-01-01 00:00:00+00', '294276-12-31 23:59:59.999999+00',
]
const days = fc.oneof(
  fc.constantFrom(...DAYS),
  fc.date({ min: new Date('0001-01-01'), max: new Date('9999-12-31'), noInvalidDate: true })
    .map((date) => date.toISOString().slice(0, 10))
)
const moments = fc.oneof(
  fc.constantFrom(...MOMENTS),
  fc.tuple(
    fc.date({ min: new Date('0001-01-02'), max: new Date('9999-12-30'), noInvalidDate: true }),
    fc.integer({ min: 0, max: 999 })
  ).map(([date, micros]) => date.toISOString().replace('Z', `${String(micros).padStart(3, '0')}+00`))
)
const digits = fc.tuple(fc.bigInt({ min: -(10n ** 20n), max: 10n ** 20n }), fc.nat(999_999)).map(([n, f]) =>
  `${n}.${f}`
)
const notFinite = fc.constantFrom('NaN', 'Infinity', '-Infinity')
const doubles = fc.oneof(notFinite, fc.double({ noNaN: true, noDefaultInfinity: true }).map(String))
const words = fc.oneof(fc.constantFrom('', ' ', 'NULL', 'null', '{}', '"', '\\', 'a,b', '\n'),
  fc.string({ unit: 'grapheme', maxLength: 10 })).filter((text) => !text.includes('\0') && text.isWellFormed())
const bigs = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map(String)

/** An array literal: one row, or two rows of one length. */
const arrays = (items: fc.Arbitrary<string>, nested = items): fc.Arbitrary<string> =>
  fc.oneof(
    fc.nat(3).chain((length) => rowOf(items, length)),
    fc.integer({ min: 1, max: 3 }).chain((length) =>
      fc.tuple(rowOf(nested, length), rowOf(nested, length)).map((rows) => `{${rows.join()}}`)
    )
  )
function rowOf (items: fc.Arbitrary<string>, length: number): fc.Arbitrary<string> {
  const item = fc.oneof({ weight: 5, arbitrary: items.map(quoted) }, { weight: 1, arbitrary: fc.constant('null') })
  return fc.array(item, { minLength: length, maxLength: length }).map((row) => `{${row.join()}}`)
}
const quoted = (text: string): string => `"${text.replace(/["\\]/g, '\\$&')}"`

const ranges = (ends: fc.Arbitrary<string>, compare: (one: string, other: string) => number): fc.Arbitrary<string> =>
  fc.oneof(
    fc.constantFrom('empty', '(,)'),
    fc.tuple(fc.constantFrom('[', '('), ends, ends, fc.constantFrom(']', ')')).map(([open, one, other, close]) => {
      const [low, high] = compare(one, other) <= 0 ? [one, other] : [other, one]
      return `${open}${quoted(low)},${quoted(high)}${close}`
    }),
    ends.map((end) => `[${quoted(end)},)`),
    ends.map((end) => `(,${quoted(end)}]`)
  )
const textually = (one: string, other: string): number => one < other ? -1 : one > other ? 1 : 0
const commonMoments = moments.filter((text) => /^\d{4}-/.test(text) && !text.includes('BC'))
const commonDays = days.filter((text) => /^\d{4}-\d\d-\d\d$/.test(text))

/** The stored texts of each column, as PostgreSQL reads them. */
const STORED: Readonly<Record<string, fc.Arbitrary<string>>> = {
  small: fc.integer({ min: -32768, max: 32767 }).map(String),
  whole: fc.integer().map(String),
  big: bigs,
  exact: fc.oneof(notFinite, digits),
  limited: fc.oneof(fc.constant('NaN'), fc.integer({ min: -99_999_999, max: 99_999_999 }).map((n) => String(n / 100))),
  single: fc.oneof(notFinite, fc.float({ noNaN: true, noDefaultInfinity: true }).map(String)),
  double: doubles,
  flag: fc.constantFrom('true', 'false'),
  words,
  padded: fc.constantFrom('', 'a', 'abcd'),
  unique: fc.uuid(),
  mood: fc.constantFrom(...MOOD),
  day: days,
  zoned: moments,
  plain: moments.map((text) => text.replace('+00', '')),
  short: moments.filter((text) => !text.startsWith('294276')),
  clock: fc.constantFrom('00:00:00', '09:30:00.5', '23:59:59.999999', '24:00:00'),
  doc: fc.constantFrom('{"a": [1, 2.5, null]}', '[]', '"x"', '1.5'),
  bytes: fc.uint8Array({ maxLength: 8 }).map((bytes) => `\\x${Buffer.from(bytes).toString('hex')}`),
  pause: fc.constantFrom('00:00:00', '1 year 2 mons -3 days 04:05:06.789', '-178000000 years'),
  address: fc.constantFrom('10.0.0.1', '10.0.0.1/8', '::1'),
  bits: fc.constantFrom('', '0', '0101'),
  numbers: arrays(fc.integer().map(String)),
  bigs: arrays(bigs),
  exacts: arrays(fc.oneof(notFinite, digits)),
  texts: arrays(words),
  days: arrays(days),
  // inner arrays have moments in the time zone of the session, whose old offsets may have seconds
  moments: arrays(moments, moments.filter((text) => /^(?:20|-?inf)/.test(text))),
  doubles: arrays(doubles),
  pairs: arrays(fc.constantFrom('(1,q)', '(,"a b")', '(2,"x\\"y,z")', '(,)')),
  counted: ranges(fc.integer({ min: -1000, max: 1000 }).map(String), (one, other) => Number(one) - Number(other)),
  measured: ranges(fc.integer({ min: -1000, max: 1000 }).map((n) => String(n / 8)),
    (one, other) => Number(one) - Number(other)),
  period: fc.oneof(ranges(commonDays, textually),
    fc.constantFrom('[-infinity,infinity]', '["0044-03-15 BC",10000-01-01)')),
  span: fc.oneof(ranges(commonMoments, textually), fc.constantFrom('["0044-03-15 00:00:00+00 BC",infinity)')),
}
const NAMES = Object.keys(STORED)
/** Properties that filters compare by `eq`. Of numbers that are not finite, filters know none. */
const COMPARED = [
  'small', 'whole', 'big', 'flag', 'words', 'padded', 'unique', 'mood', 'day', 'zoned', 'plain', 'short', 'clock',
  'counted', 'measured', 'period', 'span',
] as const
const SORTED = [...COMPARED, 'exact', 'limited', 'single', 'double'] as const

const options = { entities: [Row, Shop], tables: TABLE, orm: { forceUtcTimezone: true } }
await forOneDatabase(t, options, async (t, { orm }) => {
  const app = await serve(t, orm, {
    '/rows': {
      crud: resource(Row, {
        allowedFilters: COMPARED.map((name) => new AllowedFilters(name)),
        allowedSorts: SORTED.map((name) => new AllowedSort(name)),
      }),
      operations: ['list', 'get', 'create', 'createMany', 'update'],
    },
    '/shops': { crud: resource(Shop), operations: ['get', 'update'] },
  })
  const { updated, created, read } = writes(app)
  const insert = async (values: Readonly<Record<string, string | null>>): Promise<number> => {
    const names = NAMES.filter((name) => values[name] !== undefined && values[name] !== null)
    const [{ id }] = await select(
      orm,
      `insert into "row" (id${names.map((name) => `, "${name}"`).join('')}) values (default${
        names.map((name) => `, '${values[name]!.replaceAll("'", "''")}'`).join('')
      }) returning id`.replaceAll('?', '\\?')
    )
    return id
  }
  const stored = async (id: number): Promise<string> => {
    const [row] = await select(orm, `select r::text as row from "row" r where id = ${id}`)
    return row.row.slice(row.row.indexOf(','))
  }
  const rows = fc.record(Object.fromEntries(NAMES.map((name) => [name, fc.option(STORED[name]!, { freq: 4 })])))

  t.test('stored, shown and sent back, a row stays the same', async (t) => {
    await assertProperty(
      fc.asyncProperty(rows, async (values) => {
        const id = await insert(values)
        const before = await stored(id)
        const record = await read(`/rows/${id}`)
        const { id: _, ...shown } = record
        const same = (one: unknown, other: unknown, what: string): void => {
          if (JSON.stringify(one) !== JSON.stringify(other)) {
            throw new Error(`${what}: ${JSON.stringify(one)}, not ${JSON.stringify(other)}`)
          }
        }
        same(await updated(`/rows/${id}`, shown), record, 'the answer')
        same(await stored(id), before, 'sent back')
        const copy = await created('/rows', shown)
        same(await stored(copy.id), before, 'copied')
        const [first] = await created('/rows', [shown, shown])
        same(await stored(first.id), before, 'copied in a batch')
        for (const name of COMPARED) {
          if (shown[name] === null) continue
          const { items } = await read(
            q`/rows?filter[${name}]=${shown[name]}&per_page=100&sort=-${name}`.replaceAll('%5B', '[')
          )
          if (!items.some((item: Json) => item.id === id)) throw new Error(`${name} ${shown[name]} is not found`)
        }
        await select(orm, `delete from "row" where id > ${id}`)
      }),
      { numRuns: 40 }
    )
    t.pass()
  })

  t.test('a time keeps its fraction, although MikroORM declares a column without one', async (t) => {
    const shown = await read('/shops/1')
    t.match(shown, { opens: '09:30:00.5', closes: '23:59:59.999999' })
    t.strictSame(await updated('/shops/1', { opens: shown.opens, closes: shown.closes }), shown)
  })

  t.test('pages by cursor contain every row once', async (t) => {
    const [{ count }] = await select(orm, 'select count(*)::int as count from "row"')
    for (const name of SORTED) {
      const ids: number[] = []
      let cursor: string | null = ''
      while (cursor !== null) {
        const page: Json = await read(`/rows?sort=${name}&per_page=7&cursor=${cursor}`)
        ids.push(...page.items.map((item: Json) => item.id))
        cursor = page.next_cursor
      }
      t.strictSame([ids.length, new Set(ids).size], [count, count], name)
    }
  })
})
