/** The selection of the values that a write replaces, for after hooks. */
import { ConfigError } from '../base/errors.ts'
import { didYouMean, nearest } from '../base/suggest.ts'
import { columnsOf, type EntityModel, type Property } from '../model/index.ts'
import type { Selection } from './plan-types.ts'

/**
 * @param what the subject of messages
 * @param names of properties, hidden ones too
 * @throws {ConfigError} for a name that is not that of a property with columns
 */
export function planPrevious (what: string, names: readonly string[], model: EntityModel): Selection {
  const known = [...model.properties.values()].filter(hasColumns)
  const properties = names.map((name) => {
    const property = known.find((property) => property.name === name)
    if (property !== undefined) return property
    const sentence = model.properties.has(name)
      ? `${what}: 'previous' takes properties that have columns, and '${name}' of ${model.name} has none`
      : `${what}: 'previous' takes properties, and ${model.name} has no property '${name}'`
    throw new ConfigError(didYouMean(sentence, nearest(name, known.map(({ name }) => name))))
  })
  return { model, properties, includes: [], aggregates: [] }
}

/** Whether the row has the value of a property. Formulas and to-many relations are not in it. */
const hasColumns = (property: Property): boolean =>
  property.kind === 'scalar' ? property.formula === undefined : columnsOf(property).length > 0
