import fc from 'fast-check'
import t from 'tap'
import {
  arrayLiteral, containedFromText, convert, valueTypeOf, type SqlValue, type ValueType,
} from '../../src/model/index.ts'
import { isUuid } from '../../src/model/types/uuid.ts'
import { forOneDatabase } from '../helpers/databases.ts'
import { entities } from '../fixtures/entities.ts'
import { assertProperty } from '../helpers/property.ts'
import { awkward, textsOf } from './texts.ts'

/** A column type, texts with their values, texts that are refused, and the expectation in the message. */
interface Case {
  readonly column: string
  readonly items?: readonly (string | number)[]
  /** A text alone stays unchanged. */
  readonly accepted: ReadonlyArray<string | readonly [text: string, value: SqlValue]>
  readonly refused: readonly string[]
  readonly expected: string
  readonly allowed?: readonly string[]
}

/** Refused by every type except text. */
const NEVER = ['', ' ', 'null', 'undefined', 'NULL', '\0', '1\0', "' or 1=1 --", '{}x', '١', '１', 'ß']
const NOT_NUMBERS = [
  'NaN', 'Infinity', '-Infinity', 'inf', '0x10', '0b1', '1_000', '1,5', '+1', ' 1', '1 ', '--1', '1-', '-', '.', '1.',
  '.5', '1\n', '- 1', 'true',
]
const NOT_RANGES = [
  '1', '[]', '[,', ',]', '[1', '1,2)', '[1;2)', '[1,2,3)', '[1,2) ', ' [1,2)', '[ 1,2)', '[1,2 )', '{1,2}', '<1,2>',
  '[[1,2)]', '[1,2)[3,4)', '{[1,2)}', '["1,2)', '[1",2)', '["",2)', '["1"" ",2)', '["1\\"",2)', '[\\1,2)', '[null,2)',
  '[empty,2)', '[NaN,)', '[Infinity,)', '[1e3,)', '[-,)', '[1,x)', 'EMPTY', 'empty ', '[1\n,2)', '[\0,2)',
]
const THOUSAND = '1'.repeat(1000)

