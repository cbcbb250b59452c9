/**
 * Values from clients to SQL values, by the entry of their type in the table of wire types. What is accepted is exact and
 * causes no database error; all else is refused with what would have been accepted.
 */
import { refuse, type Converted, type SqlValue } from './types/converted.ts'
import { wireTypeOf } from './types/index.ts'
import type { ValueType } from './types/value-type.ts'

/**
 * Converts the text of a query string to a value of the type.
 *
 * @example
 * convert('2024-02-30', { kind: 'date' }) // { ok: false, expected: 'a date, YYYY-MM-DD' }
 */
export function convert (text: string, type: ValueType): Converted {
  return wireTypeOf(type).fromText?.(text, type) ?? refuse('left out: values of this type can not be compared')
}

/**
 * Converts the JSON of a body that is not null. Nothing is coerced: a number is not a string, and a decimal with more
 * places than its column keeps is refused, not rounded. In data of the application a Date stands for a datetime, a bigint
 * for its digits, and a Buffer for base64.
 *
 * @example
 * fromJson('2', { kind: 'boolean' }) // { ok: false, expected: 'a boolean' }
 */
export function fromJson (value: unknown, type: ValueType): Converted {
  return wireTypeOf(type).fromJson(value, type)
}

/**
 * Converts the text that the database itself writes for a value of a column (`column::text`). Every value that a column
 * can hold passes, unlike in `convert`, which says what clients may write: infinite dates and numbers, years before 1 and
 * after 9999, NaN. The text has been in a client's hands, so `undefined` stands for all that no column of the type has.
 *
 * @param computed the column is an expression, which may be of another type of number than it is declared to be
 * @example
 * readStored('2024-05-06 07:08:09.123456', { kind: 'datetime', zoned: true }) // '2024-05-06 07:08:09.123456+00'
 */
export function readStored (text: string, type: ValueType, computed = false): SqlValue | undefined {
  return wireTypeOf(type).fromStored(text, type, computed)
}
