/**
 * The JSON of a body to SQL values, by value type: the inverse of the wire form, exact or an error. Nothing is coerced:
 * a number is not a string, and a decimal with more places than its column keeps is refused, not rounded. Where a
 * program calls, a Date stands for a datetime, a bigint for its digits, and a Buffer for base64.
 */
import { escapedName } from '../json-pointer.ts'
import { arrayLiteral, convert, isStorable, type Converted, type SqlValue } from './convert.ts'
import type { ValueType } from './value-type.ts'

const refuse = (expected: string, allowed?: readonly string[]): Converted => ({ ok: false, expected, allowed })
const BASE64 = /^(?:[A-Za-z\d+/]{4})*(?:[A-Za-z\d+/]{2}==|[A-Za-z\d+/]{3}=)?$/

/**
 * Converts a value that is not null.
 *
 * @example
 * fromJson('2', { kind: 'boolean' }) // { ok: false, expected: 'a boolean' }
 */
export function fromJson (value: unknown, type: ValueType): Converted {
  switch (type.kind) {
    case 'integer':
      return typeof value === 'number' && Number.isInteger(value) && value >= type.min && value <= type.max
        ? { ok: true, value: value + 0 }
        : refuse(`an integer from ${type.min} to ${type.max}`)
    case 'float':
      return typeof value === 'number' ? convert(String(value), type) : refuse('a number')
    case 'bigint':
      return digits(value, type.form, type, 'an integer')
    case 'decimal':
      return decimal(value, type)
    case 'boolean':
      return typeof value === 'boolean' ? { ok: true, value } : refuse('a boolean')
    case 'enum':
      return type.items.includes(value as never)
        ? { ok: true, value: value as SqlValue }
        : refuse('one of its members', type.items.map(String))
    case 'datetime':
      return value instanceof Date && !Number.isNaN(value.getTime()) ? moment(value, type) : text(value, type)
    case 'text':
      return limited(value, type)
    case 'uuid':
    case 'date':
    case 'time':
      return text(value, type)
    case 'json':
      return json(value)
    case 'blob':
      return blob(value)
    case 'array':
      return array(value, type.element)
    case 'other':
      return typeof value === 'string' && !value.includes('\0') ? { ok: true, value } : refuse('a string')
  }
}

function text (value: unknown, type: ValueType): Converted {
  if (typeof value !== 'string') return refuse('a string')
  if (!value.isWellFormed()) return refuse('text without lone surrogates')
  return convert(value, type)
}

/** A Date is a moment that exists; only the year may be one that text of ours doesn't have. */
function moment (value: Date, type: Extract<ValueType, { kind: 'datetime' }>): Converted {
  const written = isoText(value)
  const hasYear = written.length === 24 && !written.startsWith('0000')
  return hasYear ? { ok: true, value: type.zoned ? written : written.slice(0, -1) } : convert(written, type)
}

/** The last one is likely to be asked for again: the rows of a request are of one moment, and their texts cost as much as all else. */
let [lastTime, lastText] = [0, new Date(0).toISOString()]

function isoText (value: Date): string {
  const time = value.getTime()
  if (time !== lastTime) [lastTime, lastText] = [time, value.toISOString()]
  return lastText
}

function limited (value: unknown, type: Extract<ValueType, { kind: 'text' }>): Converted {
  const converted = text(value, type)
  // the database counts characters, not UTF-16 units
  const tooLong = typeof value === 'string' && type.maxLength !== undefined && value.length > type.maxLength &&
    [...value].length > type.maxLength
  return tooLong ? refuse(`at most ${type.maxLength} characters long`) : converted
}

/** The digits of a number as JSON has it; in exponent form for those too large to be exact. */
const numberText = (value: number): string => Number.isSafeInteger(value) ? String(value) : 'not exact'

function digits (value: unknown, form: 'string' | 'number', type: ValueType, what: string): Converted {
  if (typeof value === 'bigint') return convert(String(value), type)
  if (form === 'number') return typeof value === 'number' ? convert(numberText(value), type) : refuse(what)
  return typeof value === 'string' ? convert(value, type) : refuse(`${what}, as a string`)
}

function decimal (value: unknown, type: Extract<ValueType, { kind: 'decimal' }>): Converted {
  const written = type.form === 'number'
    ? typeof value === 'number' && Number.isFinite(value) ? plain(value) : undefined
    : typeof value === 'string'
      ? value
      : undefined
  if (written === undefined) return refuse(type.form === 'number' ? 'a number' : 'a decimal number, as a string')
  // what a number is written as has no more digits than any column holds
  const converted: Converted = type.form === 'number' ? { ok: true, value: written } : convert(written, type)
  if (!converted.ok || type.precision === undefined) return converted
  const { precision, scale = 0 } = type
  const [whole, fraction] = digitsOf(written)
  return whole <= precision - scale && fraction <= scale
    ? converted
    : refuse(`a decimal number of at most ${precision - scale} digits before and ${scale} after the point`)
}

