/** The routes of a resource for each role: its handlers know only what exists for the role. */
import type { MikroORM } from '@mikro-orm/postgresql'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Access, Actor, Role } from '../../access/index.ts'
import { equalitiesOf, readCondition } from '../../conditions/index.ts'
import type { EntityModel, Property } from '../../model/index.ts'
import { isPromise } from '../../base/or-promise.ts'
import type { Resource } from '../../resource/index.ts'
import { knownActorOf, settleActor } from '../actor-of-request.ts'
import type { CrudOperation, CrudRoutesOptions } from '../route-options.ts'
import type { RouteDefinition } from './handlers.ts'
import { checkFilled, waysToOpen } from './operations.ts'
import type { QueryChecks } from './query-checks.ts'
import type { RoutedResource } from './resource.ts'

/** A resource as a role knows it. */
export interface RoleResource extends RoutedResource {
  readonly role: Role
  /** Whether the role may use only some rows, whose values new records get. */
  readonly limited: boolean
}

/**
 * The resource of some routes for each role that may use its entity.
 *
 * @throws {ConfigError} if a role may create records, but cannot give them a required property
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
    own.whitelist.names.add(name)
    const allowed = operations.filter((operation) => rule.allows(operation))
    // a scope and the rows of a request may fill in properties
    if (scope === undefined && typeof rule.rows !== 'function') {
      const filled = rule.rows === undefined ? NONE : equalitiesOf(readCondition(rule.rows, own.model)).equalities
      checkFilled(`${what}: access: the role '${role.name}'`, allowed, own, crud, {
        fills: (property) => filled.has(property),
        waysToFill: (property) => waysToFill(property, bound, role),
      })
    }
    resources.push({ what, name, bound: own, operations: allowed, role, limited: rule.rows !== undefined })
  }
  return resources
}

const NONE: ReadonlyMap<Property, unknown> = new Map()

/** The changes that would give a value to a required property of new records, for messages. */
function waysToFill ({ name }: Property, { model, writable }: Resource, role: Role): readonly string[] {
  const property = model.properties.get(name)!
  const opened = writable.create!.unfilled.includes(property) ? waysToOpen(property) : []
  const ways = [[...opened, ...property.write.writable ? changesOfRule(property, model, role) : []].join(' and ')]
  const isColumn = property.kind === 'relation' ? property.key.length === 1 : property.kind === 'scalar'
  if (isColumn) ways.push(`fill it with an equality in 'rows', as in rows: { ${name}: ... }`)
  return ways.filter((way) => way !== '')
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

type Handler = RouteDefinition['handler']

/** The parts of a resource's routes that are made for each role. */
export interface RoleRoutes {
  readonly resource: RoleResource
  readonly checks: QueryChecks
  readonly definitions: readonly RouteDefinition[]
}

/** The routes of a resource by the role of a request, which is known when all hooks of the application have run. */
export interface RoutesByRole {
  readonly of: (request: FastifyRequest | undefined) => RoleRoutes | undefined
  /** The handler of a route, which calls that of the request's role. */
  readonly handler: (route: RouteDefinition) => Handler
}

export function routesByRole (
  resources: readonly RoleResource[],
  routesOf: (resource: RoleResource) => RoleRoutes
): RoutesByRole {
  const byRole = new Map(resources.map((resource) => [resource.role, routesOf(resource)]))
  const roleIn = (request: FastifyRequest): Role | undefined => {
    const actor = knownActorOf(request)
    return actor instanceof Promise ? undefined : actor?.role
  }
  const of = (request: FastifyRequest | undefined): RoleRoutes | undefined => request && byRole.get(roleIn(request)!)
  return {
    of,
    handler: ({ method, url }) => {
      const handlers = new Map<RoleRoutes, Handler>()
      for (const own of byRole.values()) {
        const definition = own.definitions.find((definition) => definition.method === method && definition.url === url)
        if (definition !== undefined) handlers.set(own, definition.handler)
      }
      // the guard has refused requests without a handler
      return (request, reply) => handlers.get(of(request)!)!(request, reply)
    },
  }
}

/**
 * A hook that refuses requests whose role may not use the operation, whatever their body contains. It runs after the
 * hooks of the application.
 *
 * @throws {ForbiddenError}
 */
export function roleGuard (
  access: Access,
  { bound: { model }, operations }: RoutedResource,
  { operation, method, url }: RouteDefinition
): (request: FastifyRequest, reply: FastifyReply, done: () => void) => void | Promise<void> {
  const creates = method === 'POST' && url === '/'
  const wanted = ({ body }: FastifyRequest): CrudOperation => {
    if (!creates) return operation
    const meant = Array.isArray(body) ? 'createMany' : 'create'
    return operations.includes(meant) ? meant : operation
  }
  const check = (actor: Actor, request: FastifyRequest): void => {
    actor.check(model.name, wanted(request))
  }
  return (request, reply, done) => {
    const actor = settleActor(request, access)
    if (isPromise(actor)) return actor.then((actor) => check(actor, request))
    check(actor, request)
    done()
  }
}
