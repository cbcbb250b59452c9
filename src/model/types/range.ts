/**
 * Ranges. Their wire form is PostgreSQL's text (manual, section 8.17.5), such as `[1,5)`, `(,5]` and `empty`. Their
 * ends have the wire form of the type of the range's values. PostgreSQL normalizes ranges of integers and dates:
 * `[1,5]` comes back as `[1,6)`.
 */
import type { BigintType, DateType, DatetimeType, DecimalType, IntegerType } from './basic-types.ts'
import { accept, fromString, refuse, type Converted } from './converted.ts'
import { date, INFINITE, LAST_DATE } from './date.ts'
import { datetime } from './datetime.ts'
import { canonicalDecimal, decimal, decimalFromText } from './decimal.ts'
import { bigint, INT32, INT64, integer } from './integer.ts'
import { compareDecimals, compareIntegers, compareMoments, momentText, nextDay } from './value-order.ts'
import { COMPARABLE, unchanged, type FromColumn, type WireType } from './wire-type.ts'

/** The types of the ends of ranges. */
export type EndType = BigintType | DateType | DatetimeType | DecimalType | IntegerType

export interface RangeType {
  readonly kind: 'range'
  /** The type of its ends. */
  readonly end: EndType
}

/** The brackets and two ends. An end is quoted, or has no characters that need quotes. */
const RANGE = /^([[(])("[^"\\]*"|[^"\\,()[\]]*),("[^"\\]*"|[^"\\,()[\]]*)([\])])$/

/** The facts about a type of values that ranges of it need. */
interface Ends<T extends EndType> {
  /** The values of the range and an example, as part of a sentence. */
  expected(type: T): string

  fromText(text: string, type: T): Converted

  fromStored(text: string, type: T): string | undefined

  /** Compares converted texts. The result is less than 0, 0, or more than 0. */
  compare(one: string, other: string): number

  /** Whether every value has a next one. PostgreSQL normalizes ranges of such values: `[1,5]` becomes `[1,6)`. */
  readonly counted: boolean

  /** The text in records. If absent, that is the converted text. */
  shown?(value: string): string

  /** The text that equal values have in common. If absent, that is the converted text. */
  same?(value: string): string

  /** The next value, for counted values. */
  next?(value: string): string

  /** The last value, which has no next one. Only for counted values. */
  last?(type: T): string
}

const ENDS: { readonly [Name in EndType['kind']]: Ends<Extract<EndType, { readonly kind: Name }>> } = {
  integer: {
    expected: ({ min, max }) => `integers from ${min} to ${max}, such as [1,5), [1,) or empty`,
    fromText: (text, type) => integer.fromText!(text, type),
    fromStored: (text, type) => stored(integer.fromStored(text, type, false)),
    compare: compareIntegers,
    counted: true,
    next: nextInteger,
    last: ({ max }) => String(max),
  },
  bigint: {
    expected: () => `integers from ${INT64.min} to ${INT64.max}, such as [1,5), [1,) or empty`,
    fromText: (text, type) => bigint.fromText!(text, type),
    fromStored: (text, type) => stored(bigint.fromStored(text, type, false)),
    compare: compareIntegers,
    counted: true,
    next: nextInteger,
    last: () => String(INT64.max),
  },
  decimal: {
    expected: () => 'decimal numbers, without exponents, such as [0.5,2), [0.5,) or empty',
    fromText: decimalFromText,
    fromStored: (text, type) => stored(decimal.fromStored(text, type, false)),
    compare: compareDecimals,
    counted: false,
    same: canonicalDecimal,
  },
  date: {
    expected: () => 'dates, such as [2024-01-01,2024-02-01), [2024-01-01,) or empty',
    fromText: (text, type) => date.fromText!(text, type),
    fromStored: (text, type) => stored(date.fromStored(text, type, false)),
    compare: compareMoments,
    counted: true,
    next: nextDay,
    last: () => LAST_DATE,
  },
  datetime: {
    expected: () =>
      'ISO 8601 dates and times, such as [2024-05-31T09:30:00Z,2024-05-31T11:00:00Z), [2024-05-31,) or empty',
    fromText: (text, type) => datetime.fromText!(text, type),
    fromStored: (text, type) => stored(datetime.fromStored(text, type, false)),
    compare: compareMoments,
    counted: false,
    shown: (value) => `"${momentText(value)}"`,
    same: momentText,
  },
}

function nextInteger (value: string): string {
  return String(BigInt(value) + 1n)
}

const stored = (value: unknown): string | undefined => value === undefined ? undefined : String(value)

function endsOf<T extends EndType> (type: T): Ends<T> {
  return ENDS[type.kind] as unknown as Ends<T>
}

const of = (end: EndType): FromColumn<RangeType> => () => ({ kind: 'range', end })

export const range: WireType<RangeType> = {
  columns: {
    int4range: of(INT32),
    int8range: of({ kind: 'bigint', form: 'string' }),
    numrange: of({ kind: 'decimal', form: 'string' }),
    daterange: of({ kind: 'date' }),
    tsrange: of({ kind: 'datetime', zoned: false }),
    tstzrange: of({ kind: 'datetime', zoned: true }),
  },
  abilities: () => COMPARABLE,
  extremes: false,
  fromText: rangeFromText,
  adviceInUrl: ({ end }) =>
    end.kind === 'datetime'
      ? 'write + as %2B; in a list, write each range in double quotes'
      : 'in a list, write each range in double quotes',
  fromJson: (value, type) => fromString(value, (text) => rangeFromText(text, type)),
  fromStored: rangeFromStored,
  fromScope: rangeFromScope,
  canonical: (value, { end }) => sameText(String(value), end),
  // a column without a zone ignores the offset in a body
  toBody: unchanged,
  takesDates: false,
  inEntity: (value) => value,
  numeric: false,
  plainInPath: false,
  families: () => ['range'],
  plainInJson: true,
}

