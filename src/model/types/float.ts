/** Floating-point numbers of 32 and 64 bits are JSON numbers. */
import type { FloatType } from './basic-types.ts'
import { accept, refuse, type Converted } from './converted.ts'
import { FLOAT, matching, MAX_DIGITS, NOT_FINITE, NUMBER, numberText } from './number.ts'
import { ORDERED, unchanged, type FromColumn, type WireType } from './wire-type.ts'

const single: FromColumn<FloatType> = () => ({ kind: 'float', single: true })
const double: FromColumn<FloatType> = () => ({ kind: 'float', single: false })

export const float: WireType<FloatType> = {
  columns: { real: single, float4: single, 'double precision': double, float8: double },
  abilities: () => ORDERED,
  extremes: true,
  sum: (type) => type,
  mean: () => ({ kind: 'float', single: false }),
  fromText: floatFromText,
  // JSON has no word for numbers that are not finite, so the database writes their names as strings
  fromJson (value, type) {
    if (NOT_FINITE.has(value as string)) return accept(value as string)
    return typeof value === 'number' ? floatFromText(String(value), type) : refuse('a number')
  },
  fromStored (text, type, computed) {
    if (NOT_FINITE.has(text)) return text
    return computed ? matching(text, NUMBER) : floatFromText(text, type).ok ? text : undefined
  },
  fromScope (value, type) {
    const text = numberText(value)
    return NOT_FINITE.has(text) ? accept(text) : floatFromText(text, type)
  },
  insideJson: () => ({ kind: 'decimal', form: 'number' }),
  canonical: (value, { single }) => String(single ? Math.fround(Number(value)) : Number(value)),
  toBody: unchanged,
  takesDates: false,
  inEntity: 'json',
  numeric: true,
  plainInPath: false,
  families: () => ['number'],
  plainInJson: true,
}

function floatFromText (text: string, { single }: FloatType): Converted {
  const double = text.length <= MAX_DIGITS && FLOAT.test(text) ? Number(text) : NaN
  // the greatest 32-bit number is written 3.4028235e38, which is slightly greater, so the value is rounded before the
  // check
  const value = single ? Math.fround(double) : double
  // a number that is too small for the type is not zero: PostgreSQL reports it as out of range
  const vanished = value === 0 && /[1-9]/.test(text.split(/[eE]/, 1)[0]!)
  if (Number.isFinite(value) && !vanished) return accept(value)
  return refuse(`a finite ${single ? '32' : '64'}-bit floating-point number`)
}
