/** Values for rows, and the texts by which requests refer to them. */
import fc from 'fast-check'
import type { Property, Value, ValueType } from '../reference/description.ts'
import { SCALE } from './graph.ts'

/** Only a few values, so that rows tie and filters match, and values that are easily misread. */
const TEXTS = [
  '', 'a', 'A', 'b', 'B', 'Ab', 'aB', 'abc', 'é', 'É', 'ß', 'ﬀ', '😀', 'a😀', '\uffff', 'a%b', 'a_b', 'a\\b', '100%',
  '%', '_', '\\', ' a', 'a ', 'a b', 'a,b', ',', '"a"', '"', "o'clock", "'", '[]', 'null', 'true', '1', '-1', '\n',
  'a\tb', '+', '&=#', ';--', '$1', '?', 'İ', 'ſ',
]
export const text = fc.oneof({ weight: 8, arbitrary: fc.constantFrom(...TEXTS) }, {
  weight: 1,
  arbitrary: fc.string({ maxLength: 5 }),
})

const uuid = fc.constantFrom(0, 1, 9, 10, 11, 15).map((n) =>
  `${n.toString(16).repeat(8)}-0000-4000-8000-${n.toString(16).repeat(12)}`
)
const int64 = fc.oneof(fc.integer({ min: -3, max: 12 }).map(String),
  fc.constantFrom('9007199254740993', '9007199254740992', '-9223372036854775808', '9223372036854775807'))
const decimal = fc.oneof(
  fc.integer({ min: -300, max: 1200 }).map((cents) => (cents / 10 ** SCALE).toFixed(SCALE)),
  fc.constantFrom(
    '0.10', '0.01', '10.00', '9.99', '123456789012345678.90', '123456789012345678.91', '-123456789012345678.90'
  )
)
const float = fc.constantFrom(
  0, 0.1, 0.30000000000000004, 0.3, -2.5, 1, 10, 9, 1e300, -1e300, 5e-324, 1e21, 123456789.125
)
const MOMENTS = [
  '0001-01-01T00:00:00.000Z', '1969-12-31T23:59:59.999Z', '2024-02-29T00:00:00.000Z', '2024-02-29T00:00:00.001Z',
  '2024-02-29T12:30:00.000Z', '2024-03-01T00:00:00.000Z', '9999-12-31T23:59:59.999Z',
  // around midnight in Berlin, New York and Apia, and on either side of changes to and from daylight saving time
  '2024-03-30T23:30:00.000Z', '2024-03-31T22:30:00.000Z', '2024-10-27T22:30:00.000Z', '2024-03-10T04:30:00.000Z',
  '2024-11-04T04:30:00.000Z', '2011-12-30T11:00:00.000Z',
]
const DAYS = [...new Set(MOMENTS.map((moment) => moment.slice(0, 10)))]
const json = fc.oneof(
  fc.constantFrom<Value>({}, [], 'k', 1, true, [{ k: 'a' }]),
  fc.record({
    k: fc.constantFrom<Value>('a', 'b', '', '5', '1', 'true', 5, 1, 0.5, -3, true, false, null, {}, [], ['a']),
    n: fc.record({ m: fc.constantFrom<Value>(1, 2, 'x') }, { noNullPrototype: true }),
  }, { requiredKeys: [], noNullPrototype: true })
)

const VALUES: Readonly<Record<Exclude<ValueType, 'enum'>, fc.Arbitrary<Value>>> = {
  integer: fc.oneof({ weight: 5, arbitrary: fc.integer({ min: -3, max: 12 }) }, {
    weight: 1,
    arbitrary: fc.constantFrom(2147483647, -2147483648),
  }),
  bigint: int64, decimal, float, boolean: fc.boolean(), text, uuid, date: fc.constantFrom(...DAYS),
  datetime: fc.constantFrom(...MOMENTS), json,
}

/** A value as a row holds it. */
export function valueOf ({ type, members, nullable }: Property): fc.Arbitrary<Value> {
  const value = type === 'enum' ? fc.constantFrom(...members!) : VALUES[type]
  return nullable ? fc.option(value, { freq: 4 }) : value
}

/** Other ways to write the same value. */
export function written (value: Value, type: ValueType): fc.Arbitrary<string> {
  const usual = String(value)
  switch (type) {
    case 'boolean':
      return fc.constantFrom(usual, value ? '1' : '0')
    case 'uuid':
      return fc.constantFrom(usual, usual.toUpperCase())
    case 'decimal':
      return fc.constantFrom(usual, `${usual}0`, usual.replace(/\.00$/, ''))
    case 'float':
      return fc.constant(usual.replace('+', ''))
    case 'datetime':
      return fc.constantFrom(
        usual, usual.replace('Z', ''), usual.replace('Z', '+00:00'),
        ...usual.endsWith('T00:00:00.000Z') ? [usual.slice(0, 10)] : [], ...shifted(usual)
      )
    default:
      return fc.constant(usual)
  }
}

/** The same moment with another offset, unless that leads to a year without four digits. */
function shifted (moment: string): string[] {
  const local = new Date(Date.parse(moment) + (5 * 60 + 45) * 60_000)
  return local.getUTCFullYear() > 9999 ? [] : [local.toISOString().replace('Z', '+05:45')]
}

/** Texts that are not values of the type, and that a careless reader accepts. */
export const WRONG: Readonly<Record<ValueType, readonly string[]>> = {
  integer: ['', 'x', '1e3', '1.5', '2147483648', '-2147483649', '0x10', 'NaN', 'null', '1 2', '٣'],
  bigint: ['', 'x', '1e3', '1.5', '9223372036854775808', '-9223372036854775809', '1n'],
  decimal: ['', 'x', '1e1000', 'NaN', 'Infinity', '1,5', '1.2.3'],
  float: ['', 'x', 'NaN', 'Infinity', '-Infinity', '1e400', '1.2.3'],
  boolean: ['', 'yes', 'no', '2', 'null'],
  text: ['\0', 'a\0'],
  enum: ['', 'x', 'English', 'good '],
  uuid: ['', 'x', '00000000', '00000000-0000-4000-8000-00000000000g'],
  date: ['', 'x', '2024-02-30', '2023-02-29', '2024-13-01', '24-01-01', '20240101', 'today'],
  datetime: ['', 'x', '2024-02-30', '2024-02-30T00:00:00Z', '2024-01-01T25:00:00Z', '2024-13-01T00:00:00Z', 'now'],
  json: ['{}'],
}
