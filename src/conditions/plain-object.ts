/** What counts as an object literal, for conditions in MikroORM's words: the one answer for all who read them. */
import { isRaw } from '@mikro-orm/core'

/**
 * Whether a value is an object literal: neither an array nor of a class, and no SQL. Conditions, operators and JSON
 * documents are object literals; everything else is a value.
 *
 * @example
 * isPlainObject({ tenant: 5 }) // true
 * isPlainObject(new Map([['tenant', 5]])) // false
 */
export function isPlainObject (value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return (prototype === Object.prototype || prototype === null) && !isSql(value)
}

/** Whether an object literal has no members, neither properties nor fragments of SQL. */
export const isEmptyObject = (value: object): boolean =>
  Object.keys(value).length === 0 && Object.getOwnPropertySymbols(value).length === 0

/** Whether a value is SQL of the application: `raw()`, or a query of MikroORM that stands for a list. */
export const isSql = (value: unknown): boolean =>
  isRaw(value) || typeof (value as { toRaw?: unknown } | null | undefined)?.toRaw === 'function'

/** A copy of arrays and object literals, all the way down. Other values stay the same. */
export function copyOf (value: unknown): unknown {
  if (Array.isArray(value)) return Array.from(value, copyOf)
  return isPlainObject(value)
    ? Object.fromEntries(Object.entries(value).map(([key, member]) => [key, copyOf(member)]))
    : value
}