const cases: readonly Case[] = [
  {
    column: 'smallint',
    accepted: [['0', 0], ['-0', 0], ['007', 7], ['-007', -7], ['32767', 32767], ['-32768', -32768]],
    refused: [...NEVER, ...NOT_NUMBERS, '32768', '-32769', '1.0', '1e3', '1E3', THOUSAND, `-${THOUSAND}`],
    expected: 'an integer from -32768 to 32767',
  },
  {
    column: 'int',
    accepted: [['1', 1], ['-0', 0], ['00000000000000000001', 1], ['2147483647', 2147483647], [
      '-2147483648',
      -2147483648,
    ]],
    refused: [...NEVER, ...NOT_NUMBERS, '2147483648', '-2147483649', '1.5', '1e3', THOUSAND],
    expected: 'an integer from -2147483648 to 2147483647',
  },
  {
    column: 'bigint',
    accepted: [
      ['0', '0'], ['-0', '0'], ['0042', '42'], '9007199254740993', '9223372036854775807', '-9223372036854775808',
    ],
    refused: [...NEVER, ...NOT_NUMBERS, '9223372036854775808', '-9223372036854775809', '1.0', '1e3', '1n', THOUSAND],
    expected: 'an integer from -9223372036854775808 to 9223372036854775807',
  },
  {
    column: 'numeric(12,2)',
    accepted: [
      '0', '-0', '1', '007', '1.50', '-1.5', '0.1', '123456789012345678901234567890.123456789', THOUSAND,
      ['1e-7', '0.0000001'], ['-1.25E-7', '-0.000000125'], ['1e3', '1000'], ['1.5e+21', '1500000000000000000000'],
      ['12.345e1', '123.45'], ['12.345e-1', '1.2345'], ['12.345e-2', '0.12345'], ['12.345e3', '12345'], ['1e0', '1'],
      ['0.1234567890123456789e-7', '0.00000001234567890123456789'], ['1e999', `1${'0'.repeat(999)}`],
    ],
    refused: [
      ...NEVER, ...NOT_NUMBERS, '1e1000', '10e999', '1e-999', '1e999999999', '1e-999999999', '1e', 'e1', '1e1.5',
      '1e--1', '1e1e1', '1.e1', '.5e1', '+1e1', '1e 1', '1.2.3', `${THOUSAND}1`, `${THOUSAND}e1`, `${THOUSAND}1e-1`,
    ],
    expected: 'a decimal number of at most 1000 digits',
  },
  {
    column: 'double precision',
    accepted: [
      ['0', 0], ['1.5', 1.5], ['1e3', 1000], ['1E+3', 1000], ['-2.5e-3', -0.0025],
      ['1.7976931348623157e308', Number.MAX_VALUE], ['5e-324', 5e-324], ['0e-999', 0],
    ],
    refused: [
      ...NEVER, ...NOT_NUMBERS, '1e309', '-1e309', '1e1000', '1e-1000', '1e-400', '-1e-400', '1e', 'e1', '1e1.5',
      THOUSAND, `0.${THOUSAND}`,
    ],
    expected: 'a finite 64-bit floating-point number',
  },
  {
    column: 'real',
    accepted: [['0.25', 0.25], ['0.1', Math.fround(0.1)], ['3.4028235e38', 3.4028234663852886e38], [
      '-3.4028235e+38',
      -3.4028234663852886e38,
    ], ['1e-45', Math.fround(1e-45)]],
    refused: [...NEVER, ...NOT_NUMBERS, '3.4028236e38', '1e39', '1e-50', '1e308'],
    expected: 'a finite 32-bit floating-point number',
  },
  {
    column: 'boolean', accepted: [['true', true], ['1', true], ['false', false], ['0', false]],
    refused: [
      ...NEVER.filter((text) => text !== ''),
      '',
      'TRUE',
      'True',
      't',
      'f',
      'yes',
      'no',
      'on',
      'off',
      '2',
      '-1',
      '01',
      ' true',
    ],
    expected: 'a boolean', allowed: ['true', 'false', '1', '0'],
  },
  {
    column: 'varchar(5)',
    accepted: ['', ' ', 'null', 'longer than the column', '%_\\\'"', 'é', '🌹', '\u0001', '\u{10FFFF}', '\uFEFF', '\n'],
    refused: ['\0', 'a\0b', '\ud83c', 'x\udf39', '\udf39\ud83c'],
    expected: 'text without NUL characters or halves of surrogate pairs',
  },
  {
    column: 'text', items: ['draft', 'active', ''], accepted: ['draft', 'active', ''],
    refused: ['Draft', 'draft ', ' draft', 'archived', 'draf', '\0', '0', 'null'], expected: 'one of its members',
    allowed: ['draft', 'active', ''],
  },
  {
    column: 'smallint', items: [1, 2, 3], accepted: [['1', 1], ['3', 3]],
    refused: ['0', '4', '01', '1.0', ' 1', '', '1e0', 'one'], expected: 'one of its members', allowed: ['1', '2', '3'],
  },
  {
    column: 'uuid',
    accepted: [
      '3f0c8a52-7c0e-4f57-9d53-2d6f4a1c9b10',
      ['3F0C8A52-7C0E-4F57-9D53-2D6F4A1C9B10', '3f0c8a52-7c0e-4f57-9d53-2d6f4a1c9b10'],
      '00000000-0000-0000-0000-000000000000',
      'ffffffff-ffff-ffff-ffff-ffffffffffff',
    ],
    refused: [
      ...NEVER, '3f0c8a527c0e4f579d532d6f4a1c9b10', '{3f0c8a52-7c0e-4f57-9d53-2d6f4a1c9b10}',
      '3f0c8a52-7c0e-4f57-9d53-2d6f4a1c9b1', '3f0c8a52-7c0e-4f57-9d53-2d6f4a1c9b10 ',
      '3g0c8a52-7c0e-4f57-9d53-2d6f4a1c9b10', 'urn:uuid:3f0c8a52-7c0e-4f57-9d53-2d6f4a1c9b10',
      '3f0c8a52_7c0e_4f57_9d53_2d6f4a1c9b10',
    ],
    expected: 'a UUID',
  },
  {
    column: 'date',
    accepted: [
      '2024-05-31', '2024-02-29', '2000-02-29', '0004-02-29', '0001-01-01', '9999-12-31', '1582-10-10', '10000-01-01',
      '5874897-12-31', '0044-03-15 BC', '0001-02-29 BC', '4714-11-24 BC', 'infinity', '-infinity',
    ],
    refused: [
      ...NEVER, '2024-02-30', '2023-02-29', '1900-02-29', '2100-02-29', '2024-13-01', '2024-00-01', '2024-01-00',
      '2024-01-32', '2024-04-31', '0000-01-01', '-0001-01-01', '010000-01-01', '5874898-01-01', '0004-02-29 BC',
      '0000-01-01 BC', '4714-11-23 BC', '5000-01-01 BC', '0044-03-15BC', '24-01-01', '2024-1-1', '20240131',
      '2024/01/31', '31.01.2024', '2024-01-31T00:00:00Z', 'today', 'now', 'Infinity', ' 2024-01-31', '2024-01-31\n',
    ],
    expected: 'a date, YYYY-MM-DD',
  },
  {
    column: 'timestamptz(3)',
    accepted: [
      ['2024-05-31', '2024-05-31T00:00:00Z'], ['2024-05-31T09:30', '2024-05-31T09:30Z'],
      ['2024-05-31T09:30:15', '2024-05-31T09:30:15Z'], ['2024-05-31 09:30:15', '2024-05-31T09:30:15Z'],
      ['2024-05-31t09:30:15z', '2024-05-31T09:30:15Z'], '2024-05-31T09:30:15Z', '2024-05-31T09:30:15.1Z',
      '2024-05-31T09:30:15.123456Z', '2024-05-31T23:59:59.999999Z', '2024-05-31T09:30:15+02:00',
      '2024-05-31T09:30:15-0530', '2024-05-31T09:30:15+14:00', '2024-05-31T09:30:15-09', '0001-01-02T00:00:00+14:00',
      '9999-12-30T23:59:59-14:00', '0001-01-01T00:00:00+14:00', '9999-12-31T23:59:59-14:00', '10000-01-01T00:00:00Z',
      '294276-12-31T23:59:59.999999Z', '4714-11-24T00:00:00Z BC', '0044-03-15T12:30:00.000001+02:00 BC',
      ['0044-03-15 12:30:00+00 BC', '0044-03-15T12:30:00Z BC'], ['0044-03-15 BC', '0044-03-15T00:00:00Z BC'],
      'infinity', '-infinity', ['2024-05-31T09:30:15+00:00', '2024-05-31T09:30:15Z'],
      ['2024-05-31T09:30:15-00:00', '2024-05-31T09:30:15Z'],
    ],
    refused: [
      ...NEVER, '294276-12-31T23:59:59-00:01', '294277-01-01T00:00:00Z', '4714-11-24T00:00:00+00:01 BC',
      '4714-11-23T23:59:59Z BC', '0044-03-15T12:30:00 BC Z', '010000-01-01T00:00:00Z', '2024-02-30T00:00:00Z',
      '2024-05-31T24:00:00Z', '2024-05-31T24:00Z', '2024-05-31T09:60:00Z', '2024-05-31T09:30:60Z',
      '2024-05-31T09:30:15.1234567Z', '2024-05-31T09:30:15.Z', '2024-05-31T09:30:15,1Z', '2024-05-31T', '2024-05-31Z',
      '2024-05-31T9:30Z', '2024-05-31T09Z', '2024-05-31T0930Z', '2024-05-31  09:30', '2024-05-31_09:30',
      '2024-05-31T09:30:15 02:00', '2024-05-31T09:30:15 Z', '2024-05-31T09:30:15+2:00', '2024-05-31T09:30:15+15:00',
      '2024-05-31T09:30:15+02:60', '2024-05-31T09:30:15+02:0', '2024-05-31T09:30:15+02:00:00',
      '2024-05-31T09:30:15[Europe/Paris]', '2024-05-31T09:30:15 CET', '1717147815', '1717147815000', 'now', 'Infinity',
      'epoch', '0000-12-31T00:00:00Z', '2024-W22-5T00:00Z',
    ],
    expected: 'an ISO 8601 date and time, such as 2024-05-31T09:30:00Z or 2024-05-31',
  },
  {
    // a column without a zone holds UTC
    column: 'timestamp(6)',
    accepted: [
      ['2024-05-31', '2024-05-31T00:00:00'],
      ['2024-05-31T09:30', '2024-05-31T09:30'],
      ['2024-05-31T09:30:15Z', '2024-05-31T09:30:15'],
      ['2024-05-31T09:30:15.123456Z', '2024-05-31T09:30:15.123456'],
      ['2024-05-31T00:30:15.123456+02:00', '2024-05-30T22:30:15.123456'],
      ['2024-12-31T23:00-02:30', '2025-01-01T01:30:00'],
      ['0001-01-01T00:00:00-01:00', '0001-01-01T01:00:00'],
      ['9999-12-31T23:59:59+01:00', '9999-12-31T22:59:59'],
      ['0099-01-01T12:00:00+01:00', '0099-01-01T11:00:00'],
      ['0001-01-01T00:00:00+01:00', '0001-12-31T23:00:00 BC'],
      ['9999-12-31T23:59:59-01:00', '10000-01-01T00:59:59'],
      ['294276-12-31T23:59:59.999999Z', '294276-12-31T23:59:59.999999'],
      ['0044-03-15T00:30:00.000001+01:00 BC', '0044-03-14T23:30:00.000001 BC'],
      'infinity',
    ],
    refused: [
      '2024-02-30', '2024-05-31T24:00:00', '294276-12-31T23:59:59-01:00', '4714-11-24T00:00:00+01:00 BC',
      '2024-05-31T09:30:15 02:00',
    ],
    expected: 'an ISO 8601 date and time, such as 2024-05-31T09:30:00Z or 2024-05-31',
  },
  {
    column: 'time(0)',
    accepted: ['00:00', '07:30', '07:30:00', '23:59:59', '23:59:59.999999', '24:00:00', '24:00'],
    refused: [
      ...NEVER, '24:00:01', '24:00:00.000001', '23:60', '23:59:60', '7:30', '07:30:00.1234567', '07:30Z', '07:30+02:00',
      '0730', '07', '7 PM', 'now',
    ],
    expected: 'a time, HH:MM or HH:MM:SS, with at most 6 digits after the point',
  },
  {
    column: 'jsonb',
    accepted: [
      'null', 'true', '1', '-1.5e3', '"text"', '""', '[]', '{}', ' [1, 2] ', '{"a":{"b":[null]}}', '{"a":1,"a":2}',
      '"\\ud83c\\udf39"', '"\\u0001"', '"\\\\u0000"', '1e999', '-1e-999',
      '12345678901234567890.123456789012345678901234567890', '{"__proto__":1,"constructor":2}',
      `${'['.repeat(64)}${']'.repeat(64)}`, '"[[["', THOUSAND,
    ],
    refused: [
      '', ' ', 'undefined', 'NaN', '{a:1}', "{'a':1}", '[1,]', '{', '"', '01', '+1', '.5', '\0', '"a\0b"', '1 2', 'nul',
      '"\\u0000"', '{"\\u0000":1}', '["\\u0000"]', '"\\ud83c"', '"\\udf39\\ud83c"', '{"\\ud83c":1}', '"\ud83c"',
      '1e1000', '1e-1000', '[1e99999]', `${THOUSAND}1`, `${'['.repeat(65)}${']'.repeat(65)}`,
      `${'['.repeat(4000)}${']'.repeat(4000)}`, '{"a":'.repeat(65) + '1' + '}'.repeat(65),
      // the first value of a repeated key is not stored, but PostgreSQL reads it
      '{"a":"\\u0000","a":1}', '{"a":1e99999,"a":1}', '{"a":"\\ud83c","a":1}',
      `{"a":${'['.repeat(65)}${']'.repeat(65)},"a":1}`,
    ],
    expected: 'JSON of at most 64 levels',
  },
  {
    column: 'int4range',
    accepted: [
      'empty', '[1,5)', '(1,5]', '[5,5]', '(5,5)', '[1,)', '(,5]', '(,)', '[,]', '[-2147483648,2147483647)',
      '[2147483647,)', ['["1","5")', '[1,5)'], ['[-0,007)', '[0,7)'],
    ],
    refused: [...NEVER, ...NOT_RANGES, '[1.5,2)', '[2147483648,)', '(,-2147483649)', '[infinity,)', `[${THOUSAND},)`],
    expected: 'a range of integers from -2147483648 to 2147483647, such as [1,5), [1,) or empty',
  },
  {
    column: 'int8range',
    accepted: ['[9007199254740993,9223372036854775807)', '(-9223372036854775808,0]', ['[007,8)', '[7,8)']],
    refused: [...NEVER, ...NOT_RANGES, '[9223372036854775808,)', '[1.5,2)'],
    expected: 'a range of integers from -9223372036854775808 to 9223372036854775807, such as [1,5), [1,) or empty',
  },
  {
    column: 'numrange',
    accepted: ['[0.1,0.10]', '(-1.5,-1.25)', '[1.5,)', `[-${THOUSAND.slice(1)},${THOUSAND}]`, [
      '["1.5","2")',
      '[1.5,2)',
    ]],
    refused: [...NEVER, ...NOT_RANGES, '[1.,2)', '[.5,2)', `[${THOUSAND}1,)`],
    expected: 'a range of decimal numbers, without exponents, such as [0.5,2), [0.5,) or empty',
  },
  {
    column: 'daterange',
    accepted: [
      'empty', '[2024-01-01,2024-02-29]', '[2024-01-01,infinity)', '(-infinity,0001-01-01]', '[9999-12-01,9999-12-31]',
      '[9999-12-01,10000-01-01)', '[2024-01-01,10000-01-01]', '(10000-01-01,)', '[0044-03-15 BC,)', '[5874897-12-31,)',
    ],
    refused: [
      ...NEVER, ...NOT_RANGES, '[2024-02-30,)', '[2024-1-1,)', '[2024-01-01T00:00:00Z,)', '[5874898-01-01,)',
      '[0000-12-31,)', '[today,tomorrow)',
    ],
    expected: 'a range of dates, such as [2024-01-01,2024-02-01), [2024-01-01,) or empty',
  },
  {
    column: 'tstzrange',
    accepted: [
      ['[2024-01-01,2024-02-01)', '[2024-01-01T00:00:00Z,2024-02-01T00:00:00Z)'],
      ['["2024-01-01T00:00:00.000Z","2024-02-01T00:00:00.000Z")',
        '[2024-01-01T00:00:00.000Z,2024-02-01T00:00:00.000Z)'],
      '[2024-01-01T02:00:00+02:00,2024-01-01T00:00:00Z]',
      '[2024-01-01T00:00:00.123456Z,infinity]',
      '(-infinity,2024-01-01T00:00:00-0930)',
    ],
    refused: [
      ...NEVER, ...NOT_RANGES, '[2024-02-30,)', '[2024-01-01T24:00:00Z,)', '[2024-01-01T00:00:00 02:00,)', '[now,)',
      '[294277-01-01,)',
    ],
    expected: 'a range of ISO 8601 dates and times, such as [2024-05-31T09:30:00Z,2024-05-31T11:00:00Z), ' +
      '[2024-05-31,) or empty',
  },
  {
    // a column without a zone holds UTC
    column: 'tsrange',
    accepted: [
      ['[2024-01-01,2024-02-01)', '[2024-01-01T00:00:00,2024-02-01T00:00:00)'],
      ['[2024-01-01T01:00:00+02:00,2024-01-01T01:00:00-02:00)', '[2023-12-31T23:00:00,2024-01-01T03:00:00)'],
    ],
    refused: ['[2024-02-30,)', '[2024-01-01T00:00:00+25:00,)'],
    expected: 'a range of ISO 8601 dates and times, such as [2024-05-31T09:30:00Z,2024-05-31T11:00:00Z), ' +
      '[2024-05-31,) or empty',
  },
  {
    column: 'bytea', accepted: [], refused: ['', 'AAEC', '\\x00'],
    expected: 'left out: values of this type cannot be compared',
  },
  {
    column: 'text[]', accepted: [], refused: ['', '{}', 'a'],
    expected: 'left out: values of this type cannot be compared',
  },
  {
    column: 'interval', accepted: [], refused: ['', '1 day'],
    expected: 'left out: values of this type cannot be compared',
  },
]

