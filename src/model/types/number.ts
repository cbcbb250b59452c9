/** Helpers that the number types share. */
import type { NumberForm } from './basic-types.ts'
import type { Converted, SqlValue } from './converted.ts'
import type { Declaration } from './wire-type.ts'

/** At most this many digits for a number in a URL: more than any column holds, but few enough to be harmless. */
export const MAX_DIGITS = 1_000

export const FLOAT = /^-?\d+(?:\.\d+)?(?:[eE][+-]?\d{1,3})?$/

/** A number as the database writes it. */
export const NUMBER = /^-?\d+(?:\.\d+)?(?:e[+-]\d{1,3})?$/
export const NOT_FINITE: ReadonlySet<string> = new Set(['NaN', 'Infinity', '-Infinity'])

export const numberForm = ({ runtimeType }: Declaration): NumberForm => runtimeType === 'number' ? 'number' : 'string'

/** Returns the text if it has the form or is one of the names. */
export function matching (text: string, form: RegExp, names?: ReadonlySet<string>): string | undefined {
  return form.test(text) || names?.has(text) ? text : undefined
}

/** The text of a number in a scope: a number, a bigint, or their text. It is empty for any other value. */
export function numberText (value: unknown): string {
  if (typeof value === 'string') return value.trim()
  return typeof value === 'number' || typeof value === 'bigint' ? String(value) : ''
}

/** Converts a number in a condition: a number, a bigint, or their text. */
export function fromNumber (value: unknown, fromText: (text: string) => Converted): SqlValue | undefined {
  if (typeof value !== 'number' && typeof value !== 'bigint' && typeof value !== 'string') return undefined
  const converted = fromText(String(value))
  return converted.ok ? converted.value : undefined
}

/**
 * Reads text as a number, because scopes often come from headers and claims, which are text for columns of any type.
 */
export const numberToBody = (value: unknown): unknown =>
  typeof value === 'string' && value.trim() !== '' ? Number(value) : value

/** Writes a number as text or reads text as a number, as the form of the type requires. */
export function digitsToBody (value: unknown, { form }: { readonly form: NumberForm }): unknown {
  if (form === 'number') return numberToBody(value)
  return typeof value === 'number' || typeof value === 'bigint' ? String(value) : value
}
