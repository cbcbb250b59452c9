/** JSON, unchanged but for what jsonb cannot store. */
import { escapedName } from '../../json-pointer.ts'
import { accept, refuse, type Converted } from './converted.ts'
import { FLOAT, MAX_DIGITS } from './number.ts'
import { textFromText } from './text.ts'
import type { JsonType } from './value-type.ts'
import { COMPARABLE, INCOMPARABLE, type WireType } from './wire-type.ts'

export const json: WireType<JsonType> = {
  columns: { json: () => ({ kind: 'json', binary: false }), jsonb: () => ({ kind: 'json', binary: true }) },
  abilities: ({ binary }) => binary ? COMPARABLE : INCOMPARABLE,
  extremes: false,
  fromText: jsonFromText,
  fromJson: jsonFromJson,
  fromStored: (text) => jsonFromText(text).ok ? text : undefined,
  inEntity: 'json',
  numeric: false,
  plainInPath: false,
  plainInJson: true,
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
function isStorable (json: string): boolean {
  let depth = 0
  for (const [token] of json.matchAll(JSON_TOKEN)) {
    if (token === '[' || token === '{') depth++
    else if (token === ']' || token === '}') depth--
    else if (
      token.startsWith('"')
        ? !textFromText(JSON.parse(token)).ok
        : token.length > MAX_DIGITS || !FLOAT.test(token)
    ) {
      return false
    }
    if (depth > MAX_JSON_DEPTH) return false
  }
  return true
}

function jsonFromText (text: string): Converted {
  try {
    JSON.parse(text)
    if (isStorable(text)) return accept(text)
  } catch {
    // not JSON: refused below, like everything else that is not a storable value
  }
  return refuse(`JSON of at most ${MAX_JSON_DEPTH} levels`)
}

/** The form of JSON that is stored, as the end of a sentence. */
const EXACT_JSON = 'JSON without integers from 2^53 up to 1e21, which may have been rounded, ' +
  'or numbers out of range; send such a number as a string'
const STORABLE_JSON = 'JSON without NUL characters, halves of surrogate pairs, or too many levels'

function jsonFromJson (value: unknown): Converted {
  const written = stringify(value)
  if (written === INEXACT) return { ok: false, expected: EXACT_JSON, at: inexactPlace(value) }
  return written !== undefined && isStorable(written) ? accept(written) : refuse(STORABLE_JSON)
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
