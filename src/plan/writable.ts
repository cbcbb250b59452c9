/** Looks up the names of the option `writable`, once for each resource and operation. They say what bodies may set. */
import {
  factsOf, takesBodies, type BodyKind, type BodyName, type CrudOperation, type WritableConfig,
} from '../config/index.ts'
import { ConfigMistakes } from '../base/config-mistakes.ts'
import { ConfigError } from '../base/errors.ts'
import { escapedName } from '../base/error-list.ts'
import { madeOnce } from '../base/made-once.ts'
import {
  listsHidden, meantName, owningSide, polymorphicRefusal, wireTypeOf, type EntityModel, type Property,
} from '../model/index.ts'
import { didYouMean } from '../base/suggest.ts'
import type { BodyRules, Named, Writable } from './body-rules.ts'
import { resolveChildren, type FillsChildren } from './owned-children.ts'

const isBound = (property: Property): boolean =>
  property.kind === 'scalar' && property.codec === undefined && property.embedded === undefined &&
  property.hydrate === undefined && wireTypeOf(property.type).bound === true

/**
 * Looks up the names of the option.
 *
 * @param fills whether something fills in properties of new children
 * @param upserts whether the resource has keys for upserts
 * @throws {ConfigError} for a name that the entity does not have, and for a property that clients never write
 */
export function resolveWritable (
  config: WritableConfig | undefined,
  model: EntityModel,
  fills: FillsChildren,
  upserts: boolean
): Writable {
  const writable = resolveLists(`"writable" of ${model.name}`, config, model, fills)
  const { create, update } = writable
  if (!upserts || create === undefined || update === undefined) return writable
  const upsert = bodyRulesOf(new Set([...create.properties, ...update.properties]), [], NO_CHILDREN, model)
  return Object.freeze({
    ...writable,
    create: beside(create, update, 'in a record that exists'),
    update: beside(update, create, 'in a new record'),
    upsert,
  })
}

/** Rules that know what the bodies of other records may set. */
const beside = (rules: BodyRules, { properties }: BodyRules, where: string): BodyRules =>
  Object.freeze({ ...rules, elsewhere: { properties, where } })

export const NO_CHILDREN: BodyRules['children'] = new Map()

/** @param what the subject of errors */
function resolveLists (
  what: string,
  config: WritableConfig | undefined,
  model: EntityModel,
  fills: FillsChildren
): Writable {
  const rules = (kind: BodyKind): BodyRules | undefined => {
    const names = config?.[kind]
    if (names === undefined) return undefined
    const isNew = kind === 'create'
    const all = [...model.properties.values()]
    const allOf = config?.create === config?.update ? "writable: 'all'" : `writable: { ${kind}: 'all' }`
    const children = resolveChildren(
      config?.children?.[kind],
      model,
      isNew,
      fills,
      (what, lists, child) => resolveLists(what, lists, child, fills)
    )
    const mistakes = new ConfigMistakes()
    const properties = names === 'all'
      ? all.filter((property) => property.write.writable && (isNew || !listsHidden(property)))
      : mistakes.lookUp(names, (name) => writableProperty(name, model, isNew, what, allOf))
    mistakes.throw()
    const required = isNew ? all.filter(({ write }) => !write.optional) : []
    return bodyRulesOf(new Set(properties), required, children, model)
  }
  return Object.freeze({ declared: config !== undefined, create: rules('create'), update: rules('update') })
}

/** @param required the properties that a new record must have */
function bodyRulesOf (
  properties: ReadonlySet<Property>,
  required: readonly Property[],
  children: BodyRules['children'],
  model: EntityModel
): BodyRules {
  const named = (property: Property): Named => namedProperty(property, property.publicName, properties.has(property))
  const shown = [...model.properties.values()].filter(({ hidden }) => !hidden)
  return Object.freeze({
    byName: new Map(shown.map((property) => [property.publicName, named(property)])),
    properties,
    readonly: shown.filter((property) => !properties.has(property)).map(({ publicName }) => publicName)
      .filter((name) => !children.has(name)),
    required: required.filter((property) => properties.has(property)).map(named),
    unfilled: required.filter((property) => !properties.has(property)),
    children,
  })
}

const namedProperty = (property: Property, name: string, writable: boolean): Named => ({
  property,
  pointer: `/${escapedName(name)}`,
  writable,
  bound: isBound(property),
})

/** @param allOf how the option is written to allow all properties, for messages */
function writableProperty (name: string, model: EntityModel, isNew: boolean, what: string, allOf: string): Property {
  const property = model.properties.get(name)
  if (property !== undefined && !isNew && property.write.writable && listsHidden(property)) {
    throw new ConfigError(
      `${what} names '${name}', which clients can't change: it has a list of objects with hidden ` +
        'members, and a new list would lose them. Name it for new records only, as in ' +
        `writable: { create: [..., '${name}'], update: [...] }.`
    )
  }
  if (property?.write.writable === true) return property
  if (property !== undefined) {
    const owned = property.kind === 'relation' && owningSide(property) !== undefined
      ? ` To write its records with their parent, list what may be set of them: { ${name}: [...] }.`
      : ''
    throw new ConfigError(`${what} names '${name}', which clients never write: ${property.write.closed!}.${owned}`)
  }
  if (model.polymorphic.has(name)) throw new ConfigError(`${what}: ${polymorphicRefusal(name, model.name)}`)
  const sentence = `${what} names '${name}', which is not a property of ${
    what.endsWith(model.name) ? 'it' : model.name
  }`
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
  const choice = `Writable properties: ${writable.map((property) => property.name).join(', ')}.`
  return didYouMean(sentence, meantName(name, writable), choice)
}

/**
 * The rules for what the bodies of an operation may set, of one kind. `undefined` if `writable` does not allow it.
 *
 * @param kind default: that of the schema of its bodies
 */
export function rulesOfBody (
  writable: Writable,
  operation: CrudOperation,
  kind: BodyName | undefined = factsOf(operation).body
): BodyRules | undefined {
  const rules = kind && writable[kind]
  if (rules === undefined || rules.children.size === 0 || factsOf(operation).takesChildren) return rules
  return withoutChildren(rules)
}

const withoutChildren = madeOnce((rules: BodyRules): BodyRules => Object.freeze({ ...rules, children: NO_CHILDREN }))

/** The rules for the bodies that some operations take: of new records, and of changes. */
export function rulesInUse (writable: Writable, operations: readonly CrudOperation[]): readonly BodyRules[] {
  return (['create', 'update'] as const).flatMap((kind) => takesBodies(operations, kind) ? writable[kind] ?? [] : [])
}

/** The properties by the names that data of the application may use: property names and public names. */
export const namesForServer = madeOnce(({ properties }: EntityModel): ReadonlyMap<string, Named> => {
  const all = [...properties.values()]
  const entryBy = (name: 'name' | 'publicName') => (property: Property) =>
    [property[name], namedProperty(property, property[name], property.write.persisted)] as const
  return new Map([...all.map(entryBy('name')), ...all.filter(({ hidden }) => !hidden).map(entryBy('publicName'))])
})