/** How many digits a decimal number has before and after the point, without zeros that say nothing. */
function digitsOf (written: string): readonly [whole: number, fraction: number] {
  const point = written.indexOf('.')
  const end = point < 0 ? written.length : point
  let start = written.startsWith('-') ? 1 : 0
  while (start < end && written[start] === '0') start++
  let last = written.length
  while (last > end + 1 && written[last - 1] === '0') last--
  return [end - start, Math.max(0, last - end - 1)]
}

/** A number without an exponent, with the digits that JavaScript writes for it. */
function plain (value: number): string {
  const written = String(value)
  if (!written.includes('e')) return written
  const [mantissa = '', exponent = '0'] = written.split('e')
  const [whole = '', fraction = ''] = mantissa.replace('-', '').split('.')
  const shift = Number(exponent)
  const digits = whole + fraction
  const sign = value < 0 ? '-' : ''
  if (shift < 0) return `${sign}0.${'0'.repeat(-shift - whole.length)}${digits}`
  return sign + digits.padEnd(whole.length + shift, '0')
}

/** The form of JSON that is stored, as the end of a sentence. */
const EXACT_JSON = 'JSON without integers from 2^53 up to 1e21, which may have been rounded, ' +
  'or numbers out of range; send such a number as a string'
const STORABLE_JSON = 'JSON without NUL characters, halves of surrogate pairs, or too many levels'

function json (value: unknown): Converted {
  const written = stringify(value)
  if (written === INEXACT) return { ok: false, expected: EXACT_JSON, at: inexactPlace(value) }
  return written !== undefined && isStorable(written) ? { ok: true, value: written } : refuse(STORABLE_JSON)
}

const INEXACT = Symbol('a number that may not be the one that was sent')

/** From here on JavaScript writes numbers with an exponent (ECMA-262, Number::toString): they are floating-point numbers. */
const FLOATING = 1e21

/**
 * Whether a number may be another one than the request's text says (RFC 8259 section 6): an integer from 2^53 on may have
 * been rounded, and a number out of range is infinite, which JSON would write as null. An even larger number that is
 * written with an exponent is stored as it was meant, and few write so many digits.
 */
function isInexact (value: unknown): boolean {
  if (typeof value !== 'number') return false
  const size = Math.abs(value)
  return !Number.isFinite(value) || (size > Number.MAX_SAFE_INTEGER && size < FLOATING)
}

/**
 * JSON, or `undefined` for values that have no JSON: circles, bigints, functions, and more levels than the stack has.
 * `INEXACT` when a number in it is not exact.
 */
function stringify (value: unknown): string | undefined | typeof INEXACT {
  try {
    return JSON.stringify(value, (_, part: unknown) => {
      if (isInexact(part)) throw INEXACT
      return part
    }) as string | undefined
  } catch (error) {
    return error === INEXACT ? INEXACT : undefined
  }
}

/** The JSON pointer of the first number that is not exact; a value that has one has been looked through without an error. */
function inexactPlace (value: unknown): string {
  const places: { readonly value: unknown, readonly at: string }[] = [{ value, at: '' }]
  for (let place = places.pop(); place !== undefined; place = places.pop()) {
    const { value, at } = place
    if (isInexact(value)) return at
    if (typeof value !== 'object' || value === null) continue
    const members = Object.entries(value).map(([key, value]) => ({ value, at: `${at}/${escapedName(key)}` }))
    places.push(...members.reverse())
  }
  return ''
}

function blob (value: unknown): Converted {
  if (ArrayBuffer.isView(value)) {
    return { ok: true, value: Buffer.from(value.buffer, value.byteOffset, value.byteLength) }
  }
  return typeof value === 'string' && BASE64.test(value)
    ? { ok: true, value: Buffer.from(value, 'base64') }
    : refuse('base64')
}

function array (value: unknown, element: ValueType): Converted {
  if (!Array.isArray(value)) return refuse('an array')
  const items: SqlValue[] = []
  for (const item of value) {
    const converted = item === null ? refuse('a value other than null') : fromJson(item, element)
    if (!converted.ok) return refuse(`an array whose items are each ${converted.expected}`, converted.allowed)
    items.push(Buffer.isBuffer(converted.value) ? `\\x${converted.value.toString('hex')}` : converted.value)
  }
  return { ok: true, value: arrayLiteral(items) }
}
