/** Resolves the dotted paths of property names in whitelists. */
import { ConfigError } from '../base/errors.ts'
import { didYouMean, nearest } from '../base/suggest.ts'
import {
  columnsOf, type EmbeddedProperty, type EntityModel, type Property, type RelationProperty, type ScalarProperty,
} from './entity-model.ts'

/** A resolved path: the relations that it follows, the embedded properties after them, and the property at its end. */
export interface Path {
  readonly relations: readonly RelationProperty[]
  readonly embedded: readonly EmbeddedProperty[]
  readonly property: Property
  /** Present if the property is a JSON column and the path continues inside it. */
  readonly json?: JsonPath
}

/** A place inside a JSON column. */
export interface JsonPath {
  /** The keys in the column. */
  readonly keys: readonly string[]
  /** The names in URLs. */
  readonly names: readonly string[]
  /** The property at this place, if the column holds an embedded object. */
  readonly member?: ScalarProperty
}

/**
 * Looks up a path such as `author.name`.
 *
 * @param what name of the whitelist entry for messages, such as "AllowedSort 'author.nmae'"
 * @throws {ConfigError} when a name does not exist, with the nearest one as a suggestion, or when it is hidden
 */
export function resolvePath (model: EntityModel, path: string, what: string): Path {
  const relations: RelationProperty[] = []
  const embedded: EmbeddedProperty[] = []
  const names = path.split('.')
  let owner = model.name
  let { properties, polymorphic } = model
  for (const [index, name] of names.entries()) {
    const property = properties.get(name)
    if (property?.hidden) throw hiddenError(property, owner, what)
    if (property === undefined) {
      if (polymorphic.has(name)) throw new ConfigError(`${what}: ${polymorphicRefusal(name, owner)}`)
      const exposed = exposedOf(properties)
      const rest = names.slice(index).join('.')
      if (exposed.some((property) => property.name === rest)) {
        throw new ConfigError(
          `${what}: in a whitelist, a point follows a relation or an object, so the property '${rest}' of ${owner} ` +
            'cannot be named. Give it a name without a point; fieldName may keep the name of its column.'
        )
      }
      const suggestion = meantName(name, exposed)
      const near = suggestion && [...names.slice(0, index), suggestion, ...names.slice(index + 1)].join('.')
      const sentence = `${what}: ${owner} has no property '${name}' that can be exposed`
      throw new ConfigError(didYouMean(sentence, near, `It has: ${namesOf(exposed)}.`))
    }
    if (index === names.length - 1) return { relations, embedded, property }
    if (property.kind === 'scalar') {
      const rest = names.slice(index + 1)
      if (property.type.kind === 'json') {
        return { relations, embedded, property, json: resolveJson(property, rest, what) }
      }
      throw new ConfigError(`${what}: '${name}' of ${owner} is not a relation, so '${rest.join('.')}' can't follow it.`)
    }
    if (property.kind === 'embedded') {
      embedded.push(property)
      properties = property.properties
      polymorphic = NO_NAMES
      owner = `${owner}.${name}`
    } else {
      ;({ properties, polymorphic, name: owner } = property.target)
      relations.push(property)
    }
  }
  throw new ConfigError(`${what}: the path is empty.`)
}

const NO_NAMES: ReadonlySet<string> = new Set()

/** Says that a relation is polymorphic, and what to declare instead. */
export const polymorphicRefusal = (name: string, owner: string): string =>
  `'${name}' of ${owner} is polymorphic: a column tells which of several tables it leads to or comes from, so ` +
  `requests cannot use it. Declare a relation between ${owner} and each of the tables instead.`

const hiddenError = ({ name }: Property, owner: string, what: string): ConfigError =>
  new ConfigError(
    `${what}: '${name}' of ${owner} is hidden, so clients cannot name it. ` +
      "Remove 'hidden' from the property to expose it."
  )

const exposedOf = (properties: ReadonlyMap<string, Property>): readonly Property[] =>
  [...properties.values()].filter(({ hidden }) => !hidden)

const namesOf = (properties: readonly Property[]): string => properties.map(({ name }) => name).join(', ')

/** The property that was probably meant by a name: it has this public name or column, or its name is similar. */
export function meantName (name: string, properties: Iterable<Property>): string | undefined {
  const all = [...properties]
  return all.find((property) => property.publicName === name || columnsOf(property).includes(name))?.name ??
    nearest(name, all.map((property) => property.name))
}

/**
 * Resolves a path into a JSON column. If the column holds an embedded object, the names are its properties. Otherwise
 * any keys are allowed.
 */
function resolveJson (column: ScalarProperty, path: readonly string[], what: string): JsonPath {
  if (column.embedded === undefined) return { keys: path, names: path }
  const keys: string[] = []
  const names: string[] = []
  let owner: Property = column
  for (const name of path) {
    const properties: ReadonlyMap<string, Property> | undefined = owner.kind === 'embedded'
      ? owner.properties
      : owner.kind === 'scalar'
        ? owner.embedded?.properties
        : undefined
    const list = owner.kind === 'scalar' && owner.embedded?.list === true
    if (properties === undefined || list) {
      throw new ConfigError(
        `${what}: '${owner.name}' is ${list ? 'a list' : 'not an object'}, so '${name}' can't follow it.`
      )
    }
    const member = properties.get(name)
    if (member?.hidden) throw hiddenError(member, owner.name, what)
    if (member === undefined) {
      const exposed = exposedOf(properties)
      const sentence = `${what}: ${owner.name} has no property '${name}' that can be exposed`
      throw new ConfigError(didYouMean(sentence, meantName(name, exposed), `It has: ${namesOf(exposed)}.`))
    }
    keys.push(member.kind === 'relation' ? member.name : member.column)
    names.push(member.publicName)
    owner = member
  }
  if (owner.kind !== 'scalar' || owner.embedded !== undefined) {
    throw new ConfigError(`${what}: '${owner.name}' is an object; name one of its properties.`)
  }
  return { keys, names, member: owner }
}

/**
 * Whether a name that need not be a path, such as that of a custom filter, is one that leads to a hidden property. Such
 * a name would disclose that the property exists.
 */
export function leadsToHidden (model: EntityModel, name: string): boolean {
  let { properties }: Pick<EntityModel, 'properties'> = model
  for (const part of name.split('.')) {
    const property = properties.get(part)
    if (property === undefined || property.hidden) return property !== undefined
    properties = propertiesBehind(property)
  }
  return false
}

function propertiesBehind (property: Property): EntityModel['properties'] {
  switch (property.kind) {
    case 'relation':
      return property.target.properties
    case 'embedded':
      return property.properties
    case 'scalar':
      return property.embedded?.properties ?? NO_PROPERTIES
  }
}

const NO_PROPERTIES: EntityModel['properties'] = new Map()

/** The path in URLs: the public names. */
export function publicPath ({ relations, embedded, property, json }: Path): string {
  return [...[...relations, ...embedded, property].map((property) => property.publicName), ...(json?.names ?? [])].join(
    '.'
  )
}
