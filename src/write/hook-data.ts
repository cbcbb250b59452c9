/** The data that `beforeCreate` and `beforeUpdate` return. Mistakes in it are the server's: a 500 whose cause is for the log. */
import { ConfigError, RequestValidationError } from '../errors.ts'
import { isObject, type EntityModel } from '../model/index.ts'
import { shown } from '../options.ts'
import { readData, type BodyRules, type RecordData } from '../plan/index.ts'
import type { Data } from './new-row.ts'

type Hook = 'beforeCreate' | 'beforeUpdate'

/**
 * The value that a hook has returned, as data.
 *
 * @throws {ConfigError} when it is not an object: what the client sent must not pass without its hook
 */
export function dataOfHook (hook: Hook, returned: unknown): Data {
  if (!isObject(returned)) throw mistakeOfHook(hook, `it must return the data as an object, got ${shown(returned)}.`)
  return returned
}

/**
 * Reads a new row after `beforeCreate`.
 *
 * @param before the data that the hook was given, in which the client's part has been read without errors
 * @param after the data that the hook returned, with the values of the scope
 * @throws {RequestValidationError} for required properties that neither the client nor the hook has given; {ConfigError}
 *   for anything else that is wrong
 */
export function rowOfHook (
  before: Data,
  after: Data,
  model: EntityModel,
  rules: BodyRules,
  pointer: string
): RecordData {
  try {
    return readData(after, model, { by: 'server', complete: rules, pointer })
  } catch (error) {
    if (!(error instanceof RequestValidationError)) throw error
    // without the rules nothing is missing: what is wrong then is what the hook has returned
    readOfHook('beforeCreate', () => readData(after, model, { by: 'server' }))
    const isIn = (data: Data, { name, publicName }: { readonly name: string, readonly publicName: string }): boolean =>
      data[name] !== undefined || data[publicName] !== undefined
    const lost = rules.required.find(({ property }) => isIn(before, property) && !isIn(after, property))
    throw lost === undefined
      ? error
      : mistakeOfHook('beforeCreate', `it has taken away '${lost.property.name}', which is required.`)
  }
}

/** Reads data of the server: what would be a client's mistake is the hook's. */
export function readOfHook (hook: Hook, read: () => RecordData): RecordData {
  try {
    return read()
  } catch (error) {
    throw error instanceof RequestValidationError ? mistakeOfHook(hook, error.message) : error
  }
}

/** The error of a hook that has returned wrong data: a client can do nothing about it, so the detail is for the log. */
export function mistakeOfHook (hook: Hook, detail: string): ConfigError {
  return new ConfigError('The server has set values that cannot be written.', {
    cause: new ConfigError(`${hook}: ${detail}`),
  })
}