for (const { column, items, accepted, refused, expected, allowed } of cases) {
  const type = valueTypeOf(column, { items })
  const what = items === undefined ? column : `${column} of ${items.length} members`
  if (accepted.length > 0) {
    t.test(`${what}: a valid text becomes exactly its value`, async (t) => {
      for (const entry of accepted) {
        const [text, value] = typeof entry === 'string' ? [entry, entry] : entry
        t.strictSame(convert(text, type), { ok: true, value }, JSON.stringify(text).slice(0, 60))
      }
    })
  }
  t.test(`${what}: any other text is refused with the expected form`, async (t) => {
    const refusal = { ok: false, expected, allowed }
    for (const text of refused) t.strictSame(convert(text, type), refusal, JSON.stringify(text).slice(0, 60))
  })
}

t.test('minus zero is the integer zero', async (t) => {
  const result = convert('-0', valueTypeOf('int', {}))
  t.ok(result.ok && Object.is(result.value, 0))
})

t.test('the low end of a range must come first', async (t) => {
  const cases: ReadonlyArray<readonly [column: string, text: string, instead: string]> = [
    ['int4range', '[5,1)', '[1,5)'],
    ['int8range', '(10,9]', '(9,10]'],
    ['numrange', '[-1.5,-1.50001]', '[-1.50001,-1.5]'],
    ['daterange', '[2024-03-01,2024-02-29)', '[2024-02-29,2024-03-01)'],
    ['daterange', '[infinity,2024-01-01)', '[2024-01-01,infinity)'],
    [
      'tstzrange', '[2024-01-01T01:00:00Z,2024-01-01T02:00:00+02:00)',
      '[2024-01-01T02:00:00+02:00,2024-01-01T01:00:00Z)',
    ],
    ['tsrange', '[2024-01-01T00:00:00.2,2024-01-01T00:00:00.19)', '[2024-01-01T00:00:00.19,2024-01-01T00:00:00.2)'],
  ]
  for (const [column, text, instead] of cases) {
    const expected = `a range whose low end comes first, as ${instead}`
    t.strictSame(convert(text, valueTypeOf(column, {})), { ok: false, expected, allowed: undefined }, text)
  }
})

