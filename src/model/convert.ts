/**
 * Text to SQL value, by value type: exact or an error, never a guess. Values leave as what PostgreSQL's text
 * input reads without loss, and never as something it would refuse: a value accepted here causes no database error.
 */
import type { ValueType } from './value-type.ts'

/** A value to be bound to a statement. */
export type SqlValue = string | number | boolean | null | Buffer

/** A converted value, or what would have been accepted (the end of a sentence: "... must be an integer"). */
export type Converted =
  | { readonly ok: true, readonly value: SqlValue }
  | {
    readonly ok: false,
    readonly expected: string,
    readonly allowed?: readonly string[],
    /** JSON pointer of the part of the value that is meant. */
    readonly at?: string,
  }

const accept = (value: SqlValue): Converted => ({ ok: true, value })
const refuse = (expected: string, allowed?: readonly string[]): Converted => ({ ok: false, expected, allowed })

/** Digits of a number in a URL, at most: more than any column holds, few enough to be harmless. */
const MAX_DIGITS = 1_000
const INT64 = { min: -(2n ** 63n), max: 2n ** 63n - 1n }
const INTEGER = /^-?\d+$/
const DECIMAL = /^-?\d+(?:\.\d+)?$/
const FLOAT = /^-?\d+(?:\.\d+)?(?:[eE][+-]?\d{1,3})?$/
const UUID = /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/i
const DATE = /^(\d{4})-(\d\d)-(\d\d)$/
const TIME = /^(\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,6}))?)?$/
const ZONE = /(Z|[+-]\d\d(?::?\d\d)?)$/i

function toInteger (text: string, { min, max }: { min: number, max: number }): Converted {
  const value = text.length <= 20 && INTEGER.test(text) ? Number(text) : NaN
  // -0 is 0: text that PostgreSQL would read as the same integer
  return value >= min && value <= max ? accept(value + 0) : refuse(`an integer from ${min} to ${max}`)
}

function toBigint (text: string): Converted {
  if (text.length <= 40 && INTEGER.test(text)) {
    const value = BigInt(text)
    if (value >= INT64.min && value <= INT64.max) return accept(String(value))
  }
  return refuse(`an integer from ${INT64.min} to ${INT64.max}`)
}

function toDecimal (text: string): Converted {
  if (text.length <= MAX_DIGITS && DECIMAL.test(text)) return accept(text)
  return refuse(`a decimal number of at most ${MAX_DIGITS} digits, without an exponent`)
}

function toFloat (text: string, single: boolean): Converted {
  const double = text.length <= MAX_DIGITS && FLOAT.test(text) ? Number(text) : NaN
  // the greatest 32-bit number is written 3.4028235e38, which is a little more than it: rounding comes before the check
  const value = single ? Math.fround(double) : double
  // too small for the type is not zero: PostgreSQL calls it out of range
  const vanished = value === 0 && /[1-9]/.test(text.split(/[eE]/, 1)[0]!)
  if (Number.isFinite(value) && !vanished) return accept(value)
  return refuse(`a finite ${single ? '32' : '64'}-bit floating-point number`)
}

function toBoolean (text: string): Converted {
  if (text === 'true' || text === '1') return accept(true)
  if (text === 'false' || text === '0') return accept(false)
  return refuse('a boolean', ['true', 'false', '1', '0'])
}

function toText (text: string): Converted {
  // PostgreSQL has no way to store the character (manual, section 8.3); half of a surrogate pair would be sent as another one
  return text.includes('\0') || !text.isWellFormed()
    ? refuse('text without NUL characters or halves of surrogate pairs')
    : accept(text)
}

function toEnum (text: string, items: readonly (string | number)[]): Converted {
  const item = items.find((item) => String(item) === text)
  return item === undefined ? refuse('one of its members', items.map(String)) : accept(item)
}

function toUuid (text: string): Converted {
  return UUID.test(text) ? accept(text.toLowerCase()) : refuse('a UUID')
}

/** Whether year, month and day exist in the proleptic Gregorian calendar (RFC 3339 section 5.7). */
function isDate (text: string): boolean {
  const match = DATE.exec(text)
  if (!match) return false
  const [year, month, day] = [Number(match[1]), Number(match[2]), Number(match[3])]
  // day 0 of the next month is the last day of this one
  return year >= 1 && month >= 1 && month <= 12 && day >= 1 &&
    day <= new Date(Date.UTC(2000 + year % 400, month, 0)).getUTCDate()
}

function isTime (text: string): boolean {
  const match = TIME.exec(text)
  return match !== null && Number(match[1]) <= 23 && Number(match[2]) <= 59 && Number(match[3] ?? 0) <= 59
}

function toDate (text: string): Converted {
  return isDate(text) ? accept(text) : refuse('a date, YYYY-MM-DD')
}

function toTime (text: string): Converted {
  return isTime(text) ? accept(text) : refuse('a time, HH:MM or HH:MM:SS')
}