/**
 * Converts a range or a single value, for the operator `contains`. A single value becomes a range that contains only
 * this value.
 */
export function containedFromText (text: string, type: RangeType): Converted {
  if (text === 'empty' || /^[[(]/.test(text)) return rangeFromText(text, type)
  const { fromText, last } = endsOf(type.end)
  const value = fromText(text, type.end)
  if (!value.ok) return refuse(`${value.expected}, or ${expectedOf(type)}`)
  const end = String(value.value)
  // a range of the last value has no end, because no value follows
  return accept(end === last?.(type.end) ? `[${end},)` : `[${end},${end}]`)
}

const expectedOf = ({ end }: RangeType): string => `a range of ${endsOf(end).expected(end)}`

function rangeFromText (text: string, type: RangeType): Converted {
  if (text === 'empty') return accept(text)
  const { end } = type
  const { fromText, compare, last } = endsOf(end)
  const [, open = '', first, second, close = ''] = RANGE.exec(text) ?? []
  const read = (written: string | undefined): string | undefined => {
    if (written === undefined || written === '') return written
    const converted = fromText(unquoted(written), end)
    return converted.ok ? String(converted.value) : undefined
  }
  const [lower, upper] = [read(first), read(second)]
  if (lower === undefined || upper === undefined) return refuse(expectedOf(type))
  if (lower !== '' && upper !== '' && compare(lower, upper) > 0) {
    return refuse(`a range whose low end comes first, as ${writtenAs(open, upper, lower, close)}`)
  }
  // PostgreSQL would compute the next value, which does not exist
  const limit = last?.(end)
  if (lower === limit && open === '(') return refuse(`a range that starts before ${limit}`)
  if (upper === limit && close === ']') return refuse(`a range that ends before ${limit}, or that has no end`)
  return accept(writtenAs(open, lower, upper, close))
}

/**
 * The text of a stored range. PostgreSQL stores ranges of integers and dates with an inclusive start and an exclusive
 * end.
 */
function rangeFromStored (text: string, { end }: RangeType): string | undefined {
  if (text === 'empty') return text
  const { fromStored, compare, counted } = endsOf(end)
  const [, open, first, second, close] = RANGE.exec(text) ?? []
  const [lower, upper] = [first, second].map((written) =>
    written === undefined || written === '' ? written : fromStored(unquoted(written), end)
  )
  if (lower === undefined || upper === undefined) return undefined
  if (lower !== '' && upper !== '' && compare(lower, upper) > 0) return undefined
  if (counted && ((hasNext(lower) && open === '(') || (hasNext(upper) && close === ']'))) return undefined
  return writtenAs(open!, lower, upper, close!)
}

/** Also accepts spaces beside the ends. */
function rangeFromScope (value: unknown, type: RangeType): Converted {
  if (typeof value !== 'string') return refuse(expectedOf(type))
  const text = value.trim().replace(/([[(,])\s+/g, '$1').replace(/\s+([\]),])/g, '$1')
  const converted = rangeFromText(text, type)
  const stored = converted.ok ? undefined : rangeFromStored(text, type)
  return stored === undefined ? converted : accept(stored)
}

/** A range in the form in which PostgreSQL stores it, with absent ends as empty texts. */
interface StoredRange {
  readonly open: string
  readonly lower: string
  readonly upper: string
  readonly close: string
}

/** The stored form of a converted range: `(0,5]` of integers is `[1,6)`, and an absent end is exclusive. */
function storedForm (text: string, end: EndType): StoredRange | 'empty' {
  const [, open = '', first = '', second = '', close = ''] = RANGE.exec(text) ?? []
  if (open === '') return 'empty'
  const { next, compare } = endsOf(end)
  let [lower, upper] = [unquoted(first), unquoted(second)]
  let [isOpen, isClosed] = [open === '(' || lower === '', close === ']' && upper !== '']
  if (next !== undefined && isOpen && hasNext(lower)) [lower, isOpen] = [next(lower), false]
  if (next !== undefined && isClosed && hasNext(upper)) [upper, isClosed] = [next(upper), false]
  const isEmpty = lower !== '' && upper !== '' && compare(lower, upper) >= 0 && (isOpen || !isClosed)
  return isEmpty ? 'empty' : { open: isOpen ? '(' : '[', lower, upper, close: isClosed ? ']' : ')' }
}

/**
 * The text that a record shows for a range in a column, for a range that is stored as JSON.
 *
 * @param text a range that `fromText` accepts
 */
export function canonicalRange (text: string, type: RangeType): string {
  const converted = rangeFromText(text, type)
  const form = converted.ok ? storedForm(String(converted.value), type.end) : undefined
  if (form === undefined) return text
  if (form === 'empty') return form
  const { shown = String } = endsOf(type.end)
  const [lower, upper] = [form.lower, form.upper].map((end) => hasNext(end) ? shown(end) : end)
  return writtenAs(form.open, lower!, upper!, form.close)
}

/** The text that converted ranges of the same values have in common. */
function sameText (text: string, end: EndType): string {
  const form = storedForm(text, end)
  if (form === 'empty') return form
  const { same = String } = endsOf(end)
  const [lower, upper] = [form.lower, form.upper].map((end) => hasNext(end) ? same(end) : end)
  return writtenAs(form.open, lower!, upper!, form.close)
}

/** Whether an end is there and finite. */
const hasNext = (end: string): boolean => end !== '' && !INFINITE.has(end)

const unquoted = (written: string): string => written.startsWith('"') ? written.slice(1, -1) : written

const writtenAs = (open: string, lower: string, upper: string, close: string): string =>
  `${open}${lower},${upper}${close}`
