/** Texts for property tests: texts that a column type accepts, near misses, and typical texts of testers. */
import fc from 'fast-check'

/** Texts that have broken other programs. */
export const awkward: fc.Arbitrary<string> = fc.constantFrom(
  '', ' ', '0', '-0', '1', '-1', '+1', ' 1', '1 ', '1e3', '1e999', '1e-999', '.5', '5.', '1.0', 'NaN', 'Infinity',
  '-Infinity', 'null', 'true', 'false', 't', 'f', '32767', '32768', '2147483647', '2147483648', '9223372036854775807',
  '9223372036854775808', '-9223372036854775808', '9007199254740993', '0.1', '3.4028235e38', '1.7976931348623157e308',
  '5e-324', '\0', 'a\0b', '\ud800', '😀', "'", '"', '\\', '%', '_', '?', '$1', '{}', '{"a":1}', '[]', '"\\u0000"',
  '"\\ud800"', '{"a":"\\u0000","a":1}', '2024-02-29', '2023-02-29', '1900-02-29', '0001-01-01', '0000-01-01',
  '9999-12-31', '2024-05-31T24:00:00Z', '2024-05-31T23:59:60Z', '0001-01-01T00:00:00+14:00',
  '9999-12-31T23:59:59-14:00', '24:00', '23:59:59.999999', '00000000-0000-0000-0000-000000000000', '1'.repeat(1000),
  '1'.repeat(1001), `0.${'0'.repeat(500)}1`
)

const digits = (minLength: number, maxLength: number) =>
  fc.string({ unit: fc.constantFrom(...'0123456789'), minLength, maxLength })
const sign = fc.constantFrom('', '', '', '-', '+')
const joined = (...parts: fc.Arbitrary<string>[]) => fc.tuple(...parts).map((texts) => texts.join(''))
const two = (max: number) => fc.integer({ min: 0, max }).map((n) => String(n).padStart(2, '0'))

const decimal = joined(sign, digits(1, 20), fc.oneof(fc.constant(''), joined(fc.constant('.'), digits(1, 12))))
const exponent = fc.oneof(fc.constant(''), joined(fc.constantFrom('e', 'E', 'e+', 'e-'), digits(1, 4)))
const float = fc.oneof(joined(decimal, exponent), fc.double().map(String), fc.float().map(String))
const date = joined(
  fc.oneof({ weight: 8, arbitrary: fc.integer({ min: 0, max: 9999 }) }, {
    weight: 1,
    arbitrary: fc.integer({ min: 0, max: 275_000 }),
  }).map((n) => String(n).padStart(4, '0')),
  fc.constant('-'),
  two(13),
  fc.constant('-'),
  two(32)
)
const era = fc.oneof({ weight: 8, arbitrary: fc.constant('') }, { weight: 1, arbitrary: fc.constant(' BC') })
const infinite = fc.constantFrom('infinity', '-infinity')
const day = fc.oneof({ weight: 15, arbitrary: joined(date, era) }, { weight: 1, arbitrary: infinite })
const time = joined(
  two(24),
  fc.constant(':'),
  two(60),
  fc.oneof(fc.constant(''),
    joined(fc.constant(':'), two(60), fc.oneof(fc.constant(''), joined(fc.constant('.'), digits(1, 7)))))
)
const zone = fc.oneof(fc.constantFrom('', 'Z', 'z', '+14:00', '-00:00'),
  joined(fc.constantFrom('+', '-'), two(15), fc.constantFrom('', ':00', ':30', '45')))
const datetime = fc.oneof(day, joined(date, fc.constantFrom('T', 't', ' '), time, zone, era))
const json = fc.oneof(
  fc.jsonValue({ depthSize: 'medium', stringUnit: 'binary' }).map((value) => JSON.stringify(value)),
  fc.array(
    fc.constantFrom(
      '{', '}', '[', ']', ',', ':', '"a"', '"\\u0000"', '"\\ud800"', '"\\"', '1', '1e999', '-0', 'null', ' '
    ),
    { maxLength: 12 }
  ).map((tokens) => tokens.join(''))
)

/** Ranges with ends of a type, about half of them in order. */
const rangeOf = (end: fc.Arbitrary<string>): fc.Arbitrary<string> => {
  const bound = fc.oneof({ weight: 6, arbitrary: end }, { weight: 2, arbitrary: end.map((text) => `"${text}"`) }, {
    weight: 1,
    arbitrary: fc.constantFrom('', '', 'infinity', '-infinity', 'x'),
  })
  const range = joined(fc.constantFrom('[', '('), bound, fc.constant(','), bound, fc.constantFrom(']', ')'))
  const single = fc.tuple(fc.constantFrom('[', '('), end, fc.constantFrom(']', ')')).map(([open, text, close]) =>
    `${open}${text},${text}${close}`
  )
  return fc.oneof({ weight: 4, arbitrary: range }, { weight: 1, arbitrary: single }, {
    weight: 1,
    arbitrary: fc.constantFrom('empty', '(,)', '[,', '[1,2,3)', '[1,2147483647]', '(9223372036854775807,)'),
  })
}
const integer = fc.oneof(fc.integer({ min: -20, max: 20 }), fc.integer()).map(String)
const calendar = fc.date({ min: new Date('0001-01-01'), max: new Date('9999-12-31'), noInvalidDate: true })

const TEXTS: Readonly<Record<string, fc.Arbitrary<string>>> = {
  smallint: fc.oneof(joined(sign, digits(1, 6)), fc.integer({ min: -40_000, max: 40_000 }).map(String)),
  integer: fc.oneof(joined(sign, digits(1, 11)), fc.integer().map(String)),
  bigint: fc.oneof(joined(sign, digits(1, 20)), fc.bigInt({ min: -(2n ** 64n), max: 2n ** 64n }).map(String)),
  numeric: joined(decimal, exponent),
  real: float,
  'double precision': float,
  boolean: fc.constantFrom('true', 'false', '1', '0', 'TRUE', 'yes'),
  text: fc.string({ unit: 'binary' }),
  uuid: fc.oneof(fc.uuid(), fc.uuid().map((text) => text.toUpperCase()), fc.uuid().map((text) => text.slice(1))),
  date: day,
  timestamptz: datetime,
  timestamp: datetime,
  time,
  jsonb: json,
  int4range: rangeOf(integer),
  int8range: rangeOf(fc.oneof(integer, fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map(String))),
  numrange: rangeOf(decimal),
  daterange: rangeOf(fc.oneof(calendar.map((day) => day.toISOString().slice(0, 10)), day)),
  tsrange: rangeOf(fc.oneof(calendar.map((moment) => moment.toISOString()), datetime)),
  tstzrange: rangeOf(fc.oneof(calendar.map((moment) => moment.toISOString()), datetime)),
}

/** Texts for a column type, many of which are valid. */
export function textsOf (column: string): fc.Arbitrary<string> {
  return TEXTS[column]!
}
