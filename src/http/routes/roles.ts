/** The roles of a resource: what each may do with it, and which resource its requests get. */
import type { EntityManager, MikroORM } from '@mikro-orm/postgresql'
import type { FastifyRequest } from 'fastify'
import type { Access, Actor, Role, Rule } from '../../access/index.ts'
import { factsOf, meantBy } from '../../config/index.ts'
import { isOwnMethod } from '../../crud/index.ts'
import { ConfigError } from '../../base/errors.ts'
import { columnsOf, type EntityModel, type Property } from '../../model/index.ts'
import type { UpsertKey } from '../../plan/index.ts'
import { isPromise } from '../../base/or-promise.ts'
import { resourceFor, type Resource } from '../../resource/index.ts'
import { hasReplicas, readFromWriter } from '../../run/index.ts'
import { knownActorOf, settleActor } from '../actor-of-request.ts'
import { openedEm } from '../em-of-request.ts'
import { takeQueryBody } from '../query-body.ts'
import type { CrudOperation, CrudRoutesOptions } from '../route-options.ts'
import type { Streaming } from '../streams/streaming.ts'
import { addVary } from './vary.ts'
import { beginValidation, RouteInput, type RouteRequest } from './route-input.ts'
import type { RouteDefinition } from './handlers.ts'
import type { PreValidation } from './route-hooks.ts'
import { checkChildrenFilled, checkFilled, waysToOpen, waysWithoutKey } from './operations.ts'
import type { RoutedResource } from './routed-resource.ts'
import type { SeenResource } from './seen-resource.ts'

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
  const isGiven = (part: Property): boolean => isFilled(part) || writable.create!.properties.has(part)
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

interface InputParts {
  readonly orm: MikroORM
  readonly crud: CrudRoutesOptions['crud']
  /** Absent without roles. */
  readonly access: Access | undefined
  /** How callers see a resource. */
  readonly seenBy: (resource: Resource, actor: Actor | undefined) => SeenResource
  /** Absent if the resource has no streams. */
  readonly formatOf: Streaming['formatOf'] | undefined
  /** The headers of requests that decide about the answer of an operation. */
  readonly varyOf: (operation: CrudOperation) => readonly string[]
}

/**
 * The last hooks on `preValidation`, after those of the application. They ask for the role of a request, refuse what it
 * may not do, and begin its validation. One may wait for the role. The validators must follow the last one at once.
 *
 * @throws {ForbiddenError} if the role may not use the operation, whatever the body contains
 */
export function preValidationOf (
  { operation, operations, inBody }: RouteDefinition,
  { bound }: RoutedResource,
  { orm, crud, access, seenBy, formatOf, varyOf }: InputParts
): readonly PreValidation[] {
  const wanted = ({ body }: FastifyRequest): CrudOperation =>
    operations.length > 1 ? meantBy(operations, body) : operation
  const main = seenBy(bound, undefined)
  const vary = varyOf(operation)
  const begin: PreValidation = (request, reply, done) => {
    const own = wanted(request)
    const em = openedEm(request)
    const actor = access && knownActorOf(request) as Actor
    const seen = actor === undefined && em === undefined
      ? main
      : seenBy(resourceFor(crud, em ?? orm.em as EntityManager, actor, own), actor)
    if (inBody) {
      reply.header('cache-control', 'no-store')
      takeQueryBody(request)
    }
    if (vary.length > 0) addVary(reply, vary)
    // an `onRoute` hook adds this one, whose type knows no schema
    const typed = request as RouteRequest
    beginValidation(new RouteInput(typed, own, seen, factsOf(operation).streams ? formatOf?.(typed) : undefined))
    done()
  }
  const isCopied = hasReplicas(orm.em as EntityManager)
  // the role and the scope decide about a write by what is stored now
  const first = isCopied && factsOf(operation).writes ? [useWriter] : []
  if (access === undefined) return [...first, begin]
  const settle: PreValidation = (request, reply, done) => {
    const actor = settleActor(request, access)
    if (isPromise(actor)) return actor.then(() => {})
    done()
  }
  return [...first, settle, begin]
}

const useWriter: PreValidation = ({ em }, reply, done) => {
  readFromWriter(em)
  done()
}
