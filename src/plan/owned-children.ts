/**
 * The children that bodies write together with their parent, which the lists of the option `writable` name. A body of a
 * new record has a list of new children. A body of an update has an object with lists: `add`, `update` and `remove`.
 */
import { ConfigError } from '../base/errors.ts'
import { escapedName } from '../base/error-list.ts'
import { didYouMean } from '../base/suggest.ts'
import type { ChildrenConfig, WritableConfig } from '../config/index.ts'
import {
  columnsOf, meantName, owningSide, polymorphicRefusal, type EntityModel, type KeyPart, type Property,
  type RelationProperty,
} from '../model/index.ts'
import type { BodyRules, OwnedChildren, Writable } from './body-rules.ts'

/** Whether a hook of the parent's class, or rows of a role, may fill in properties of new children. */
export type FillsChildren = (kind: 'create' | 'update', child: EntityModel) => boolean

/** Looks up the lists of a child. `what` is the subject of errors. */
type ResolveLists = (what: string, config: WritableConfig, model: EntityModel) => Writable

/**
 * Looks up the children that a list names, by their public names.
 *
 * @throws {ConfigError} for a relation whose records are not owned, and for properties that children do not have
 */
export function resolveChildren (
  config: ChildrenConfig | undefined,
  model: EntityModel,
  isNew: boolean,
  fills: FillsChildren,
  resolve: ResolveLists
): ReadonlyMap<string, OwnedChildren> {
  if (config === undefined) return NONE
  return new Map([...config].map(([name, lists]) => {
    const relation = relationOf(name, model)
    const parent = checkOwned(relation, model)
    const what = `"writable" of ${model.name}: '${name}'`
    refuseParent(what, lists, parent, relation)
    const { create, update } = resolve(what, lists, relation.target)
    return [
      relation.publicName,
      Object.freeze({
        relation,
        pointer: `/${escapedName(relation.publicName)}`,
        parent,
        isNew,
        config: lists,
        create: create && ofChild(create, parent),
        update: isNew ? undefined : update && ofChild(update, parent),
        key: isNew ? [] : keyInParent(what, relation, parent),
        complete: !fills(isNew ? 'create' : 'update', relation.target),
      }),
    ]
  }))
}

const NONE: ReadonlyMap<string, OwnedChildren> = new Map()

function relationOf (name: string, model: EntityModel): RelationProperty {
  const property = model.properties.get(name)
  if (property?.kind === 'relation') return property
  if (model.polymorphic.has(name)) {
    throw new ConfigError(`"writable" of ${model.name}: ${polymorphicRefusal(name, model.name)}`)
  }
  const relations = [...model.properties.values()].filter((property): property is RelationProperty =>
    property.kind === 'relation' && owningSide(property) !== undefined
  )
  if (property !== undefined) {
    throw new ConfigError(
      `"writable" of ${model.name} has a list for '${name}', which is not a relation. Name it as '${name}' alone.`
    )
  }
  const near = meantName(name, relations)
  const choice = relations.length === 0
    ? `No relation of ${model.name} has owned children.`
    : `Relations with owned children: ${relations.map(({ name }) => name).join(', ')}.`
  throw new ConfigError(
    didYouMean(`"writable" of ${model.name} has a list for '${name}', which is not a property of it`, near, choice)
  )
}

/** @throws {ConfigError} unless each related record belongs to one parent for good */
function checkOwned (relation: RelationProperty, { name, primaryKey }: EntityModel): RelationProperty {
  const { target, many, join } = relation
  const refuse = (reason: string): ConfigError =>
    new ConfigError(
      `"writable" of ${name} has a list for '${relation.name}', whose records it does not own: ${reason}.`
    )
  if (!many) throw refuse(`it is a to-one relation, which bodies set by key: name it as '${relation.name}' alone`)
  if (join.kind === 'pivot') {
    throw refuse(`it is a many-to-many relation, which bodies set by ids: name it as '${relation.name}' alone`)
  }
  const parent = owningSide(relation)
  if (parent === undefined) {
    throw refuse(`${target.name} can do without one, because the relation to ${name} is nullable`)
  }
  if (relation.hidden) {
    throw new ConfigError(`"writable" of ${name} has a list for '${relation.name}', which is hidden.`)
  }
  if (relation.where !== undefined) {
    throw refuse("it has a 'where', so that a child could be added that the relation does not show")
  }
  if (target.readOnly !== undefined) throw refuse(`${target.name} is read-only, because ${target.readOnly}`)
  if (target.abstract) throw refuse(`${target.name} is abstract`)
  const key = primaryKey.flatMap(({ columns }) => columns.map(({ column }) => column))
  if (join.columns.length !== key.length || !join.columns.every((column) => key.includes(column))) {
    throw refuse(`${target.name} refers to other columns than the primary key of ${name}`)
  }
  return parent
}

/** Refuses the relation to the parent in a list: the parent is the record of the path, or the new one. */
function refuseParent (
  what: string,
  lists: WritableConfig,
  { name }: RelationProperty,
  { target }: RelationProperty
): void {
  for (const list of [lists.create, lists.update]) {
    if (Array.isArray(list) && list.includes(name)) {
      throw new ConfigError(
        `${what} names '${name}' of ${target.name}, which is the record that the body is about. Leave it out.`
      )
    }
  }
}

/** The rules without the relation to the parent, which every child gets. */
function ofChild (rules: BodyRules, parent: RelationProperty): BodyRules {
  const isOther = (property: unknown): boolean => property !== parent
  const named = rules.byName.get(parent.publicName)
  return Object.freeze({
    ...rules,
    byName: named?.writable
      ? new Map([...rules.byName, [parent.publicName, { ...named, writable: false }]])
      : rules.byName,
    properties: new Set([...rules.properties].filter(isOther)),
    required: rules.required.filter(({ property }) => isOther(property)),
    unfilled: rules.unfilled.filter((property) => isOther(property) && !isGiven(property, parent)),
  })
}

/** Whether a property has only columns of the key of the parent. */
const isGiven = (property: Property, { key }: RelationProperty): boolean => {
  const columns = columnsOf(property)
  return columns.length > 0 && columns.every((column) => key.some((part) => part.column === column))
}

/** The parts of a child's key without those that are its parent's. A hidden key is replaced by the `uuid`. */
function keyInParent (
  what: string,
  { target }: RelationProperty,
  parent: RelationProperty
): readonly KeyPart[] {
  const { uuid, primaryKey } = target
  if (primaryKey.some(({ property }) => property.hidden)) {
    if (uuid === undefined || uuid.hidden) {
      throw new ConfigError(`${what}: an update names children by their key, and the key of ${target.name} is hidden.`)
    }
    return [{ ...uuid, verbatim: true }]
  }
  const given = new Set(parent.key.map(({ column }) => column))
  const parts = primaryKey.flatMap(({ property, columns }) =>
    columns.filter(({ column }) => !given.has(column)).map((column) => ({ ...column, publicName: property.publicName }))
  )
  const names = new Set(parts.map(({ publicName }) => publicName))
  if (names.size < parts.length) {
    throw new ConfigError(`${what}: a part of the key of ${target.name} is a relation with a composite key.`)
  }
  return parts
}
