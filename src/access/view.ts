/**
 * Derives a role's model of an entity. A property that does not exist for the role is hidden in it. The planner, the
 * reader of bodies and the schemas therefore treat it like a property that the entity itself hides.
 */
import { ConfigError } from '../errors.ts'
import {
  columnsOf,
  type EntityModel,
  type PrimaryKeyPart,
  type Property,
  type RelationProperty,
  type ScalarProperty,
  type WriteRules,
} from '../model/index.ts'
import type { Rule } from './rule.ts'

/** The members of a role that its views need. */
export interface Viewer {
  readonly name: string
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
 * @throws {ConfigError} if the primary key contains a relation to an entity that the role may not use
 */
export function viewOf (model: EntityModel, role: Viewer): EntityModel {
  const rule = role.ruleOf(model.name)!
  const hidden = hiddenProperties(model, rule, role)
  const views = new Map<Property, Property>()
  for (const property of model.properties.values()) {
    views.set(property, propertyView(property, hidden.has(property), rule, role))
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
 * and properties on the columns of such a property.
 */
function hiddenProperties (model: EntityModel, rule: Rule, role: Viewer): ReadonlySet<Property> {
  const all = [...model.properties.values()]
  const gone = all.filter((property) =>
    rule.hides(property.name) ||
    (property.kind === 'relation' && role.ruleOf(property.target.name) === undefined)
  )
  const columns = new Set(gone.filter(isStored).map((property) => columnsOf(property).join()))
  return new Set(
    all.filter((property) => gone.includes(property) || (isStored(property) && columns.has(columnsOf(property).join())))
  )
}

const isStored = (property: Property): boolean =>
  columnsOf(property).length > 0 && !(property.kind === 'scalar' && property.formula !== undefined)

function propertyView (property: Property, hidden: boolean, rule: Rule, role: Viewer): Property {
  const write = writeView(property.write, hidden ? HIDDEN : rule.freezes(property.name) ? FROZEN : undefined)
  const changes = { write, hidden: property.hidden || hidden }
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
  const rule = role.ruleOf(target.name)
  if (rule === undefined || order.length === 0) return order
  const gone = new Set([...hiddenProperties(target, rule, role)].flatMap(columnsOf))
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
    throw new ConfigError(
      `access: the role '${role.name}' may use ${name}, whose primary key contains '${property.name}', ` +
        `but not ${target}: give it a rule for ${target}, too.`
    )
  }
  return Object.freeze({ property: view, columns })
}
