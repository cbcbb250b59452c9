import fc from 'fast-check'
import t from 'tap'
import { convert, fromJson } from '../../src/model/index.ts'
import { decimalExample, decimalInput } from '../../src/schema/decimal-schemas.ts'
import { assertProperty } from '../helpers/property.ts'

t.test('a Date is read like its text', async (t) => {
  const dates = fc.oneof(
    fc.date({ noInvalidDate: true }),
    fc.date({
      min: new Date('0001-01-01T00:00:00.000Z'), max: new Date('9999-12-31T23:59:59.999Z'), noInvalidDate: true,
    })
  )
  assertProperty(
    fc.property(fc.array(dates, { minLength: 1, maxLength: 3 }), fc.boolean(), (dates, zoned) => {
      for (const date of [...dates, dates[0]!]) {
        const [read, expected] = [
          fromJson(date, { kind: 'datetime', zoned }),
          convert(textOf(date), { kind: 'datetime', zoned }),
        ]
        if (JSON.stringify(read) !== JSON.stringify(expected)) {
          throw new Error(`${date.getTime()}: ${JSON.stringify(read)}, not ${JSON.stringify(expected)}`)
        }
      }
    }),
    { numRuns: 1000 }
  )
  t.notOk(fromJson(new Date(NaN), { kind: 'datetime', zoned: true }).ok)
})

t.test('an integer must be a whole number in its range', async (t) => {
  const type = { kind: 'integer', min: -32_768, max: 32_767 } as const
  for (const value of [0, 1, -1, 32_767, -32_768]) t.strictSame(fromJson(value, type), { ok: true, value })
  t.ok(Object.is((fromJson(-0, type) as { value: unknown }).value, 0))
  for (const value of [32_768, -32_769, 0.5, NaN, Infinity, 2 ** 53, 1e300, '1', null, undefined, true, {}, 1n]) {
    t.strictSame(fromJson(value, type), { ok: false, expected: 'an integer from -32768 to 32767', allowed: undefined })
  }
})

t.test('a decimal has at most as many digits as its column', async (t) => {
  /** The significant digits, counted from the value itself. */
  const fits = (whole: string, fraction: string, precision: number, scale: number): boolean =>
    BigInt(whole) < 10n ** BigInt(precision - scale) &&
    BigInt(fraction.padEnd(40, '0')) % 10n ** BigInt(40 - scale) === 0n
  const digits = (min: number) => fc.string({ unit: fc.constantFrom(...'0012569'), minLength: min, maxLength: 9 })
  assertProperty(
    fc.property(
      digits(1),
      digits(0),
      fc.boolean(),
      fc.integer({ min: 1, max: 8 }),
      fc.nat(8),
      (whole, fraction, negative, precision, places) => {
        const scale = Math.min(precision, places)
        const written = `${negative ? '-' : ''}${whole}${fraction === '' ? '' : `.${fraction}`}`
        const expected = fits(whole, fraction === '' ? '0' : fraction, precision, scale)
        const asText = fromJson(written, { kind: 'decimal', form: 'string', precision, scale })
        if (asText.ok !== expected || (asText.ok && asText.value !== written)) {
          throw new Error(`${written} in numeric(${precision}, ${scale}): ${asText.ok}`)
        }
        // all digits of JavaScript's text, which may have an exponent, are significant
        const asNumber = fromJson(Number(written), { kind: 'decimal', form: 'number', precision, scale })
        if (
          whole.length + fraction.length < 16 &&
          (asNumber.ok !== expected || (asNumber.ok && Number(asNumber.value) !== Number(written)))
        ) throw new Error(`${Number(written)} in numeric(${precision}, ${scale}): ${asNumber.ok}`)
      }
    ),
    { numRuns: 2000 }
  )
  // a column for numbers below a thousandth, which has more places than digits
  const small = { kind: 'decimal', form: 'string', precision: 2, scale: 5 } as const
  t.strictSame(fromJson('0.00012', small), { ok: true, value: '0.00012' })
  const documented = new RegExp(decimalInput(small)['pattern'] as string)
  t.match(decimalInput(small).description, /5 after the point, the first 3 of which are 0\.$/)
  for (const value of ['0', '0.0', '-0.000', '0.00012', '-0.0009900', decimalExample(small) as string]) {
    t.ok(fromJson(value, small).ok && documented.test(value), value)
  }
  for (const value of ['1', '0.5', '-0.001', '0.000123']) {
    t.notOk(documented.test(value), value)
    t.match(fromJson(value, small), {
      ok: false,
      expected: /at most 0 digits before and 5 after the point, the first 3/,
    })
  }
  for (const value of ['1e3', '1.', '.5', '', 'Infinity', 'nan', '--1']) {
    t.notOk(fromJson(value, { kind: 'decimal', form: 'string', precision: 10, scale: 2 }).ok, value)
  }
  for (const value of [NaN, Infinity, '1']) {
    t.notOk(fromJson(value, { kind: 'decimal', form: 'number', precision: 10, scale: 2 }).ok, String(value))
  }
  t.strictSame(fromJson(1e21, { kind: 'decimal', form: 'number', precision: undefined, scale: undefined }), {
    ok: true,
    value: '1000000000000000000000',
  })
})

t.test('a time has at most as many digits after the point as its column', async (t) => {
  const form = 'a time, HH:MM or HH:MM:SS,'
  for (const [places, accepted, refused, expected] of [
    [
      3, ['09:30', '09:30:00.5', '09:30:00.123', '09:30:00.120000', '24:00:00.0'], ['23:59:59.9996', '09:30:00.0001'],
      'with at most 3 digits after the point',
    ],
    [undefined, ['23:59:59.999999'], ['09:30:00.1234567', '24:00:00.1'], 'with at most 6 digits after the point'],
  ] as const) {
    const type = { kind: 'time', ...places !== undefined && { places } } as const
    for (const value of accepted) t.strictSame(fromJson(value, type), { ok: true, value })
    const refusal = { ok: false, expected: `${form} ${expected}` }
    for (const value of refused) t.match(fromJson(value, type), refusal, value)
    t.strictSame(convert('23:59:59.6', type), { ok: true, value: '23:59:59.6' }, 'a filter compares')
  }
})

t.test('the message for a date in a body has no advice for URLs', async (t) => {
  for (const value of ['tomorrow', '2024-05-31T09:30:00 02:00']) {
    for (const type of [{ kind: 'datetime', zoned: true }, { kind: 'datetime', zoned: false }] as const) {
      t.strictSame(fromJson(value, type), {
        ok: false, expected: 'an ISO 8601 date and time, such as 2024-05-31T09:30:00Z or 2024-05-31',
        allowed: undefined,
      })
    }
  }
})

/** The text of a Date of any year. The year before 1 is 1 BC. */
function textOf (date: Date): string {
  const year = date.getUTCFullYear()
  const [years, era] = year < 1 ? [1 - year, ' BC'] : [year, '']
  return `${String(years).padStart(4, '0')}${date.toISOString().slice(-20)}${era}`
}
