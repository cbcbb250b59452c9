/**
 * Integers. Those of 16 and 32 bits are JSON numbers. Those of 64 bits are strings, unless the property is declared to
 * be a number.
 */
import type { BigintType, IntegerType } from './basic-types.ts'
import { accept, refuse, type Converted } from './converted.ts'
import {
  digitsToBody, fromNumber, matching, NOT_FINITE, NUMBER, numberForm, numberText, numberToBody,
} from './number.ts'
import { ORDERED, type FromColumn, type WireType } from './wire-type.ts'

export const INT16 = Object.freeze({ kind: 'integer', min: -32_768, max: 32_767 } as const)
export const INT32 = Object.freeze({ kind: 'integer', min: -2_147_483_648, max: 2_147_483_647 } as const)
export const INT64 = { min: -(2n ** 63n), max: 2n ** 63n - 1n }
const EXACT_INTEGER = `an integer from ${Number.MIN_SAFE_INTEGER} to ${Number.MAX_SAFE_INTEGER}`
const INTEGER = /^-?\d+$/
/** The digits of a sum of 64-bit integers: 19 for each of them, and 19 for the greatest number of rows. */
const MAX_SUM_DIGITS = 38

const int16: FromColumn<IntegerType> = () => INT16
const int32: FromColumn<IntegerType> = () => INT32
const int64: FromColumn<BigintType> = (declared) => ({ kind: 'bigint', form: numberForm(declared) })

export const integer: WireType<IntegerType> = {
  columns: {
    smallint: int16,
    int2: int16,
    smallserial: int16,
    integer: int32,
    int: int32,
    int4: int32,
    serial: int32,
  },
  abilities: () => ORDERED,
  extremes: true,
  sum: () => ({ kind: 'bigint', form: 'number' }),
  mean: () => ({ kind: 'float', single: false }),
  fromText: integerFromText,
  fromJson: (value, type) =>
    typeof value === 'number' && Number.isInteger(value) && value >= type.min && value <= type.max
      ? accept(value + 0)
      : refuse(`an integer from ${type.min} to ${type.max}`),
  fromStored: (text, type, computed) =>
    computed ? matching(text, NUMBER, NOT_FINITE) : integerFromText(text, type).ok ? text : undefined,
  fromCondition: (value, type) => fromNumber(value, (text) => integerFromText(text, type)),
  fromScope: (value, type) => integerFromText(numberText(value), type),
  insideJson: () => ({ kind: 'decimal', form: 'number' }),
  toBody: numberToBody,
  takesDates: false,
  inEntity: 'json',
  numeric: true,
  usualKey: true,
  plainInPath: true,
  families: () => ['number'],
  plainInJson: true,
}

export const bigint: WireType<BigintType> = {
  columns: { bigint: int64, int8: int64, bigserial: int64 },
  abilities: () => ORDERED,
  extremes: true,
  // the database adds up 64-bit integers as numeric, because their sum may need more than 64 bits
  sum: ({ form }) => ({ kind: 'decimal', form, precision: MAX_SUM_DIGITS, scale: 0 }),
  mean: ({ form }) => form === 'string' ? { kind: 'decimal', form } : { kind: 'float', single: false },
  fromText: bigintFromText,
  fromJson (value, { form }) {
    if (typeof value === 'bigint') return bigintFromText(String(value))
    // a number that is too large to be exact may differ from the number that was sent
    if (form === 'number') return Number.isSafeInteger(value) ? bigintFromText(String(value)) : refuse(EXACT_INTEGER)
    return typeof value === 'string' ? bigintFromText(value) : refuse('an integer, as a string')
  },
  fromStored: (text, _, computed) =>
    computed ? matching(text, NUMBER, NOT_FINITE) : bigintFromText(text).ok ? text : undefined,
  fromCondition: (value) => fromNumber(value, bigintFromText),
  fromScope: (value) => bigintFromText(numberText(value)),
  insideJson: ({ form }) => form === 'number' ? { kind: 'decimal', form } : undefined,
  toBody: digitsToBody,
  takesDates: false,
  inEntity: 'converted',
  forSerializer: (json, runtimeType) => runtimeType === 'bigint' ? BigInt(json as string) : json,
  numeric: true,
  usualKey: true,
  plainInPath: true,
  families: () => ['number'],
  plainInJson: true,
}

function integerFromText (text: string, { min, max }: IntegerType): Converted {
  const value = text.length <= 20 && INTEGER.test(text) ? Number(text) : NaN
  // `+ 0` turns -0 into 0, as PostgreSQL does
  return value >= min && value <= max ? accept(value + 0) : refuse(`an integer from ${min} to ${max}`)
}

function bigintFromText (text: string): Converted {
  if (text.length <= 40 && INTEGER.test(text)) {
    const value = BigInt(text)
    if (value >= INT64.min && value <= INT64.max) return accept(String(value))
  }
  return refuse(`an integer from ${INT64.min} to ${INT64.max}`)
}
