/** Converts the values of a statement to those of the protocol: texts, bytes and null. */
import { prepareValue } from '../../borrowed/pg.ts'

/**
 * Converts values for PGlite, or for a driver that may be PGlite's. PGlite converts values while it writes the message,
 * and would fail halfway at a value that has no text. All instances in a process share this memory, so the partial
 * message would become part of the next two messages of any instance.
 */
export function preparedValues (values: readonly unknown[]): unknown[] {
  return values.map((value) => prepareValue(value))
}
