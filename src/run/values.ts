/** The values of a statement as the protocol has them: texts, bytes and null. */
import { prepareValue } from '../borrowed/pg.ts'

/**
 * Values for PGlite, or for a driver that may be PGlite's. It would write the message first and find a value that is no
 * text halfway, and all instances of a process write into the same memory: what such a value leaves there becomes part of
 * the next two messages, whoever sends them.
 */
export function preparedValues (values: readonly unknown[]): unknown[] {
  return values.map((value) => prepareValue(value))
}
