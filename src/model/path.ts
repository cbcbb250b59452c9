/** Dotted paths of property names, as whitelists have them, looked up in the model. */
import { ConfigError } from '../errors.ts'
import { nearest } from '../suggest.ts'
import type { EmbeddedProperty, EntityModel, Property, RelationProperty } from './entity-model.ts'

/** A path: the relations it passes, the embedded properties it enters after them, and where it ends. */
export interface Path {
  readonly relations: readonly RelationProperty[]
  readonly embedded: readonly EmbeddedProperty[]
  readonly property: Property
}

/**
 * Looks up a path such as `author.name`.
 *
 * @param what the whitelist entry, for the message: "AllowedSort 'author.nmae'"
 * @throws {ConfigError} when a name doesn't exist or is hidden (one answer for both), with the nearest one
 */
export function resolvePath (model: EntityModel, path: string, what: string): Path {
  const relations: RelationProperty[] = []
  const embedded: EmbeddedProperty[] = []
  const names = path.split('.')
  let owner = model.name
  let properties = model.properties
  for (const [index, name] of names.entries()) {
    const property = properties.get(name)
    if (property === undefined || property.hidden) {
      const exposed = [...properties.values()].filter((property) => !property.hidden).map((property) => property.name)
      const suggestion = nearest(name, exposed)
      throw new ConfigError(`${what}: ${owner} has no property '${name}' that can be exposed. ` +
        (suggestion === undefined ? `It has ${exposed.join(', ')}.` : `Did you mean '${[...names.slice(0, index), suggestion, ...names.slice(index + 1)].join('.')}'?`))
    }
    if (index === names.length - 1) return { relations, embedded, property }
    if (property.kind === 'scalar') throw new ConfigError(`${what}: '${name}' of ${owner} is not a relation, so '${names.slice(index + 1).join('.')}' can't follow it.`)
    if (property.kind === 'embedded') {
      embedded.push(property)
      properties = property.properties
      owner = `${owner}.${name}`
    } else {
      relations.push(property)
      properties = property.target.properties
      owner = property.target.name
    }
  }
  throw new ConfigError(`${what}: the path is empty.`)
}

/** The path as URLs write it: every name by its public name. */
export function publicPath ({ relations, embedded, property }: Path): string {
  return [...relations, ...embedded, property].map((property) => property.publicName).join('.')
}
