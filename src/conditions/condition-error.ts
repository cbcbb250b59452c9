/** Errors for conditions that are not certainly valid. */
import { isPlainObject } from './plain-object.ts'

/**
 * Says in a sentence why a condition is rejected. The sentence names properties, so it is meant for the log and for
 * start-up, not for clients.
 */
export class ConditionError extends Error {}

/** A valid condition compares a column with a value that the column cannot hold. No row meets it. */
export class ImpossibleValueError extends ConditionError {}

/** The message of an error as the end of a sentence. */
export function asSentence (error: unknown): string {
  const { message } = error as Error
  return /[.?!]$/.test(message) ? message : `${message}.`
}

/** @param at the path inside the condition, such as `$or[1].tenant` */
export function fail (at: string, what: string): never {
  throw new ConditionError(at === '' ? what : `${at}: ${what}`)
}

export const pathOf = (at: string, key: string): string => at === '' ? key : `${at}.${key}`

/** The kind of a value, as the end of a sentence. */
export function valueKind (value: unknown): string {
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
