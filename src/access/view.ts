/**
 * Derives a role's model of an entity. A property that does not exist for the role is hidden in it. The planner, the
 * reader of bodies and the schemas therefore treat it like a property that the entity itself hides.
 */
import { ConfigError } from '../base/errors.ts'
import {
  columnsOf,
  type EntityModel,
  type PrimaryKeyPart,
  type Property,
  type RelationProperty,
  type ScalarProperty,
  type WriteRules,
} from '../model/index.ts'
import type { Links } from './links.ts'
import type { Rule } from './rule.ts'

/** The members of a role that its views need. */
export interface Viewer {
  readonly name: string
  /** The links between rows that the role may not see or not change. */
  readonly links: Links
  /** The rule for an entity; `undefined` if the role may not use it. */
  ruleOf(entity: string): Rule | undefined
  /** The model of an entity as the role knows it. */
  view(model: EntityModel): EntityModel
}

const HIDDEN = "it is hidden from the role, so clients cannot write it; set it in a hook or with 'values'"
const FROZEN = 'it is read-only for the role'

/**
 * The role's model of an entity that it may use.
 *
 * @throws {ConfigError} if the primary key contains a relation that the role does not see
 */
export function viewOf (model: EntityModel, role: Viewer): EntityModel {
  const hidden = hiddenProperties(model, role)
  const views = new Map<Property, Property>()
  for (const property of model.properties.values()) {
    views.set(property, propertyView(property, closedFor(model, property, hidden, role), role))
  }
  const scalar = (property: ScalarProperty | undefined): ScalarProperty | undefined =>
    property && views.get(property) as ScalarProperty
  const uuid = scalar(model.uuid)
  return Object.freeze({
    ...model,
    properties: new Map([...model.properties].map(([name, property]) => [name, views.get(property)!])),
    primaryKey: Object.freeze(model.primaryKey.map((part) => keyView(part, views, model, role))),
    uuid: uuid?.hidden ? undefined : uuid,
    deletedAt: scalar(model.deletedAt),
    version: scalar(model.version),
  })
}

/**
 * The properties that do not exist for the role: those that its rule hides, relations to entities that it may not use,
 * properties on the columns of such a property, and the other sides of such relations.
 */
function hiddenProperties (model: EntityModel, role: Viewer): ReadonlySet<Property> {
  const rule = role.ruleOf(model.name)
  return new Set(
    [...model.properties.values()].filter((property) =>
      rule?.hides(property.name) === true || role.links.hides(model, property) ||
      (property.kind === 'relation' && role.ruleOf(property.target.name) === undefined)
    )
  )
}

/** The reason why bodies of the role may not set a property; `undefined` if they may. */
function closedFor (
  model: EntityModel,
  property: Property,
  hidden: ReadonlySet<Property>,
  role: Viewer
): string | undefined {
  if (hidden.has(property)) return HIDDEN
  return role.ruleOf(model.name)!.freezes(property.name) || role.links.freezes(model, property) ? FROZEN : undefined
}

function propertyView (property: Property, closed: string | undefined, role: Viewer): Property {
  const write = writeView(property.write, closed)
  const changes = { write, hidden: property.hidden || closed === HIDDEN }
  if (property.kind !== 'relation') return Object.freeze({ ...property, ...changes })
  const { target, order } = property
  const view: RelationProperty = {
    ...property,
    ...changes,
    order: orderView(order, target, role),
    // looked up on first use, because entities may refer to each other in circles
    get target () {
      return role.view(target)
    },
  }
  return Object.freeze(view)
}

/** Write rules that are closed for clients for a reason. A reason that the property itself has comes first. */
function writeView (write: WriteRules, reason: string | undefined): WriteRules {
  return reason === undefined || !write.writable ? write : Object.freeze({ ...write, writable: false, closed: reason })
}

/** The order of a collection, without columns that the role does not see: the order would reveal their values. */
function orderView (order: RelationProperty['order'], target: EntityModel, role: Viewer): RelationProperty['order'] {
  if (role.ruleOf(target.name) === undefined || order.length === 0) return order
  const gone = new Set([...hiddenProperties(target, role)].flatMap(columnsOf))
  return order.filter(({ column }) => !gone.has(column))
}

function keyView (
  { property, columns }: PrimaryKeyPart,
  views: ReadonlyMap<Property, Property>,
  { name }: EntityModel,
  role: Viewer
): PrimaryKeyPart {
  const view = views.get(property) as PrimaryKeyPart['property']
  if (view.hidden && !property.hidden) {
    const target = property.kind === 'relation' ? property.target.name : name
    const problem = role.ruleOf(target) === undefined
      ? `but not ${target}: give it a rule for ${target}, too.`
      : `and hides the same columns, or the other side in ${target}: show them, or give it no rule for ${name}.`
    throw new ConfigError(
      `access: the role '${role.name}' may use ${name}, whose primary key contains '${property.name}', ${problem}`
    )
  }
  return Object.freeze({ property: view, columns })
}
