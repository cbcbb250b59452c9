/** Values: the meaning of a text of the query string for a type, and the order of two values. */
import type { Property, Value, ValueType } from './description.ts'

/** The value of a text, as a row would store it. `undefined`: the text is not a value of the type. */
export function readValue (text: string, { type, members }: Pick<Property, 'type' | 'members'>): Value | undefined {
  switch (type) {
    case 'integer':
      return readInteger(text, 31n) === undefined ? undefined : Number(text)
    case 'bigint':
      return readInteger(text, 63n)?.toString()
    case 'decimal':
      return /^-?\d{1,1000}(\.\d+)?$/.test(text) ? text : undefined
    case 'float':
      return /^-?\d+(\.\d+)?(e[+-]?\d+)?$/i.test(text) && Number.isFinite(Number(text)) ? Number(text) : undefined
    case 'boolean':
      return { true: true, false: false, 1: true, 0: false }[text]
    case 'text':
      return isText(text) ? text : undefined
    case 'enum':
      return members!.includes(text) ? text : undefined
    case 'uuid':
      return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text) ? text.toLowerCase() : undefined
    case 'date':
      return isDay(text) ? text : undefined
    case 'datetime':
      return readMoment(text)
    case 'json':
      return undefined
  }
}

/** PostgreSQL's text cannot store NUL characters and halves of surrogate pairs. */
export const isText = (text: string): boolean => !text.includes('\0') && text.isWellFormed()

function readInteger (text: string, bits: bigint): bigint | undefined {
  if (!/^-?\d+$/.test(text)) return undefined
  const value = BigInt(text)
  return value >= -(2n ** bits) && value < 2n ** bits ? value : undefined
}

/** A day of the calendar. Date moves 30 February to March, which changes its text. */
function isDay (text: string): boolean {
  if (!/^\d{4}-\d\d-\d\d$/.test(text)) return false
  const date = new Date(`${text}T00:00:00Z`)
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text)
}

/** ISO 8601. Without an offset it is UTC, and a date alone is midnight. */
function readMoment (text: string): string | undefined {
  const [, day, time = 'T00:00', offset = 'Z'] =
    /^(\d{4}-\d\d-\d\d)(?:(T\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?)(Z|[+-]\d\d:\d\d)?)?$/.exec(text) ?? []
  if (day === undefined || !isDay(day)) return undefined
  const date = new Date(day + time + offset)
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString()
}

/** Negative if `a` comes before `b`, zero if they are equal. Neither of them is null. */
export function compareValues (a: Value, b: Value, type: ValueType): number {
  switch (type) {
    case 'integer':
    case 'float':
      return a - b
    case 'boolean':
      return Number(a) - Number(b)
    case 'bigint':
    case 'decimal':
      return compareDecimals(a, b)
    // the texts of the tests have the collation "C", which compares the bytes of UTF-8
    case 'text':
      return Buffer.compare(Buffer.from(a), Buffer.from(b))
    // these have one form, and the order of that text is their order
    case 'enum':
    case 'uuid':
    case 'date':
    case 'datetime':
      return a < b ? -1 : a > b ? 1 : 0
    case 'json':
      throw new Error('JSON has no order')
  }
}

/** Exact for any number of digits: both are written with the same number of decimals, and compared as integers. */
function compareDecimals (a: string, b: string): number {
  const decimals = Math.max(scaleOf(a), scaleOf(b))
  const [left, right] = [toInteger(a, decimals), toInteger(b, decimals)]
  return left < right ? -1 : left > right ? 1 : 0
}

export const scaleOf = (decimal: string): number => decimal.split('.')[1]?.length ?? 0

/** `-1.5` with 2 decimals is -150. */
export function toInteger (decimal: string, decimals: number): bigint {
  const [whole, fraction = ''] = decimal.split('.')
  return BigInt(whole + fraction.padEnd(decimals, '0'))
}
