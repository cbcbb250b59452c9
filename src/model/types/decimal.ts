/** Decimal numbers are strings, which keep every digit, unless the property is declared to be a number. */
import { plainNumber, withoutExponent } from '../../base/plain-number.ts'
import type { DecimalType } from './basic-types.ts'
import { accept, refuse, type Converted } from './converted.ts'
import { digitsToBody, fromNumber, matching, MAX_DIGITS, NOT_FINITE, NUMBER, numberForm, numberText } from './number.ts'
import { ORDERED, type FromColumn, type WireType } from './wire-type.ts'

const DECIMAL = /^-?\d+(?:\.\d+)?$/
const EXPONENT = /^-?\d+(?:\.\d+)?[eE][+-]?\d{1,3}$/

const numeric: FromColumn<DecimalType> = (declared, [precision, scale]) => ({
  kind: 'decimal',
  form: numberForm(declared),
  precision,
  scale: precision === undefined ? undefined : scale ?? 0,
})

export const decimal: WireType<DecimalType> = {
  columns: { numeric, decimal: numeric },
  abilities: () => ORDERED,
  extremes: true,
  sum: ({ form }) => ({ kind: 'decimal', form }),
  mean: ({ form }) => form === 'string' ? { kind: 'decimal', form } : { kind: 'float', single: false },
  fromText: decimalFromUrl,
  fromKey: decimalFromText,
  fromJson: decimalFromJson,
  fromStored: (text, _, computed) => matching(text, computed ? NUMBER : DECIMAL, NOT_FINITE),
  fromCondition: (value) => fromNumber(value, decimalFromText),
  fromScope: decimalFromScope,
  canonical: (value) => canonicalDecimal(String(value)),
  insideJson: ({ form }) => form === 'number' ? { kind: 'decimal', form } : undefined,
  toBody: digitsToBody,
  takesDates: false,
  inEntity: 'converted',
  numeric: true,
  plainInPath: false,
  families: () => ['number'],
  plainInJson: true,
}

/** Also accepts an exponent, as JavaScript writes 0.0000001. The database gets the digits. */
function decimalFromUrl (text: string): Converted {
  const digits = text.length <= MAX_DIGITS && EXPONENT.test(text) ? withoutExponent(text) : text
  return digits.length <= MAX_DIGITS && DECIMAL.test(digits)
    ? accept(digits)
    : refuse(`a decimal number of at most ${MAX_DIGITS} digits`)
}

/** Accepts no exponent, because bodies, keys in paths and ranges are written as records show them. */
export function decimalFromText (text: string): Converted {
  if (text.length <= MAX_DIGITS && DECIMAL.test(text)) return accept(text)
  return refuse(`a decimal number of at most ${MAX_DIGITS} digits, without an exponent`)
}

function decimalFromJson (value: unknown, { form, precision, scale = 0 }: DecimalType): Converted {
  // a column with a precision has no infinite numbers
  if (value === 'NaN' || (precision === undefined && NOT_FINITE.has(value as string))) return accept(value as string)
  const written = form === 'number'
    ? typeof value === 'number' && Number.isFinite(value) ? plainNumber(value) : undefined
    : typeof value === 'string'
      ? value
      : undefined
  if (written === undefined) return refuse(form === 'number' ? 'a number' : 'a decimal number, as a string')
  // a JavaScript number has no more digits than a column can hold
  const converted = form === 'number' ? accept(written) : decimalFromText(written)
  return converted.ok ? fitting(written, precision, scale) : converted
}

function decimalFromScope (value: unknown, { precision, scale = 0 }: DecimalType): Converted {
  const written = typeof value === 'number' && Number.isFinite(value) ? plainNumber(value) : numberText(value)
  if (precision === undefined && NOT_FINITE.has(written)) return accept(written)
  const converted = decimalFromText(written)
  return converted.ok ? fitting(written, precision, scale) : converted
}

/** Accepts a decimal number if the column keeps all of its digits. */
function fitting (written: string, precision: number | undefined, scale: number): Converted {
  if (precision === undefined) return accept(written)
  const [whole, fraction] = digitsOf(written)
  // a column with more places than digits has only zeros in the first places
  const [most, zeros] = [Math.max(0, precision - scale), Math.max(0, scale - precision)]
  if (whole <= most && fraction <= scale && hasZeros(written, zeros)) return accept(written)
  const inFront = zeros > 0 ? `, the first ${zeros} of which are 0` : ''
  return refuse(`a decimal number of at most ${most} digits before and ${scale} after the point${inFront}`)
}

/** Whether the first places after the point have no digit but 0. */
const hasZeros = (written: string, places: number): boolean =>
  places === 0 || !/[1-9]/.test((written.split('.')[1] ?? '').slice(0, places))

/** The number of digits before and after the point, without leading and trailing zeros. */
function digitsOf (written: string): readonly [whole: number, fraction: number] {
  const point = written.indexOf('.')
  const end = point < 0 ? written.length : point
  let start = written.startsWith('-') ? 1 : 0
  while (start < end && written[start] === '0') start++
  let last = written.length
  while (last > end + 1 && written[last - 1] === '0') last--
  return [end - start, Math.max(0, last - end - 1)]
}

/** A decimal number without zeros that do not matter. */
export function canonicalDecimal (written: string): string {
  if (!DECIMAL.test(written)) return written
  const [whole, fraction] = digitsOf(written)
  const point = written.includes('.') ? written.indexOf('.') : written.length
  const digits = `${written.slice(point - whole, point) || '0'}${
    fraction === 0 ? '' : written.slice(point, point + 1 + fraction)
  }`
  return written.startsWith('-') && digits !== '0' ? `-${digits}` : digits
}
