/** Converted values, and how a conversion refuses one. */

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

export const accept = (value: SqlValue): Converted => ({ ok: true, value })

export const refuse = (expected: string, allowed?: readonly string[]): Converted => ({ ok: false, expected, allowed })

/** Reads JSON whose form is a string, by the conversion of its text. */
export function fromString (value: unknown, fromText: (text: string) => Converted): Converted {
  if (typeof value !== 'string') return refuse('a string')
  if (!value.isWellFormed()) return refuse('text without lone surrogates')
  return fromText(value)
}
