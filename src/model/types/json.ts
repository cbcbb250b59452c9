/** JSON, stored unchanged. Values that jsonb cannot store are rejected. */
import { escapedName } from '../../base/error-list.ts'
import { accept, refuse, type Converted } from './converted.ts'
import { FLOAT, MAX_DIGITS } from './number.ts'
import { textFromText } from './text.ts'
import { COMPARABLE, INCOMPARABLE, unchanged, type WireType } from './wire-type.ts'

export interface JsonType {
  readonly kind: 'json'
  readonly binary: boolean
}

export const json: WireType<JsonType> = {
  columns: { json: () => ({ kind: 'json', binary: false }), jsonb: () => ({ kind: 'json', binary: true }) },
  abilities: ({ binary }) => binary ? COMPARABLE : INCOMPARABLE,
  extremes: false,
  fromText: jsonFromText,
  fromJson: jsonFromJson,
  fromStored: (text) => jsonFromText(text).ok ? text : undefined,
  toBody: unchanged,
  takesDates: false,
  isSame: () => undefined,
  inEntity: 'json',
  numeric: false,
  plainInPath: false,
  families: () => ['json'],
  plainInJson: true,
}

/** At most this many levels of arrays and objects in a JSON value, because the parser of the database is recursive. */
const MAX_JSON_DEPTH = 64
const TOO_DEEP = refuse(`JSON of at most ${MAX_JSON_DEPTH} levels`)

/** The tokens of JSON that jsonb may reject: nesting brackets, numbers, and the first quotes of strings. */
const JSON_TOKEN = /["[\]{}]|-?\d[\d.eE+-]*/g

/**
 * Whether jsonb can store JSON text: it contains no NUL, no half of a surrogate pair (PostgreSQL manual, section 8.14),
 * and no number out of range. The text itself is sent, so no digit is lost. All of it is checked, including the earlier
 * values of repeated keys.
 */
function isStorable (json: string): boolean {
  const tokens = new RegExp(JSON_TOKEN)
  let depth = 0
  for (let found = tokens.exec(json); found !== null; found = tokens.exec(json)) {
    const { 0: token, index } = found
    if (token === '[' || token === '{') depth++
    else if (token === ']' || token === '}') depth--
    else if (token === '"') {
      tokens.lastIndex = endOfString(json, index)
      if (!textFromText(JSON.parse(json.slice(index, tokens.lastIndex))).ok) return false
    } else if (token.length > MAX_DIGITS || !FLOAT.test(token)) return false
    if (depth > MAX_JSON_DEPTH) return false
  }
  return true
}

/** The end of a string in JSON. An expression that matches a string of many megabytes would overflow the stack. */
function endOfString (json: string, start: number): number {
  let end = start
  let escapes: number
  do {
    end = json.indexOf('"', end + 1)
    escapes = 0
    while (json[end - 1 - escapes] === '\\') escapes++
  } while (escapes % 2 === 1)
  return end + 1
}

/** Accepts a value of JSON that is not stored. Code that copies it may be recursive. */
export const ignoredJson = (value: unknown): Converted => isTooDeep(value, MAX_JSON_DEPTH) ? TOO_DEEP : accept(null)

const isTooDeep = (value: unknown, levels: number): boolean =>
  typeof value === 'object' && value !== null &&
  (levels === 0 || Object.values(value).some((member) => isTooDeep(member, levels - 1)))

function jsonFromText (text: string): Converted {
  try {
    JSON.parse(text)
    if (isStorable(text)) return accept(text)
  } catch {
    // not JSON: rejected below, like JSON that cannot be stored
  }
  return TOO_DEEP
}

/** The JSON that can be stored, as the end of a sentence. */
const EXACT_JSON = 'JSON without integers from 2^53 up to 1e21, which may have been rounded, ' +
  'or numbers out of range; send such a number as a string'
const STORABLE_JSON = 'JSON without NUL characters, halves of surrogate pairs, or too many levels'

function jsonFromJson (value: unknown): Converted {
  const written = stringify(value)
  if (written === INEXACT) return { ok: false, expected: EXACT_JSON, at: inexactPlace(value) }
  return written !== undefined && isStorable(written) ? accept(written) : refuse(STORABLE_JSON)
}

const INEXACT = Symbol('a number that may not be the one that was sent')

/**
 * From this size on, JavaScript writes numbers with an exponent (ECMA-262, Number::toString), so they are treated as
 * floating-point.
 */
const FLOATING = 1e21

/**
 * Whether a number may differ from the number in the text of the request (RFC 8259 section 6). An integer from 2^53 on
 * may have been rounded. A number out of range is infinite, which JSON would write as null. A number from 1e21 on is
 * accepted: clients usually send it with an exponent, and then it is stored as it was meant.
 */
function isInexact (value: unknown): boolean {
  if (typeof value !== 'number') return false
  const size = Math.abs(value)
  return !Number.isFinite(value) || (size > Number.MAX_SAFE_INTEGER && size < FLOATING)
}

/**
 * JSON, or `undefined` for values without JSON: circles, bigints, functions, and more levels than the stack allows.
 * `INEXACT` if it contains a number that is not exact.
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

/** The JSON pointer to the first number that is not exact. The caller knows that the value contains one. */
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
