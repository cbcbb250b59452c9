/** Reads `options.values`, the values that the server sets in a write and that replace those of the body. */
import { ConfigError, RequestValidationError } from '../base/errors.ts'
import { isObject, type EntityModel, type Property } from '../model/index.ts'
import { didYouMean, nearest } from '../base/suggest.ts'
import { nameInData, type Data } from './new-row.ts'
import { toBody } from '../resource/index.ts'
import { readData } from '../schema/index.ts'

/**
 * The values by the property names of bodies. They are also read without the body, so that a mistake in them does not
 * look like a mistake of the client.
 *
 * @throws {ConfigError} for a value that its property cannot have; the error's cause, for the log, says which
 */
export function valuesData (values: unknown, model: EntityModel): Data | undefined {
  if (values === undefined) return undefined
  if (!isObject(values)) throw mistake("'values' must be an object of values by property name.")
  const data: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(values)) {
    const property = propertyOf(name, model)
    // the body must not replace a value that the application forgot to set
    if (value === undefined) throw mistake(`'${name}' is undefined: leave it out, or set it to null.`)
    data[nameInData(property)] = toBody(property, value)
  }
  try {
    readData(data, model, { by: 'server' })
  } catch (error) {
    throw error instanceof RequestValidationError ? mistake(error.message) : error
  }
  return data
}

function propertyOf (name: string, model: EntityModel): Property {
  const property = model.properties.get(name)
  const all = [...model.properties.values()]
  if (property === undefined) {
    const meant = all.find(({ publicName }) => publicName === name)?.name ?? nearest(name, all.map(({ name }) => name))
    throw mistake(didYouMean(`${model.name} has no property '${name}'`, meant))
  }
  if (!property.write.persisted) throw mistake(`'${name}' of ${model.name} has no column that takes values.`)
  if (property === model.version) throw mistake(`'${name}' of ${model.name} is the version, which counts by itself.`)
  return property
}

/** The details are for the log, since clients cannot correct the values. */
function mistake (detail: string): ConfigError {
  return new ConfigError('The server has set values that cannot be written.', {
    cause: new ConfigError(`values: ${detail}`),
  })
}
