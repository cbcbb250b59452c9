/** The definition of an object literal for all readers of conditions in MikroORM's query language. */
import { isRaw } from '@mikro-orm/core'
import { isObjectLiteral } from '../base/is-object.ts'

/**
 * Whether a value is an object literal: not an array, not an instance of a class, and not SQL. Conditions, operators
 * and JSON documents are object literals. Everything else is a value.
 *
 * @example
 * isPlainObject({ tenant: 5 }) // true
 * isPlainObject(new Map([['tenant', 5]])) // false
 */
export function isPlainObject (value: unknown): value is Record<string, unknown> {
  return isObjectLiteral(value) && !isSql(value)
}

/** Whether an object literal has no members: neither properties nor fragments of SQL. */
export const isEmptyObject = (value: object): boolean =>
  Object.keys(value).length === 0 && Object.getOwnPropertySymbols(value).length === 0

/** Whether a value is SQL of the application: `raw()`, or a query of MikroORM in place of a list. */
export const isSql = (value: unknown): boolean =>
  isRaw(value) || typeof (value as { toRaw?: unknown } | null | undefined)?.toRaw === 'function'

/** A deep copy of arrays and object literals. Other values are not copied. */
export function copyOf (value: unknown): unknown {
  if (Array.isArray(value)) return Array.from(value, copyOf)
  return isPlainObject(value)
    ? Object.fromEntries(Object.entries(value).map(([key, member]) => [key, copyOf(member)]))
    : value
}
