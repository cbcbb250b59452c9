/** The values that conditions compare with: which ones are certainly values. */
import { Reference, Utils } from '@mikro-orm/core'
import { primaryKeysOf } from '../borrowed/mikro-orm.ts'
import { fail, kindOf, pathOf } from './condition-error.ts'
import { isPlainObject, isSql } from './plain-object.ts'

/**
 * Checks a value that columns are compared with.
 *
 * @param custom the type is the application's own, and its values may be of any class
 * @throws {ConditionError} for undefined, NaN, invalid dates, functions, and objects that no column holds
 */
export function checkValue (value: unknown, at: string, custom = false): void {
  switch (typeof value) {
    case 'undefined':
      return fail(at, 'it is undefined, which is neither a value nor null')
    case 'function':
    case 'symbol':
      return fail(at, `it is ${kindOf(value)}`)
    case 'number':
      return Number.isNaN(value) ? fail(at, 'it is NaN') : undefined
    case 'object':
      break
    default:
      return
  }
  if (value === null || value instanceof RegExp || ArrayBuffer.isView(value) || isSql(value)) return
  if (Array.isArray(value)) {
    // a list with holes has undefined in them
    for (let index = 0; index < value.length; index++) checkValue(value[index], `${at}[${index}]`, custom)
    return
  }
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? fail(at, 'it is an invalid date') : undefined
  const key = keyOfEntity(value)
  if (key !== undefined) return checkValue(key, at)
  if (custom || typeof (value as { toPostgres?: unknown }).toPostgres === 'function') return
  fail(at, `it is ${kindOf(value)}, which is no value of a column`)
}

/**
 * Checks a JSON document: what has no text in JSON would be left out of it.
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

/** The names of an object's members; fragments of SQL stand for whole conditions only. */
export function keysOf (value: object, at: string): string[] {
  if (Object.getOwnPropertySymbols(value).length > 0) {
    fail(at, 'a fragment of SQL stands beside properties of the entity')
  }
  return Object.keys(value)
}

/** The key that an entity of MikroORM, or a reference to one, stands for; `undefined` for any other value. */
export function keyOfEntity (value: unknown): readonly unknown[] | undefined {
  const entity = Reference.isReference(value) ? value.unwrap() : value
  return Utils.isEntity(entity) ? primaryKeysOf(entity) : undefined
}
