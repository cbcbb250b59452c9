/**
 * Parsing and writing JSON without rounding numbers. JSON (RFC 8259 section 6) and database columns have numbers of any
 * size, but JavaScript has doubles.
 */

/** Node's implementation of ECMAScript's "JSON.parse source text access", for which TypeScript has no types. */
interface SourceText {
  parse(text: string, reviver: (key: string, value: unknown, context: { readonly source?: string }) => unknown): unknown
  rawJSON(text: string): object
  isRawJSON(value: unknown): value is { readonly rawJSON: string }
}
const { parse, rawJSON, isRawJSON } = JSON as unknown as SourceText

// Repetitions are bounded, because a regular expression needs memory for each of them and a text may have any length.

/** Doubles keep the digits of every decimal number with at most 15 digits and an exponent of at most two digits. */
const LONG = /\d[\d.]{15}/
const LONGS = /\d[\d.]{15,99}(?:[eE][+-]?\d{1,9})?/g
/** In a longer number, the part before or after the point has eight digits. Most texts contain no such part. */
const DIGITS = /\d{8}/
const EXPONENT = /\d[eE][+-]?\d{3,9}(?:[\d\s,}\]]|$)/

/** Whether JavaScript may write a number differently than it was. */
function isRounded (source: string, value: number): boolean {
  return (LONG.test(source) || EXPONENT.test(source)) && String(value) !== source
}

/** Whether JSON may contain a number that would be rounded. The check costs a fraction of parsing. */
function mayRound (text: string): boolean {
  if (EXPONENT.test(text)) return true
  if (!DIGITS.test(text)) return false
  for (const { 0: number, index } of text.matchAll(LONGS)) {
    // digits before a quotation mark are in a string
    if (text[index + number.length] !== '"' && String(Number(number)) !== number) return true
  }
  return false
}

/**
 * Parses JSON that will be written again. A number that JavaScript would round or make infinite becomes an object,
 * which `JSON.stringify` writes with the original digits. See `isExactNumber` and `withNumbers`.
 */
export function parseExact (text: string): unknown {
  if (!mayRound(text)) return JSON.parse(text)
  return parse(
    text,
    (_, value, { source }) => typeof value === 'number' && isRounded(source!, value) ? rawJSON(source!) : value
  )
}

/** Whether a value is an object that represents a number. */
export function isExactNumber (value: unknown): boolean {
  return isRawJSON(value)
}

/** The text of a scalar from `parseExact`. A number has its original digits. */
export function exactText (value: unknown): string {
  return isRawJSON(value) ? value.rawJSON : String(value)
}

/**
 * Replaces the exact numbers in a value from `parseExact` with JavaScript numbers, for code that calculates. Changes
 * the value in place.
 */
export function withNumbers (value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (isRawJSON(value)) return Number(value.rawJSON)
  const members = value as Record<string, unknown>
  for (const [key, member] of Object.entries(members)) {
    if (typeof member === 'object') members[key] = withNumbers(member)
  }
  return value
}