t.test('no value follows the last one', async (t) => {
  for (const [column, last] of [
    ['int4range', '2147483647'],
    ['int8range', '9223372036854775807'],
    ['daterange', '5874897-12-31'],
  ] as const) {
    const type = valueTypeOf(column, {})
    t.match(convert(`(,${last}]`, type), { expected: `a range that ends before ${last}, or that has no end` })
    t.match(convert(`(${last},)`, type), { expected: `a range that starts before ${last}` })
  }
})

t.test('contains takes a value or a range', async (t) => {
  const contained = (text: string, column: string) =>
    containedFromText(text, valueTypeOf(column, {}) as Extract<ValueType, { kind: 'range' }>)
  for (const [column, text, value] of [
    ['int4range', '5', '[5,5]'],
    ['int4range', '[1,5)', '[1,5)'],
    ['int4range', 'empty', 'empty'],
    ['int4range', '2147483647', '[2147483647,)'],
    ['int8range', '9223372036854775807', '[9223372036854775807,)'],
    ['numrange', '0.5', '[0.5,0.5]'],
    ['daterange', '9999-12-31', '[9999-12-31,9999-12-31]'],
    ['daterange', '5874897-12-31', '[5874897-12-31,)'],
    ['tstzrange', '2024-05-31', '[2024-05-31T00:00:00Z,2024-05-31T00:00:00Z]'],
  ] as const) t.strictSame(contained(text, column), { ok: true, value }, `${column} ${text}`)
  for (const text of ['', '1,', '1,2', '5)', '"5"', 'x', '1.5', '2147483648', '[5', '[5,1)', 'NaN', '\0']) {
    t.notOk(contained(text, 'int4range').ok, JSON.stringify(text))
  }
  t.match(contained('x', 'int4range'), { expected: /^an integer from .*, or a range of integers from / })
})

