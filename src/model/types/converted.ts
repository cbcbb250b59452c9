/** Converted values, and rejections of values that cannot be converted. */

/** A value to be bound to a statement. */
export type SqlValue = string | number | boolean | null | Buffer

/** A converted value, or the end of a sentence that says what would be accepted: "... must be an integer". */
export type Converted =
  | {
    readonly ok: true,
    readonly value: SqlValue,
    /** Whether a custom type makes SQL of the value (`raw`). Only MikroORM can write it, and `value` is null. */
    readonly raw?: true,
  }
  | {
    readonly ok: false,
    readonly expected: string,
    readonly allowed?: readonly string[],
    /** JSON pointer to the rejected part of the value. */
    readonly at?: string,
  }

export const accept = (value: SqlValue): Converted => ({ ok: true, value })

export const RAW: Converted = { ok: true, value: null, raw: true }

export const refuse = (expected: string, allowed?: readonly string[]): Converted => ({ ok: false, expected, allowed })

/** Converts JSON whose wire form is a string, with a function that converts the text. */
export function fromString (value: unknown, fromText: (text: string) => Converted): Converted {
  if (typeof value !== 'string') return refuse('a string')
  if (!value.isWellFormed()) return refuse('text without halves of surrogate pairs')
  return fromText(value)
}
