/** The roles of a resource, and what each may do with it. */
import type { MikroORM } from '@mikro-orm/postgresql'
import type { Access, Role, Rule } from '../../access/index.ts'
import { factsOf } from '../../config/index.ts'
import { isOwnMethod } from '../../crud/index.ts'
import { ConfigError } from '../../base/errors.ts'
import { columnsOf, tellsClass, type EntityModel, type Property } from '../../model/index.ts'
import type { UpsertKey } from '../../plan/index.ts'
import type { Resource } from '../../resource/index.ts'
import type { CrudOperation, CrudRoutesOptions } from '../route-options.ts'
import { checkChildrenFilled, checkFilled, waysToOpen, waysWithoutKey } from './operations.ts'
import type { RoutedResource } from './routed-resource.ts'

/** A resource as a role knows it. */
export interface RoleResource extends RoutedResource {
  readonly role: Role
  /** Whether the role may use only some rows, whose values new records get. */
  readonly limited: boolean
}

/**
 * The resource of some routes for each role that may use its entity.
 *
 * @throws {ConfigError} if a role may create records, but cannot give them a required property, and for a key of
 *   upserts that no role can give
 */
export function roleResources (
  orm: MikroORM,
  { what, name, bound, operations }: RoutedResource,
  options: CrudRoutesOptions,
  { roles, options: rules }: Access
): readonly RoleResource[] {
  const { crud, scope } = options
  crud.takeAccess(rules)
  const resources: RoleResource[] = []
  for (const role of roles.values()) {
    const rule = role.ruleOf(bound.model.name)
    if (rule === undefined) continue
    const own = role.unlimited ? bound : crud.bind(orm.em, role)
    own.addName(name)
    const allowed = operations.filter((operation) => rule.allows(operation))
    const subject = `${what}: access: the role '${role.name}'`
    // a scope may fill in properties
    if (scope === undefined) {
      const ways = (property: Property): readonly string[] => waysToFill(property, bound, role)
      checkFilled(subject, allowed, own, crud, { fills: filledBy(rule, own.model), waysToFill: ways })
    }
    checkChildrenFilled(subject, allowed, own, (child) => {
      const ruleOfChild = role.ruleOf(child.name)
      return ruleOfChild?.allows('create') === true ? filledBy(ruleOfChild, child) : () => true
    })
    resources.push({ what, name, bound: own, operations: allowed, role, limited: rule.rows !== undefined })
  }
  if (scope === undefined) checkKeysGiven(what, bound, crud, resources)
  return resources
}

/** Tells which properties of new records the rows of a rule fill in. Those of a request may fill in each. */
function filledBy (rule: Rule, model: EntityModel): (property: Property) => boolean {
  if (typeof rule.rows === 'function') return () => true
  const filled: ReadonlyMap<Property, unknown> = rule.requiredBy(model)
  return (property) => filled.has(property)
}

/** Checks that bodies of some role can give each key of upserts, unless a method of the application may fill it in. */
function checkKeysGiven (
  what: string,
  bound: Resource,
  crud: CrudRoutesOptions['crud'],
  resources: readonly RoleResource[]
): void {
  const byKey = (operation: CrudOperation): boolean => factsOf(operation).query === 'key'
  const upserting = resources.filter(({ operations }) =>
    operations.some((operation) => byKey(operation) && !isOwnMethod(crud, operation))
  )
  const [first] = upserting
  if (first === undefined) return
  const rest = waysWithoutKey(first.operations.find(byKey)!)
  const { model: { name: entity, properties } } = bound
  for (const key of bound.upsertKeys) {
    if (upserting.some((resource) => closedPart(key, resource) === undefined)) continue
    const { role } = first
    const part = closedPart(key, first)!
    const mayBeFilled = !part.hidden && properties.get(part.name)!.write.writable
    const ways = mayBeFilled ? waysToFill(part, bound, role) : waysToSet(part, bound, role)
    const names = key.properties.map(({ name }) => `'${name}'`).join(', ')
    const lack = part.hidden ? 'does not see' : 'may not set'
    throw new ConfigError(
      `${what}: access: "upsertKeys" names ${names}, which no role can give, so that no upsert by this key could ` +
        `create a record. The role '${role.name}' ${lack} ${entity}.${part.name}: ` +
        `${[...ways, rest].join(', ')}.`
    )
  }
}

/** The part of a key that new records of a role certainly lack. The rows of a request may fill in what it sees. */
function closedPart (
  { properties }: UpsertKey,
  { bound: { model, writable }, role }: RoleResource
): Property | undefined {
  const isFilled = filledBy(role.ruleOf(model.name)!, model)
  const isGiven = (part: Property): boolean =>
    tellsClass(part, model) || isFilled(part) || writable.create!.properties.has(part)
  const parts = properties.map(({ name }) => model.properties.get(name)!)
  // a relation may give a column that it shares with another part
  const given = new Set(parts.filter(isGiven).flatMap(columnsOf))
  return parts.find((part) => part.hidden || columnsOf(part).some((column) => !given.has(column)))
}

/** The changes that would give a value to a property of new records, for messages. */
function waysToFill (property: Property, bound: Resource, role: Role): readonly string[] {
  const { name } = property
  const isColumn = property.kind === 'relation' ? property.key.length === 1 : property.kind === 'scalar'
  const byRows = `fill it with an equality in 'rows', as in rows: { ${name}: ... }`
  return [...waysToSet(property, bound, role), ...isColumn ? [byRows] : []]
}

/** The change that would let bodies of a role set a property, for messages. */
function waysToSet ({ name }: Property, { model, writable }: Resource, role: Role): readonly string[] {
  const property = model.properties.get(name)!
  const opened = writable.create!.properties.has(property) ? [] : waysToOpen(property)
  const changes = [...opened, ...property.write.writable ? changesOfRule(property, model, role) : []]
  return changes.length === 0 ? [] : [changes.join(' and ')]
}

/** The change to a role's rules that would let its bodies set a property, for messages. */
function changesOfRule (property: Property, model: EntityModel, role: Role): readonly string[] {
  const { name } = property
  const rule = role.ruleOf(model.name)!
  if (property.kind === 'relation' && role.ruleOf(property.target.name) === undefined) {
    return [`give the role a rule for ${property.target.name}`]
  }
  if (rule.hides(name)) return [rule.namesHidden(name) ? "take it out of 'hidden'" : "add it to 'only'"]
  if (role.links.hides(model, property)) return ['show the role the other side of the relation']
  if (rule.freezes(name)) return ["take it out of 'readonly'"]
  return role.links.freezes(model, property) ? ['let the role set the other side of the relation'] : []
}