t.test('a UUID is recognised by its form', async (t) => {
  t.ok(isUuid('00000000-0000-4000-8000-00000000000A'))
  t.notOk(isUuid('00000000-0000-4000-8000-00000000000'))
  t.notOk(isUuid('1'))
})

t.test('an array literal quotes every item', async (t) => {
  t.equal(arrayLiteral([]), '{}')
  t.equal(arrayLiteral(['a', 1, true, null]), '{"a","1","true",null}')
  t.equal(arrayLiteral(['null', '', '{', '}', ',', '"', '\\', ' ']), '{"null","","{","}",",","\\"","\\\\"," "}')
})

const COLUMNS = [
  'smallint', 'integer', 'bigint', 'numeric', 'real', 'double precision', 'boolean', 'text', 'uuid', 'date',
  'timestamptz', 'timestamp', 'time', 'jsonb', 'int4range', 'int8range', 'numrange', 'daterange', 'tsrange',
  'tstzrange',
] as const

t.test('no text makes a conversion throw', async (t) => {
  const types: ValueType[] = [...COLUMNS, 'bytea', 'int[]', 'point'].map((column) => valueTypeOf(column, {}))
  types.push(valueTypeOf('text', { items: ['a', 'b'] }), valueTypeOf('smallint', { items: [1, 2] }))
  const text = fc.oneof(awkward, fc.string({ unit: 'binary', maxLength: 30 }), ...COLUMNS.map(textsOf))
  assertProperty(fc.property(text, (text) => types.every((type) => typeof convert(text, type).ok === 'boolean')), {
    numRuns: 3000,
  })
  t.pass()
})

