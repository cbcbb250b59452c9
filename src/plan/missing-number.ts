/** Refuses numbers about relations that a whitelist names, but that no record may include. */
import { ConfigError } from '../base/errors.ts'
import { aggregateName, type EntityModel, type Property } from '../model/index.ts'

/**
 * Refuses the name of a number about a relation that records may not include.
 *
 * @param what the entry of the whitelist, for messages
 * @throws {ConfigError} that names the include to allow
 */
export function checkNumber (field: string, model: EntityModel, what: string): void {
  if (model.properties.has(field)) return
  const include = includeNamed(field, model)
  if (include === undefined) return
  throw new ConfigError(
    `${what}: '${field}' is a number about related records, and only numbers that records may include can be named. ` +
      `Add ${include} to allowedIncludes.`
  )
}

/** The include whose number has a name in records. */
function includeNamed (name: string, { properties }: EntityModel): string | undefined {
  for (const relation of properties.values()) {
    if (relation.kind !== 'relation' || relation.hidden) continue
    const isCalled = (fn: string, property?: Property): boolean =>
      name === aggregateName(
        { relations: property === undefined ? [] : [relation], embedded: [], property: property ?? relation },
        fn
      )
    if (isCalled('exists')) return `AllowedInclude.exists('${relation.name}')`
    if (!relation.many) continue
    if (isCalled('count')) return `AllowedInclude.count('${relation.name}')`
    for (const property of relation.target.properties.values()) {
      const fn = property.kind === 'scalar' && !property.hidden && OF_VALUES.find((fn) => isCalled(fn, property))
      if (fn) return `AllowedInclude.${fn}('${relation.name}.${property.name}')`
    }
  }
  return undefined
}

const OF_VALUES = ['sum', 'avg', 'min', 'max'] as const
