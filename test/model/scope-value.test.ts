/** Values of scopes as values of columns, and their equality. */
import t from 'tap'
import { fromScope, isSameValue, valueTypeOf } from '../../src/model/index.ts'

const column = (columnType: string) => ({ type: valueTypeOf(columnType, {}) })

t.test('values that only the database can compare', async (t) => {
  for (const [columnType, one, other] of [
    ['citext', 'a', 'A'],
    ['interval', '1 day', '24:00:00'],
    ['jsonb', '{"a":1,"b":2}', '{"b":2,"a":1}'],
    ['int[]', '{1}', '{"1"}'],
    ['date', 'today', '2024-01-01'],
    ['timestamptz', '2024-01-01T00:00:00Z', '2024-01-01T00:00:00.1Z'],
    ['timestamptz', 'now', '2024-01-01T00:00:00.1Z'],
    ['time', '09:30', '09:30:00.2'],
  ] as const) {
    t.equal(isSameValue(one, other, column(columnType)), undefined, columnType)
    t.equal(isSameValue(one, one, column(columnType)), true, columnType)
    t.equal(isSameValue(one, null, column(columnType)), false, columnType)
  }
  const codec = {
    toWire: (value: unknown) => value,
    fromJson: (value: unknown) => ({ ok: true as const, value: String(value) }),
  }
  t.equal(isSameValue('a', 'b', { ...column('text'), codec }), undefined, 'of a custom type')
})

t.test('values that are equal, or certainly differ', async (t) => {
  for (const [columnType, one, other, expected] of [
    ['text', 'a', 'A', false],
    ['char(3)', 'a', 'a  ', true],
    ['numeric', '1.5', '1.50', true],
    ['numeric', '-0', '0', true],
    ['numeric', 'NaN', '0', false],
    ['timestamptz', '2024-01-01T00:00:00Z', '2024-01-01T01:00:00+01:00', true],
    ['timestamptz', '2024-01-01T00:00:00Z', '2024-01-01T00:00:01Z', false],
    ['timestamptz', 'infinity', '2024-01-01T00:00:01Z', false],
    ['date', '2024-01-01', '2024-01-02', false],
    ['time', '09:30', '09:30:00.0', true],
    ['time', '09:30', '09:31', false],
    ['int4range', '[1,5]', '[1,6)', true],
    ['int4range', '[1,5]', '[1,5)', false],
    ['int4range', '(3,4)', 'empty', true],
    ['int4range', '[,5]', '(,6)', true],
    ['int8range', '(9007199254740992,]', '[9007199254740993,)', true],
    ['daterange', '(2024-02-28,2024-12-31]', '[2024-02-29,2025-01-01)', true],
    ['daterange', '[2024-01-01,9999-12-31]', '[2024-01-01,10000-01-01)', true],
    ['daterange', '[2024-01-01,infinity]', '[2024-01-01,infinity)', false],
    ['daterange', '[2024-01-01,infinity)', '[2024-01-01,)', false],
    ['numrange', '[1.5,2)', '[1.50,2.0)', true],
    ['numrange', '[1.5,1.5)', 'empty', true],
    ['numrange', '[1.5,2)', '[1.5,2]', false],
    ['tstzrange', '[2024-01-01T00:00:00Z,)', '[2024-01-01T01:00:00+01:00,]', true],
  ] as const) {
    t.equal(isSameValue(one, other, column(columnType)), expected, `${columnType}: ${one} and ${other}`)
    t.equal(isSameValue(other, one, column(columnType)), expected, `${columnType}: ${other} and ${one}`)
  }
  t.equal(isSameValue(Buffer.from('a'), Buffer.from('a'), column('bytea')), true)
  t.equal(isSameValue(Buffer.from('a'), Buffer.from('b'), column('bytea')), false)
})

t.test('values that columns can hold beyond those that clients may write', async (t) => {
  for (
    const [columnType, given, value] of [
      ['numeric', 'NaN', 'NaN'],
      ['numeric', 1e21, '1000000000000000000000'],
      ['real', '-Infinity', '-Infinity'],
      ['timestamptz', '-infinity', '-infinity'],
      ['timestamptz', new Date('+010000-01-01T00:00:00Z'), '10000-01-01T00:00:00.000Z'],
      ['timestamptz', new Date('-000043-03-15T00:00:00Z'), '0044-03-15T00:00:00.000Z BC'],
      ['date', '0044-03-15 BC', '0044-03-15 BC'],
      ['daterange', '[2024-01-01,infinity)', '[2024-01-01,infinity)'],
      ['daterange', '["0044-03-15 BC",)', '[0044-03-15 BC,)'],
      ['interval', 5, '5'],
    ] as const
  ) t.strictSame(fromScope(given, column(columnType)), { ok: true, value }, columnType)
  for (
    const [columnType, given] of [['numeric(5,2)', 'NaN'], ['date', '2024-02-30'], ['date', 'x'], ['int4', '0x1'], [
      'bool', 2,
    ], ['timestamptz', new Date('-010000-01-01T00:00:00Z')]] as const
  ) t.notOk(fromScope(given, column(columnType)).ok, `${columnType}: ${String(given)}`)
})