/** How a value is read back as text, to compare it with the input. */
const READ: Partial<Record<string, string>> = {
  timestamptz: "coalesce(to_char(v at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS.US BC'), v::text)",
  timestamp: "coalesce(to_char(v, 'YYYY-MM-DD HH24:MI:SS.US BC'), v::text)",
  time: "to_char(v, 'HH24:MI:SS.US')",
}

/** The types of the ends of ranges. */
const ENDS: Partial<Record<string, string>> = {
  int4range: 'integer', int8range: 'bigint', numrange: 'numeric', daterange: 'date', tsrange: 'timestamp',
  tstzrange: 'timestamptz',
}

/** The parts of a range: whether it is empty, its brackets, and its ends. */
function readRange (end: string): string {
  const read = (value: string) => `coalesce(${(READ[end] ?? 'v::text').replace(/\bv\b/g, value)}, ${value}::text, '')`
  return `concat_ws('|', isempty(v), lower_inc(v), upper_inc(v), ${read('lower(v)')}, ${read('upper(v)')})`
}

/** The same parts, read from the text of the range. */
function isSameRange (end: string, text: string, read: string): boolean {
  const [empty, startsWith, endsWith, from = '', to = ''] = read.split('|')
  if (text === 'empty') return empty === 't'
  const [low = '', high = ''] = text.slice(1, -1).replaceAll('"', '').split(',')
  const [open, close] = [text[0] === '[', text.endsWith(']')]
  const finite = (written: string) => written !== '' && !written.endsWith('infinity')
  const counted = (written: string) => finite(written) && ['integer', 'bigint', 'date'].includes(end)
  const lower = counted(low) && !open ? next(low) : low
  const upper = counted(high) && close ? next(high) : high
  const same = (written: string, read: string) => finite(written) ? isSame(end, written, read) : written === read
  if (empty === 't') {
    // no value lies between the ends
    if (counted(low) && counted(high)) return end === 'date' ? lower >= upper : BigInt(lower) >= BigInt(upper)
    return !(open && close) && (end === 'numeric' ? isSame(end, low, high) : moment(low) === moment(high))
  }
  const startsIn = counted(low) || (low !== '' && open)
  const endsIn = !counted(high) && high !== '' && close
  return same(lower, from) && same(upper, to) && startsWith === (startsIn ? 't' : 'f') &&
    endsWith === (endsIn ? 't' : 'f')
}

