/** How a condition that is not certainly one is refused. */
import { isPlainObject } from './plain-object.ts'

/** Says why a condition is refused, in a sentence that names properties: for the log and for start-up, not for clients. */
export class ConditionError extends Error {}

/** @param at the path inside of the condition, such as `$or[1].tenant` */
export function fail (at: string, what: string): never {
  throw new ConditionError(at === '' ? what : `${at}: ${what}`)
}

export const pathOf = (at: string, key: string): string => at === '' ? key : `${at}.${key}`

/** What kind of value something is, to end a sentence with. */
export function kindOf (value: unknown): string {
  if (value === null || value === undefined || Number.isNaN(value)) return String(value)
  if (Array.isArray(value)) return 'an array'
  if (typeof value === 'object') {
    const name: unknown = (value.constructor as { name?: unknown } | undefined)?.name
    return isPlainObject(value) || typeof name !== 'string' || name === '' || name === 'Object'
      ? 'an object'
      : `of the class ${name}`
  }
  return `a ${typeof value}`
}
