/** Checks of the values in conditions: only those that are certainly values are accepted. */
import { Reference, Utils } from '@mikro-orm/core'
import { keyPartsOfEntity } from '../borrowed/mikro-orm.ts'
import { fail, pathOf, valueKind } from './condition-error.ts'
import { isPlainObject, isSql } from './plain-object.ts'

/**
 * Checks a value that columns are compared with.
 *
 * @param custom whether the type belongs to the application, so that its values may be of any class
 * @throws {ConditionError} for undefined, NaN, invalid dates, functions, and objects that no column can hold
 */
export function checkValue (value: unknown, at: string, custom = false): void {
  switch (typeof value) {
    case 'undefined':
      return fail(at, 'it is undefined, which is neither a value nor null')
    case 'function':
    case 'symbol':
      return fail(at, `it is ${valueKind(value)}`)
    case 'number':
      return Number.isNaN(value) ? fail(at, 'it is NaN') : undefined
    case 'object':
      break
    default:
      return
  }
  if (value === null || value instanceof RegExp || ArrayBuffer.isView(value) || isSql(value)) return
  if (Array.isArray(value)) {
    // an index loop, because holes in a list are undefined, too
    for (let index = 0; index < value.length; index++) checkValue(value[index], `${at}[${index}]`, custom)
    return
  }
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? fail(at, 'it is an invalid date') : undefined
  const key = keyOfReferenced(value)
  if (key !== undefined) return checkValue(key, at)
  if (custom || typeof (value as { toPostgres?: unknown }).toPostgres === 'function') return
  fail(at, `it is ${valueKind(value)}, which no column can hold`)
}

/**
 * Checks a JSON document. Members without a JSON form would be silently omitted.
 *
 * @throws {ConditionError} as `checkValue` does, for any member
 */
export function checkJson (value: unknown, at: string): void {
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index++) checkJson(value[index], `${at}[${index}]`)
  } else if (isPlainObject(value)) {
    for (const key of keysOf(value, at)) checkJson(value[key], pathOf(at, key))
  } else checkValue(value, at)
}

/** The names of an object's members. A fragment of SQL is allowed only as a whole condition. */
export function keysOf (value: object, at: string): string[] {
  if (Object.getOwnPropertySymbols(value).length > 0) {
    fail(at, 'a fragment of SQL cannot be combined with properties of the entity')
  }
  return Object.keys(value)
}

/** The key of an entity of MikroORM, or of a reference to one; `undefined` for any other value. */
export function keyOfReferenced (value: unknown): readonly unknown[] | undefined {
  const entity = Reference.isReference(value) ? value.unwrap() : value
  return Utils.isEntity(entity) ? keyPartsOfEntity(entity) : undefined
}
