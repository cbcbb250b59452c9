/**
 * Reads the data that the server sets in a write: what `beforeCreate` and `beforeUpdate` return, and `options.values`.
 * Mistakes in it are the server's: the client gets a 500 without details, and the error's cause is for the log.
 */
import { ConfigError, RequestValidationError } from '../base/errors.ts'
import { isObject } from '../base/is-object.ts'
import type { OrPromise } from '../base/or-promise.ts'
import { promisedBy, wait, type Steps } from '../base/steps.ts'
import { meantName, type EntityModel, type Property } from '../model/index.ts'
import { shown } from '../base/option-checks.ts'
import type { BodyRules, RecordData } from '../plan/index.ts'
import { nameInData, type Data } from './new-row.ts'
import { readData } from '../schema/index.ts'
import { didYouMean } from '../base/suggest.ts'
import { toBody } from '../resource/index.ts'
import { enterStage } from '../run/index.ts'

export type DataHook = 'beforeCreate' | 'beforeUpdate' | 'beforeUpdateMany'

/**
 * The data that a hook returns. Its time is the application's, and no part of the stage `plan`.
 *
 * @throws {ConfigError} when it is not an object: the client's data must not be written without the hook's changes
 */
export function * dataOfHook (hook: DataHook, call: () => OrPromise<unknown>): Steps<Data> {
  enterStage()
  const returned = yield * wait(call(), () => promisedBy(hook))
  enterStage('plan')
  if (!isObject(returned)) throw mistakeIn(hook, `it must return the data as an object, got ${shown(returned)}.`)
  return returned
}

/**
 * Reads a new row after `beforeCreate`.
 *
 * @param before the data that was passed to the hook; the client's part of it is valid
 * @param after the data that the hook returned, with the values of the scope
 * @throws {RequestValidationError} for required properties that neither the client nor the hook has given
 * @throws {ConfigError} for any other mistake
 */
export function rowOfHook (
  before: Data,
  after: Data,
  model: EntityModel,
  rules: BodyRules,
  pointer: string
): RecordData {
  try {
    const row = readData(after, model, { by: 'server', children: rules.children, complete: rules, pointer })
    refuseVersion('beforeCreate', row, model)
    return row
  } catch (error) {
    if (!(error instanceof RequestValidationError)) throw error
    // the server's rules require nothing: errors found now are in the data that the hook returned
    readOfHook('beforeCreate', () => readData(after, model, { by: 'server', children: rules.children }))
    const isIn = (data: Data, { name, publicName }: { readonly name: string, readonly publicName: string }): boolean =>
      data[name] !== undefined || data[publicName] !== undefined
    const lost = rules.required.find(({ property }) => isIn(before, property) && !isIn(after, property))
    throw lost === undefined
      ? error
      : mistakeIn('beforeCreate', `it has taken away '${lost.property.name}', which is required.`)
  }
}

/** Reads data of the server. Errors that would be the client's become errors of the hook. */
export function readOfHook (hook: DataHook, read: () => RecordData): RecordData {
  try {
    return read()
  } catch (error) {
    throw error instanceof RequestValidationError ? mistakeIn(hook, error.message) : error
  }
}

/** @throws {ConfigError} if a hook has set the version */
export function refuseVersion (hook: DataHook, { columns }: RecordData, { name, version }: EntityModel): void {
  if (version === undefined || !columns.some(({ property }) => property === version)) return
  throw mistakeIn(hook, `'${version.name}' of ${name} is the version, which counts by itself.`)
}

/** The error of wrong data from a hook or an option. Clients cannot correct it, so the detail is for the log. */
export function mistakeIn (source: DataHook | 'values', detail: string): ConfigError {
  return new ConfigError('The server has set values that cannot be written.', {
    cause: new ConfigError(`${source}: ${detail}`),
  })
}

/**
 * The values by the property names of bodies. They are also read without the body, so that a mistake in them does not
 * look like a mistake of the client.
 *
 * @throws {ConfigError} for a value that its property cannot have; the error's cause, for the log, says which
 */
export function valuesData (values: unknown, model: EntityModel): Data | undefined {
  if (values === undefined) return undefined
  if (!isObject(values)) throw mistakeIn('values', "'values' must be an object of values by property name.")
  const data: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(values)) {
    const property = settableProperty(name, model)
    // the body must not replace a value that the application forgot to set
    if (value === undefined) throw mistakeIn('values', `'${name}' is undefined: leave it out, or set it to null.`)
    data[nameInData(property)] = toBody(property, value)
  }
  try {
    readData(data, model, { by: 'server' })
  } catch (error) {
    throw error instanceof RequestValidationError ? mistakeIn('values', error.message) : error
  }
  return data
}

function settableProperty (name: string, model: EntityModel): Property {
  const { properties, version } = model
  const property = properties.get(name)
  if (property === undefined) {
    const sentence = `${model.name} has no property '${name}'`
    throw mistakeIn('values', didYouMean(sentence, meantName(name, properties.values())))
  }
  if (!property.write.persisted) {
    throw mistakeIn('values', `'${name}' of ${model.name} has no column that takes values.`)
  }
  if (property === version) {
    throw mistakeIn('values', `'${name}' of ${model.name} is the version, which counts by itself.`)
  }
  return property
}
