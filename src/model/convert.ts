/**
 * Converts values from clients to SQL values, with the entry of their type in the table of wire types. An accepted
 * value is exact and causes no database error. For any other value, the result says what would be accepted.
 */
import { refuse, type Converted, type SqlValue } from './types/converted.ts'
import { wireTypeOf, type ValueType } from './types/index.ts'

/**
 * Converts the text of a query string to a value of the type.
 *
 * @example
 * convert('2024-02-30', { kind: 'date' }) // { ok: false, expected: 'a date, YYYY-MM-DD' }
 */
export function convert (text: string, type: ValueType): Converted {
  return wireTypeOf(type).fromText?.(text, type) ?? refuse('left out: values of this type cannot be compared')
}

/**
 * Converts JSON of a body that is not null. Nothing is coerced: a number is not a string, and a decimal with more
 * places than its column keeps is rejected instead of rounded. In data from the application, a Date stands for a
 * datetime, a bigint for its digits, and a Buffer for base64.
 *
 * @example
 * fromJson('2', { kind: 'boolean' }) // { ok: false, expected: 'a boolean' }
 */
export function fromJson (value: unknown, type: ValueType): Converted {
  return wireTypeOf(type).fromJson(value, type)
}

/**
 * Converts the text that the database writes for a value of a column (`column::text`). It accepts every value that a
 * column can hold: infinite dates and numbers, NaN, and years before 1 and after 9999. `convert`, in contrast, accepts
 * only values that clients may write. The text comes back from a client, so the result is `undefined` for a text that
 * no column of the type can have.
 *
 * @param computed whether the column is an expression, whose type of number may differ from the declared one
 * @example
 * readStored('2024-05-06 07:08:09.123456', { kind: 'datetime', zoned: true }) // '2024-05-06 07:08:09.123456+00'
 */
export function readStored (text: string, type: ValueType, computed = false): SqlValue | undefined {
  return wireTypeOf(type).fromStored(text, type, computed)
}