const moment = (text: string): string => text.endsWith('infinity') ? text : canonicalDatetime(text)

/** The integer or day after another one. */
function next (written: string): string {
  if (!/^\d+-\d\d-\d\d/.test(written)) return String(BigInt(written) + 1n)
  return dayOf(new Date(timeOf(written) + 86_400_000))
}

/** Whether PostgreSQL's text of a value means the same as the input. */
function isSame (column: string, text: string, read: string): boolean {
  const end = ENDS[column]
  if (end !== undefined) return isSameRange(end, text, read)
  switch (column) {
    case 'text':
      return read === text
    case 'uuid':
      return read === text.toLowerCase()
    case 'date':
      return read === text
    case 'time':
      return read === canonicalTime(text)
    case 'boolean':
      return read === String(text === 'true' || text === '1')
    case 'smallint':
    case 'integer':
    case 'bigint':
      return BigInt(read) === BigInt(text)
    case 'numeric':
      return canonicalDecimal(read) === canonicalDecimal(text)
    case 'real':
      return Math.fround(Number(read)) === Math.fround(Number(text))
    case 'double precision':
      return Number(read) === Number(text)
    case 'jsonb':
      return JSON.stringify(sorted(JSON.parse(read))) === JSON.stringify(sorted(JSON.parse(text)))
    default:
      return read === canonicalDatetime(text)
  }
}

function canonicalTime (text: string): string {
  const [time = '', fraction = ''] = (text.length === 5 ? `${text}:00` : text).split('.')
  return `${time}.${fraction.padEnd(6, '0')}`
}

