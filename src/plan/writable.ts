/** Looks up the names of the option `writable`, once for each resource and operation. They say what bodies may set. */
import type { WritableConfig } from '../config/index.ts'
import { ConfigError } from '../base/errors.ts'
import { escapedName } from '../base/error-list.ts'
import { listsHidden, wireTypeOf, type EntityModel, type Property } from '../model/index.ts'
import { didYouMean, nearest } from '../base/suggest.ts'

/** A property by one of the names that data uses for it. */
export interface Named {
  readonly property: Property
  /** The name as a JSON pointer. */
  readonly pointer: string
  readonly writable: boolean
  /** Whether a valid value is bound unchanged. */
  readonly bound: boolean
}

const isBound = (property: Property): boolean =>
  property.kind === 'scalar' && property.codec === undefined && property.embedded === undefined &&
  property.hydrate === undefined && wireTypeOf(property.type).bound === true

/** The rules for the bodies of one operation. */
export interface BodyRules {
  /** All properties that records show, by public name. `writable` says whether bodies may set them. */
  readonly byName: ReadonlyMap<string, Named>
  /** The properties that bodies may set. */
  readonly properties: ReadonlySet<Property>
  /** The public names of properties that records show and bodies may not set. */
  readonly readonly: readonly string[]
  /** The properties that the body of a new record must set. */
  readonly required: readonly Named[]
  /** The properties that a new record must have and that bodies may not set. */
  readonly unfilled: readonly Property[]
}

/** The rules of a resource. An operation without rules accepts no properties. */
export interface Writable {
  /** Whether the option was given. */
  readonly declared: boolean
  readonly create?: BodyRules
  readonly update?: BodyRules
}

/**
 * Looks up the names of the option.
 *
 * @throws {ConfigError} for a name that the entity does not have, and for a property that clients never write
 */
export function resolveWritable (config: WritableConfig | undefined, model: EntityModel): Writable {
  const all = (operation: string): string =>
    config?.create === config?.update ? "writable: 'all'" : `writable: { ${operation}: 'all' }`
  return Object.freeze({
    declared: config !== undefined,
    create: config?.create && rulesOf(config.create, model, true, all('create')),
    update: config?.update && rulesOf(config.update, model, false, all('update')),
  })
}

/** @param allOf how the option is written to allow all properties for this operation, for messages */
function rulesOf (names: 'all' | readonly string[], model: EntityModel, isNew: boolean, allOf: string): BodyRules {
  const all = [...model.properties.values()]
  const properties = new Set(
    names === 'all'
      ? all.filter((property) => property.write.writable && (isNew || !listsHidden(property)))
      : names.map((name) => propertyOf(name, model, isNew, allOf))
  )
  const named = (property: Property): Named => ({
    property,
    pointer: `/${escapedName(property.publicName)}`,
    writable: properties.has(property),
    bound: isBound(property),
  })
  const shown = all.filter(({ hidden }) => !hidden)
  const required = isNew ? all.filter(({ write }) => !write.optional) : []
  return Object.freeze({
    byName: new Map(shown.map((property) => [property.publicName, named(property)])),
    properties,
    readonly: shown.filter((property) => !properties.has(property)).map(({ publicName }) => publicName),
    required: required.filter((property) => properties.has(property)).map(named),
    unfilled: required.filter((property) => !properties.has(property)),
  })
}

function propertyOf (name: string, model: EntityModel, isNew: boolean, allOf: string): Property {
  const property = model.properties.get(name)
  if (property !== undefined && !isNew && property.write.writable && listsHidden(property)) {
    throw new ConfigError(
      `"writable" of ${model.name} names '${name}', which clients can't change: it has a list of objects with hidden ` +
        'members, and a new list would lose them. Name it for new records only, as in ' +
        `writable: { create: [..., '${name}'], update: [...] }.`
    )
  }
  if (property?.write.writable === true) return property
  if (property !== undefined) {
    throw new ConfigError(
      `"writable" of ${model.name} names '${name}', which clients never write: ${property.write.closed!}.`
    )
  }
  const sentence = `"writable" of ${model.name} names '${name}', which is not a property of it`
  throw new ConfigError(withHint(sentence, name, model, allOf))
}

/** The words with which other libraries name all properties. */
const ALL_NAMES: ReadonlySet<string> = new Set(['*', 'all', 'ALL'])

/** Adds to the sentence about an unknown name what to write instead. */
function withHint (sentence: string, name: string, { properties }: EntityModel, allOf: string): string {
  if (ALL_NAMES.has(name)) return `${sentence}. Did you mean ${allOf}?`
  const [first = '', ...rest] = name.split('.')
  const owner = properties.get(first)
  if (rest.length > 0 && owner?.write.writable === true) {
    if (owner.kind === 'relation') return `${sentence}: bodies set the relation '${first}' by key. Name '${first}'.`
    if (owner.kind === 'embedded' || owner.embedded !== undefined) {
      return `${sentence}: bodies set the object '${first}' as a whole. Name '${first}'.`
    }
  }
  const writable = [...properties.values()].filter(({ write }) => write.writable)
  const meant = writable.find(({ publicName }) => publicName === name) ??
    writable.find((property) => property.name === nearest(name, writable.map(({ name }) => name)))
  const choice = `Writable properties: ${writable.map((property) => property.name).join(', ')}.`
  return didYouMean(sentence, meant?.name, choice)
}

const serverNames = new WeakMap<EntityModel, ReadonlyMap<string, Named>>()

/** The properties by the names that data of the application may use: property names and public names. */
export function namesForServer (model: EntityModel): ReadonlyMap<string, Named> {
  let names = serverNames.get(model)
  if (names === undefined) {
    const all = [...model.properties.values()]
    const named = (name: 'name' | 'publicName') => (property: Property) =>
      [property[name], {
        property,
        pointer: `/${escapedName(property[name])}`,
        writable: property.write.persisted,
        bound: isBound(property),
      }] as const
    names = new Map([...all.map(named('name')), ...all.filter(({ hidden }) => !hidden).map(named('publicName'))])
    serverNames.set(model, names)
  }
  return names
}
