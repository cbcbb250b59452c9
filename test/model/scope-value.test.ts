/** Values of scopes as values of columns, and their equality. */
import fc from 'fast-check'
import t from 'tap'
import { canonicalKey, fromScope, isSameValue, valueTypeOf } from '../../src/model/index.ts'
import { compareDecimals } from '../../src/model/types/value-order.ts'
import { assertProperty } from '../helpers/property.ts'

const column = (columnType: string) => ({ type: valueTypeOf(columnType, {}) })

t.test('values that only the database can compare', async (t) => {
  for (const [columnType, one, other] of [
    ['citext', 'i', 'I'],
    ['citext', 'ä', 'Ä'],
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
    ['char(3)', 'a', ' a', false],
    ['citext', 'a', 'A', true],
    ['real', 0.1, 0.100000001, true],
    ['real', 0.1, 0.11, false],
    ['double precision', 0.1, 0.100000001, false],
    ['numeric', '1.5', '1.50', true],
    ['numeric', '-0', '0', true],
    ['numeric', '-0.50', '-00.5', true],
    ['numeric', '-0.5', '0.5', false],
    ['numeric', '1', '10', false],
    ['numeric', '1.05', '1.5', false],
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

t.test('keys that are the same have the same text, and others do not', (t) => {
  const digits = fc.stringMatching(/^-?\d{1,4}(\.\d{1,4})?$/)
  const moment = fc.tuple(fc.integer({ min: -3e6, max: 3e6 }), fc.constantFrom(-14, -5.5, 0, 1, 13.75)).map(
    ([seconds, hours]) => {
      const local = new Date((seconds + hours * 3600) * 1000).toISOString().slice(0, 19)
      const minutes = Math.abs(hours * 60)
      const zone = [Math.floor(minutes / 60), minutes % 60].map((part) => String(part).padStart(2, '0')).join(':')
      return { seconds, text: `${local}${hours < 0 ? '-' : '+'}${zone}` }
    }
  )
  const isOne = (columnType: string, one: string, other: string): boolean =>
    canonicalKey([one], [column(columnType)]) === canonicalKey([other], [column(columnType)])
  assertProperty(fc.property(digits, digits, (one, other) => {
    t.equal(isOne('numeric', one, other), compareDecimals(one, other) === 0)
    t.ok(isOne('numeric', one, one.includes('.') ? `${one}00` : `${one}.0`))
  }))
  assertProperty(fc.property(moment, moment, (one, other) => {
    t.equal(isOne('timestamptz', one.text, other.text), one.seconds === other.seconds)
    t.ok(isOne('timestamptz', one.text, new Date(one.seconds * 1000).toISOString()))
  }))
  t.end()
})

t.test('values that columns can hold beyond those that clients may write', async (t) => {
  for (const [columnType, given, value] of [
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
  ] as const) t.strictSame(fromScope(given, column(columnType)), { ok: true, value }, columnType)
  for (
    const [columnType, given] of [['numeric(5,2)', 'NaN'], ['date', '2024-02-30'], ['date', 'x'], ['int4', '0x1'], [
      'bool',
      2,
    ], ['timestamptz', new Date('-010000-01-01T00:00:00Z')]] as const
  ) t.notOk(fromScope(given, column(columnType)).ok, `${columnType}: ${String(given)}`)
})
