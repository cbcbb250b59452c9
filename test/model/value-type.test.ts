import t from 'tap'
import { isComparable, isOrdered, isTextual, valueTypeOf, type ValueType } from '../../src/model/index.ts'

const int16 = { kind: 'integer', min: -32768, max: 32767 }
const int32 = { kind: 'integer', min: -2147483648, max: 2147483647 }

t.test('a column type has its value type, under all of its names', async (t) => {
  const cases: ReadonlyArray<readonly [columns: readonly string[], type: object]> = [
    [['smallint', 'int2', 'smallserial'], int16],
    [['integer', 'int', 'int4', 'serial', 'INT', ' integer '], int32],
    [['bigint', 'int8', 'bigserial'], { kind: 'bigint', form: 'string' }],
    [['numeric', 'decimal'], { kind: 'decimal', form: 'string', precision: undefined, scale: undefined }],
    [['numeric(10,2)', 'decimal(10, 2)', 'NUMERIC (10,2)'], {
      kind: 'decimal', form: 'string', precision: 10, scale: 2,
    }],
    [['numeric(10)'], { kind: 'decimal', form: 'string', precision: 10, scale: 0 }],
    [['real', 'float4'], { kind: 'float', single: true }],
    [['double precision', 'float8'], { kind: 'float', single: false }],
    [['boolean', 'bool'], { kind: 'boolean' }],
    [['text', 'varchar', 'character varying'], { kind: 'text', maxLength: undefined }],
    [['citext'], { kind: 'text', maxLength: undefined, folded: true }],
    [['bpchar'], { kind: 'text', maxLength: undefined, padded: true }],
    [['varchar(40)', 'character varying(40)'], { kind: 'text', maxLength: 40 }],
    [['char(40)', 'character(40)'], { kind: 'text', maxLength: 40, padded: true }],
    [['uuid'], { kind: 'uuid' }],
    [['date'], { kind: 'date' }],
    [['time', 'time(0)', 'time(0) without time zone', 'time without time zone', 'time(6)'], { kind: 'time' }],
    [['time(3) without time zone'], { kind: 'time', places: 3 }],
    [['timestamptz', 'timestamptz(4)', 'timestamp with time zone', 'timestamp(6) with time zone'], {
      kind: 'datetime',
      zoned: true,
    }],
    [['timestamptz(3)', 'timestamptz(0)'], { kind: 'datetime', zoned: true, milliseconds: true }],
    [['timestamp', 'timestamp(6)', 'timestamp without time zone'], { kind: 'datetime', zoned: false }],
    [['timestamp(0) without time zone'], { kind: 'datetime', zoned: false, milliseconds: true }],
    [['json'], { kind: 'json', binary: false }],
    [['jsonb'], { kind: 'json', binary: true }],
    [['bytea'], { kind: 'blob' }],
    [['int4range'], { kind: 'range', end: int32 }],
    [['int8range'], { kind: 'range', end: { kind: 'bigint', form: 'string' } }],
    [['numrange'], { kind: 'range', end: { kind: 'decimal', form: 'string' } }],
    [['daterange'], { kind: 'range', end: { kind: 'date' } }],
    [['tsrange'], { kind: 'range', end: { kind: 'datetime', zoned: false } }],
    [['tstzrange'], { kind: 'range', end: { kind: 'datetime', zoned: true } }],
    [['int[]'], { kind: 'array', element: int32 }],
    [['varchar(5)[]'], { kind: 'array', element: { kind: 'text', maxLength: 5 } }],
    [['smallint[]', 'smallint[][]', 'smallint[3]', 'smallint[2][2]'], { kind: 'array', element: int16 }],
  ]
  for (const [columns, type] of cases) {
    for (const column of columns) t.strictSame(valueTypeOf(column, {}), type, column)
  }
})

t.test('an unknown type is left as text', async (t) => {
  for (const column of [
    'interval', 'point', 'inet', 'timetz', 'int4multirange', 'time with time zone', 'tsvector', 'vector(3)',
    'numeric(3,-2)', 'geometry(Point,4326)', '"season"', 'constructor', 'toString', '',
  ]) {
    t.strictSame(valueTypeOf(column, {}), { kind: 'other', columnType: column }, column)
  }
})

t.test('a property declared as a number is a number in JSON', async (t) => {
  t.match(valueTypeOf('bigint', { runtimeType: 'number' }), { form: 'number' })
  t.match(valueTypeOf('numeric(10,2)', { runtimeType: 'number' }), { form: 'number' })
  t.match(valueTypeOf('bigint', { runtimeType: 'bigint' }), { form: 'string' })
  t.match(valueTypeOf('bigint[]', { runtimeType: 'number[]' }), { element: { form: 'number' } })
  t.match(valueTypeOf('bigint[]', { runtimeType: 'string[]' }), { element: { form: 'string' } })
})

t.test('members make an enum, of the database if the type is unknown', async (t) => {
  t.strictSame(valueTypeOf('text', { items: ['a', 'b'] }), { kind: 'enum', items: ['a', 'b'], native: false })
  t.strictSame(valueTypeOf('smallint', { items: [1, 2] }), { kind: 'enum', items: [1, 2], native: false })
  t.strictSame(valueTypeOf('season', { items: ['spring'] }), { kind: 'enum', items: ['spring'], native: true })
  t.strictSame(valueTypeOf('text[]', { items: ['a'] }), {
    kind: 'array',
    element: { kind: 'enum', items: ['a'], native: false },
  })
  t.strictSame(valueTypeOf('text', { items: [] }), { kind: 'text', maxLength: undefined })
})

t.test('a value type is frozen and shares nothing with its declaration', async (t) => {
  const items = ['a']
  const type = valueTypeOf('text', { items }) as Extract<ValueType, { kind: 'enum' }>
  items.push('b')
  t.strictSame(type.items, ['a'])
  for (const frozen of [type, type.items, valueTypeOf('int', {}), valueTypeOf('int[]', {}), valueTypeOf('point', {})]) {
    t.ok(Object.isFrozen(frozen))
  }
})

t.test('a type has the operators that work on it', async (t) => {
  const cases: ReadonlyArray<
    readonly [
      column: string, items: readonly (string | number)[] | undefined, comparable: boolean, ordered: boolean,
      textual: boolean
    ]
  > = [
    ['int', undefined, true, true, false],
    ['bigint', undefined, true, true, false],
    ['numeric', undefined, true, true, false],
    ['real', undefined, true, true, false],
    ['boolean', undefined, true, false, false],
    ['text', undefined, true, true, true],
    ['uuid', undefined, true, true, false],
    ['date', undefined, true, true, false],
    ['timestamptz', undefined, true, true, false],
    ['time', undefined, true, true, false],
    ['jsonb', undefined, true, false, false],
    ['json', undefined, false, false, false],
    ['bytea', undefined, false, false, false],
    ['int[]', undefined, false, false, false],
    ['int4range', undefined, true, false, false],
    ['interval', undefined, false, false, false],
    ['text', ['a'], true, true, true],
    ['smallint', [1], true, true, false],
    ['season', ['a'], true, true, false],
  ]
  for (const [column, items, comparable, ordered, textual] of cases) {
    const type = valueTypeOf(column, { items })
    t.strictSame([isComparable(type), isOrdered(type), isTextual(type)], [comparable, ordered, textual],
      `${column}${items === undefined ? '' : ' with members'}`)
  }
})
