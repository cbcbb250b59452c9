/** Kinds of objects among unknown values. */

/** Whether a value is an object with members: not an array, a date, a map or a set. */
export function isObject (value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date) &&
    !(value instanceof Map) && !(value instanceof Set)
}

/** Whether a value is an object literal: not an array, and not an instance of a class. */
export function isObjectLiteral (value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}

/** The same for object literals of any realm, and for objects of parsers that imitate those without a prototype. */
export function isBareObject (value: unknown): value is Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === null || Object.getPrototypeOf(prototype) === null
}