/** ISO 8601; a date alone is midnight, a time without an offset is UTC. Microseconds are kept. */
function toDatetime (text: string, zoned: boolean): Converted {
  const expected = refuse('an ISO 8601 date and time, such as 2024-05-31T09:30:00Z or 2024-05-31')
  const [date = '', clock] = [text.slice(0, 10), text.length > 10 ? text.slice(11) : undefined]
  if (!isDate(date)) return expected
  if (clock === undefined) return accept(zoned ? `${date}T00:00:00Z` : `${date}T00:00:00`)
  const separator = text[10]
  if (separator !== 'T' && separator !== 't' && separator !== ' ') return expected
  const zone = ZONE.exec(clock)?.[1] ?? ''
  const time = zone === '' ? clock : clock.slice(0, -zone.length)
  if (!isTime(time)) return expected
  const minutes = offsetMinutes(zone)
  if (minutes === undefined) return expected
  // as UTC, which is what answers show, the year still has to have four digits
  const year = new Date(Date.parse(`${date}T${time}Z`) - minutes * 60_000).getUTCFullYear()
  if (!(year >= 1 && year <= 9999)) return expected
  if (zoned) return accept(`${date}T${time}${zone === '' || minutes === 0 ? 'Z' : zone}`)
  if (minutes === 0) return accept(`${date}T${time}`)
  // a column without a zone holds UTC: shift the minutes, keep the fraction of the second
  const [clockTime = '', fraction = ''] = (time.length === 5 ? `${time}:00` : time).split('.')
  const shifted = new Date(Date.parse(`${date}T${clockTime}Z`) - minutes * 60_000)
  if (shifted.getUTCFullYear() < 1 || shifted.getUTCFullYear() > 9999) return expected
  return accept(shifted.toISOString().slice(0, 19) + (fraction && `.${fraction}`))
}

/** Minutes east of UTC, or `undefined` for an offset no clock has (RFC 3339 section 5.6; PostgreSQL takes less than 16 hours). */
function offsetMinutes (zone: string): number | undefined {
  if (zone === '' || zone === 'Z' || zone === 'z') return 0
  const hours = Number(zone.slice(1, 3))
  const minutes = Number(zone.slice(3).replace(':', '') || 0)
  if (hours > 14 || minutes > 59) return undefined
  return (zone.startsWith('-') ? -1 : 1) * (hours * 60 + minutes)
}

/** Levels of arrays and objects in a JSON value, at most: the database's own parser is recursive. */
const MAX_JSON_DEPTH = 64

/** The tokens of JSON that jsonb may refuse: strings, numbers, and the brackets that nest. */
const JSON_TOKEN = /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*|[[\]{}]/g

/**
 * Whether jsonb can store what some JSON says: no NUL, no half of a surrogate pair (PostgreSQL manual, section 8.14),
 * no number out of range. The text is what is sent, so that no digit is lost; and all of it counts, even what comes
 * first under a key that comes twice.
 */
export function isStorable (json: string): boolean {
  let depth = 0
  for (const [token] of json.matchAll(JSON_TOKEN)) {
    if (token === '[' || token === '{') depth++
    else if (token === ']' || token === '}') depth--
    else if (token.startsWith('"') ? !toText(JSON.parse(token)).ok : token.length > MAX_DIGITS || !FLOAT.test(token)) {
      return false
    }
    if (depth > MAX_JSON_DEPTH) return false
  }
  return true
}

function toJson (text: string): Converted {
  try {
    JSON.parse(text)
    if (isStorable(text)) return accept(text)
  } catch {
    // not JSON: refused below, like everything else that is not a storable value
  }
  return refuse(`JSON of at most ${MAX_JSON_DEPTH} levels`)
}

/**
 * Converts the text of a query string to a value of the type.
 *
 * @example
 * convert('2024-02-30', { kind: 'date' }) // { ok: false, expected: 'a date, YYYY-MM-DD' }
 */
export function convert (text: string, type: ValueType): Converted {
  switch (type.kind) {
    case 'integer':
      return toInteger(text, type)
    case 'bigint':
      return toBigint(text)
    case 'decimal':
      return toDecimal(text)
    case 'float':
      return toFloat(text, type.single)
    case 'boolean':
      return toBoolean(text)
    case 'text':
      return toText(text)
    case 'enum':
      return toEnum(text, type.items)
    case 'uuid':
      return toUuid(text)
    case 'date':
      return toDate(text)
    case 'datetime':
      return toDatetime(text, type.zoned)
    case 'time':
      return toTime(text)
    case 'json':
      return toJson(text)
    case 'blob':
    case 'array':
    case 'other':
      return refuse('left out: values of this type can not be compared')
  }
}

/** Whether text has the form of a UUID (RFC 9562 section 4). */
export function isUuid (text: string): boolean {
  return UUID.test(text)
}

/** The array literal of PostgreSQL's text input (manual, section 8.15.6): one bound value for a list of any length. */
export function arrayLiteral (values: readonly SqlValue[]): string {
  return `{${
    values.map((value) => value === null ? 'null' : `"${String(value).replace(/["\\]/g, '\\$&')}"`).join(',')
  }}`
}
