/**
 * JSON that JavaScript parses and writes again, without rounding numbers. JSON has numbers of any size (RFC 8259
 * section 6), and so have the columns; JavaScript has doubles.
 */

/** What Node has of ECMAScript's "JSON.parse source text access", which TypeScript has no types for. */
interface SourceText {
  parse(text: string, reviver: (key: string, value: unknown, context: { readonly source?: string }) => unknown): unknown
  rawJSON(text: string): object
  isRawJSON(value: unknown): value is { readonly rawJSON: string }
}
const { parse, rawJSON, isRawJSON } = JSON as unknown as SourceText

// Repetitions have bounds, because a regular expression needs memory for each of them and texts have any length.

/** Doubles keep the digits of every decimal number of 15 digits whose exponent has two at most. */
const LONG = /\d[\d.]{15}/
const LONGS = /\d[\d.]{15,99}(?:[eE][+-]?\d{1,9})?/g
/** Of a longer number one part, before the point or after it, has eight digits: most texts have none. */
const DIGITS = /\d{8}/
const EXPONENT = /\d[eE][+-]?\d{3,9}(?:[\d\s,}\]]|$)/

/** Whether a number may be another one when JavaScript writes it. */
function isRounded (source: string, value: number): boolean {
  return (LONG.test(source) || EXPONENT.test(source)) && String(value) !== source
}

/** Whether some JSON may have a rounded number: a look at it costs a fraction of what parsing costs. */
function mayRound (text: string): boolean {
  if (EXPONENT.test(text)) return true
  if (!DIGITS.test(text)) return false
  for (const { 0: number, index } of text.matchAll(LONGS)) {
    // digits at the end of a text are no number
    if (text[index + number.length] !== '"' && String(Number(number)) !== number) return true
  }
  return false
}

/**
 * Parses JSON that is going to be written again. A number that JavaScript would round, or make infinite, becomes an
 * object that `JSON.stringify` writes with the digits it had: see `isExactNumber` and `withNumbers`.
 */
export function parseExact (text: string): unknown {
  if (!mayRound(text)) return JSON.parse(text)
  return parse(
    text,
    (_, value, { source }) => typeof value === 'number' && isRounded(source!, value) ? rawJSON(source!) : value
  )
}

/** Whether a value is an object that stands for a number. */
export function isExactNumber (value: unknown): boolean {
  return isRawJSON(value)
}

/** A scalar that `parseExact` has parsed, as text: a number with the digits that it had. */
export function exactText (value: unknown): string {
  return isRawJSON(value) ? value.rawJSON : String(value)
}

/** What `parseExact` has parsed, with numbers as JavaScript has them: for code that reckons with values. Changes it in place. */
export function withNumbers (value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (isRawJSON(value)) return Number(value.rawJSON)
  const members = value as Record<string, unknown>
  for (const [key, member] of Object.entries(members)) {
    if (typeof member === 'object') members[key] = withNumbers(member)
  }
  return value
}
