import t from 'tap'
import { readStored, type SqlValue, type ValueType } from '../../src/model/index.ts'

const INTEGER = { kind: 'integer', min: -2_147_483_648, max: 2_147_483_647 } as const
const ZONED = { kind: 'datetime', zoned: true } as const
const INTEGERS: ValueType = { kind: 'range', end: INTEGER }
const DECIMALS: ValueType = { kind: 'range', end: { kind: 'decimal', form: 'string' } }
const DATES: ValueType = { kind: 'range', end: { kind: 'date' } }
const MOMENTS: ValueType = { kind: 'range', end: ZONED }
const DATETIME: ValueType = { kind: 'datetime', zoned: false }

t.test('texts that a column writes are recognised', async (t) => {
  for (
    const [type, text, value] of [
      [INTEGER, '-5', '-5'],
      [{ kind: 'bigint', form: 'string' }, '9223372036854775807', '9223372036854775807'],
      [{ kind: 'decimal', form: 'string' }, '1.500', '1.500'],
      [{ kind: 'decimal', form: 'number' }, 'NaN', 'NaN'],
      [{ kind: 'decimal', form: 'number' }, '-Infinity', '-Infinity'],
      [{ kind: 'float', single: false }, '-0', '-0'],
      [{ kind: 'float', single: false }, '1e+20', '1e+20'],
      [{ kind: 'float', single: false }, '5e-324', '5e-324'],
      [{ kind: 'float', single: true }, '1e-45', '1e-45'],
      [{ kind: 'float', single: true }, 'Infinity', 'Infinity'],
      [{ kind: 'boolean' }, 'true', true],
      [{ kind: 'boolean' }, 'false', false],
      [{ kind: 'text', maxLength: 2 }, 'longer', 'longer'],
      [{ kind: 'text' }, '', ''],
      [{ kind: 'enum', native: true, items: ['a'] }, 'a', 'a'],
      [{ kind: 'enum', native: false, items: ['a'] }, 'no longer one', 'no longer one'],
      [{ kind: 'enum', native: false, items: [1, 2] }, '7', '7'],
      [{ kind: 'date' }, '2024-02-29', '2024-02-29'],
      [{ kind: 'date' }, '0001-02-29 BC', '0001-02-29 BC'],
      [{ kind: 'date' }, '5874897-12-31', '5874897-12-31'],
      [{ kind: 'date' }, '-infinity', '-infinity'],
      [ZONED, '2024-05-06 07:08:09.123456', '2024-05-06 07:08:09.123456+00'],
      [ZONED, '0044-03-15 12:00:00 BC', '0044-03-15 12:00:00+00 BC'],
      [ZONED, 'infinity', 'infinity'],
      [DATETIME, '2024-05-06 07:08:09', '2024-05-06 07:08:09'],
      [DATETIME, '294276-12-31 23:59:59.999999', '294276-12-31 23:59:59.999999'],
      [{ kind: 'time' }, '24:00:00', '24:00:00'],
      [{ kind: 'time' }, '07:30:00.5', '07:30:00.5'],
      [{ kind: 'json', binary: true }, '{"a": 1.50}', '{"a": 1.50}'],
      [INTEGERS, 'empty', 'empty'],
      [INTEGERS, '[1,5)', '[1,5)'],
      [INTEGERS, '(,-5)', '(,-5)'],
      [INTEGERS, '[2147483647,)', '[2147483647,)'],
      [DECIMALS, '(1.50,2]', '(1.50,2]'],
      [DECIMALS, '[-Infinity,NaN]', '[-Infinity,NaN]'],
      [DATES, '[2024-02-29,2024-03-01)', '[2024-02-29,2024-03-01)'],
      [DATES, '["0044-03-15 BC",5874897-12-31)', '[0044-03-15 BC,5874897-12-31)'],
      [DATES, '[-infinity,infinity]', '[-infinity,infinity]'],
      [MOMENTS, '[2024-05-06 07:08:09.5,)', '[2024-05-06 07:08:09.5+00,)'],
      [MOMENTS, '(0044-03-15 12:00:00 BC,infinity]', '(0044-03-15 12:00:00+00 BC,infinity]'],
    ] as readonly (readonly [ValueType, string, SqlValue])[]
  ) t.equal(readStored(text, type), value, `${type.kind} ${text}`)
})

t.test('other texts are not', async (t) => {
  for (const [type, ...texts] of [
    [INTEGER, '', '1.0', '2147483648', 'x', '+1', ' 1', 'NaN'],
    [{ kind: 'decimal', form: 'string' }, '1e5', 'nan', '1,5', '.5'],
    [{ kind: 'float', single: false }, '1e309', '1e-400', 'inf', 'infinity'],
    [{ kind: 'float', single: true }, '1e39'],
    [{ kind: 'boolean' }, 't', '1', 'TRUE'],
    [{ kind: 'text' }, 'a\0', '\ud800'],
    [{ kind: 'enum', native: true, items: ['a'] }, 'b'],
    [{ kind: 'enum', native: false, items: [1] }, '40000', 'a'],
    [{ kind: 'uuid' }, 'x', '{3f0c8a52-7c0e-4f57-9d53-2d6f4a1c9b10}'],
    [
      { kind: 'date' }, 'now', '2024-02-30', '1900-02-29', '0000-01-01', '5874898-01-01', '4714-01-01 BC', '2024-1-1',
      '2024-01-01 ',
    ],
    [
      ZONED, 'now', '2024-05-06', '2024-05-06 24:00:00', '2024-05-06 07:08:09+00', '294277-01-01 00:00:00',
      '2024-05-06T07:08:09', '2024-05-06 07:08:09.1234567',
    ],
    [{ kind: 'time' }, '24:00:01', 'now', '7:00:00'],
    [{ kind: 'json', binary: true }, '{', '', '"\\u0000"'],
    [INTEGERS, '', '1', '[1,5]', '(1,5)', '[5,1)', '[1,2147483648)', '[1,5) ', '[ 1,5)'],
    [DECIMALS, '[2,1.5]', '[NaN,Infinity]', '[1e5,)', '[x,)'],
    [DATES, '[2024-02-30,)', '[2024-02-29,2024-03-01]', '[2024-03-01,0044-03-15 BC)', '[today,)'],
    [MOMENTS, '[2024-05-06,)', '[2024-05-06T07:08:09Z,)', '[2024-05-06 07:08:09,2024-05-06 07:08:08.9)'],
    [{ kind: 'blob' }, 'x'],
    [{ kind: 'other', columnType: 'interval' }, '1 day\0'],
  ] as readonly (readonly [ValueType, ...string[]])[]) {
    for (const text of texts) t.equal(readStored(text, type), undefined, `${type.kind} ${JSON.stringify(text)}`)
  }
})

t.test('a computed number may be of another type than declared', async (t) => {
  for (const text of ['1.5', '99999999999', '1e+20', 'NaN']) t.equal(readStored(text, INTEGER, true), text)
  t.equal(readStored('x', INTEGER, true), undefined)
})