/** Sign, digits without insignificant zeros, and the power of ten of the last digit. */
function canonicalDecimal (text: string): string {
  const [, sign, whole = '', fraction = '', exponent = '0'] = /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/i.exec(text)!
  const digits = whole + fraction
  const significant = digits.replace(/^0+|0+$/g, '')
  const zeros = /0*$/.exec(digits)![0].length
  return significant === '' ? '0' : `${sign}${significant}e${Number(exponent) - fraction.length + zeros}`
}

function canonicalDatetime (text: string): string {
  if (text.endsWith('infinity')) return text
  const [, date, clock = '00:00', zone = 'Z', era = ''] = /^([\d-]{10,})(?:[Tt ]([\d:.]+))?(Z|z|[+-][\d:]+)?( BC)?$/
    .exec(text)!
  const [time, fraction = ''] = canonicalTime(clock).split('.')
  const sign = zone.startsWith('-') ? -1 : 1
  const minutes = /[Zz]/.test(zone)
    ? 0
    : sign * (Number(zone.slice(1, 3)) * 60 + Number(zone.slice(3).replace(':', '') || 0))
  const utc = new Date(timeOf(`${date}${era}`, time) - minutes * 60_000)
  const [day, its = 'AD'] = dayOf(utc).split(' ')
  return `${day} ${utc.toISOString().slice(-13, -5)}.${fraction} ${its}`
}

/** The milliseconds of a time on a day of any year. The year before 1 is 1 BC. */
function timeOf (day: string, time = '00:00:00'): number {
  const [, years, rest, era] = /^(\d+)(-\d\d-\d\d)( BC)?$/.exec(day)!
  const year = era === undefined ? Number(years) : 1 - Number(years)
  return Date.parse(`${year < 0 ? '-' : '+'}${String(Math.abs(year)).padStart(6, '0')}${rest}T${time}Z`)
}

/** The day of a Date, as the database writes it. */
function dayOf (date: Date): string {
  const year = date.getUTCFullYear()
  return `${String(year < 1 ? 1 - year : year).padStart(4, '0')}${date.toISOString().slice(-20, -14)}${
    year < 1 ? ' BC' : ''
  }`
}

/** A JSON value with sorted keys, since jsonb has its own order. */
function sorted (value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  return Object.entries(value).sort(([a], [b]) => a < b ? -1 : 1).map(([key, item]) => [key, sorted(item)])
}

await forOneDatabase(t, { entities }, async (t, { orm }) => {
  const client = await orm.em.getConnection().getNativeClient() as unknown as {
    query: (text: string, values: unknown[]) => Promise<{ rows: Record<string, unknown>[] }>,
  }

  for (const column of COLUMNS) {
    t.test(`${column}: the database reads an accepted text as the same value`, async (t) => {
      const type = valueTypeOf(column, {})
      let accepted = 0
      await assertProperty(
        fc.asyncProperty(fc.oneof(textsOf(column), awkward), async (text) => {
          const converted = convert(text, type)
          if (!converted.ok) return
          accepted++
          const { rows } = await client.query(
            `select ${
              ENDS[column] === undefined ? READ[column] ?? 'v::text' : readRange(ENDS[column])
            } as read from (select $1::${column} as v) as given`,
            [converted.value]
          )
          const read = String(rows[0]!.read)
          if (!isSame(column, text, read)) throw new Error(`${JSON.stringify(text)} was read as ${read}`)
        }),
        { numRuns: 150 }
      )
      t.ok(accepted > 20, `${accepted} of them`)
    })
  }

  t.test('an array literal is read as its items', async (t) => {
    const items = fc.array(
      fc.oneof(fc.string({ unit: 'grapheme' }), fc.constantFrom('', 'null', '{}', '"', '\\', ',', ' a ', '\n', '\\"'))
        .filter((text) => convert(text, { kind: 'text' }).ok),
      { maxLength: 8 }
    )
    await assertProperty(
      fc.asyncProperty(items, async (items) => {
        const { rows } = await client.query('select to_json($1::text[])::text as read', [arrayLiteral(items)])
        t.strictSame(JSON.parse(String(rows[0]!.read)), items)
      }),
      { numRuns: 100 }
    )
    const { rows } = await client.query('select to_json($1::int[])::text as read', [arrayLiteral([1, -2, null])])
    t.equal(rows[0]!.read, '[1,-2,null]')
  })
})
