/**
 * The warning about rows that no scope and no rule guards. It has one line for each resource, with filters that would
 * guard the rows, and one for each rule of a role that lacks `rows`.
 */
import type { EntityManager } from '@mikro-orm/postgresql'
import type { FastifyBaseLogger } from 'fastify'
import type { Role } from '../access/index.ts'
import { ConfigError } from '../base/errors.ts'
import type { EntityModel, Property } from '../model/index.ts'
import { didYouMean, nearest } from '../base/suggest.ts'
import type { AdvisedResource, AdvisedRole } from './advised-resource.ts'
import { ownersIn } from './owners.ts'
import { isGuardedByFilter, unguardedBehind, type Unguarded } from './unguarded.ts'

/**
 * Checks the names of entities whose rows all clients may use.
 *
 * @throws {ConfigError} for a name that is not the name of an entity
 */
export function checkShared (em: EntityManager, shared: readonly string[]): void {
  const entities = [...em.getMetadata().getAll().values()].map(({ className }) => className)
  for (const name of shared) {
    if (entities.includes(name)) continue
    const sentence = `crudKit: 'shared' names '${name}', which is not an entity of the ORM`
    throw new ConfigError(didYouMean(sentence, nearest(name, entities), `Entities: ${entities.join(', ')}.`))
  }
}

/** A sentence of the warning, and what it is about. */
interface GuardFinding {
  readonly message: string
  /** The resource whose requests reach the rows. */
  readonly resource?: string
  readonly role?: string
  readonly unguarded: readonly (Unguarded | ForgottenRows)[]
}

/**
 * Logs the entities whose rows can be reached past the scopes of resources and the rows of roles, in one line.
 *
 * @param shared names of entities whose rows all clients may use
 */
export async function warnOfUnguarded (
  log: FastifyBaseLogger,
  em: EntityManager,
  resources: readonly AdvisedResource[],
  shared: readonly string[]
): Promise<void> {
  const findings = await guardFindings(em, resources, shared)
  if (findings.length === 0) return
  const unguarded = findings.flatMap(({ resource, role, unguarded }) =>
    unguarded.map((one) => ({ resource, role, ...one }))
  )
  log.warn({ unguarded }, findings.map(({ message }) => message).join('\n'))
}

/** The entities whose rows can be reached past the scopes of resources and the rows of roles. */
export async function guardFindings (
  em: EntityManager,
  resources: readonly AdvisedResource[],
  shared: readonly string[]
): Promise<readonly GuardFinding[]> {
  const findings: GuardFinding[] = []
  /** The entities that need no further warning, by role. */
  const settled = new Map<Role, Set<string>>()
  for (const { prefix, resource, scoped, operations, roles } of resources) {
    for (const advised of roles ?? []) {
      const unguarded = await unguardedOfRole(em, scoped, advised, shared)
      const entities = settled.get(advised.role) ?? new Set(shared)
      settled.set(advised.role, entities)
      for (const { entity } of unguarded) entities.add(entity)
      if (scoped) entities.add(resource.model.name)
      if (unguarded.length === 0) continue
      const { role: { name: role } } = advised
      findings.push({ message: warningOfRole(prefix, role, unguarded), resource: prefix, role, unguarded })
    }
    if (!scoped || roles !== undefined) continue
    const unguarded = (await unguardedBehind(em, resource, operations)).filter(({ entity }) => !shared.includes(entity))
    if (unguarded.length > 0) findings.push({ message: warning(prefix, unguarded), resource: prefix, unguarded })
  }
  for (const [role, entities] of settled) {
    for (const forgotten of await forgottenRows(em, role)) {
      if (entities.has(forgotten.entity)) continue
      findings.push({ message: warningOfRule(role.name, forgotten), role: role.name, unguarded: [forgotten] })
    }
  }
  return findings
}

/** The entities of which a role may use all rows, although it may use only some rows of the resource. */
async function unguardedOfRole (
  em: EntityManager,
  scoped: boolean,
  { role, resource, operations }: AdvisedRole,
  shared: readonly string[]
): Promise<readonly Unguarded[]> {
  const isLimited = scoped || role.ruleOf(resource.model.name)?.limitsRows === true
  if (role.unlimited || !isLimited) return []
  return (await unguardedBehind(em, resource, operations)).filter(({ entity }) => {
    const rule = role.ruleOf(entity)
    return rule?.rows === undefined && rule?.unlimited !== true && !shared.includes(entity)
  })
}

function warningOfRule (role: string, { entity, shared, limited }: ForgottenRows): string {
  const names = shared.map((name) => `'${name}'`).join(' and ')
  return `The role '${role}' may use all rows of ${entity}, which has ${names} like the entities whose rows its ` +
    `rules limit: ${
      limited.join(', ')
    }. Give access.roles.${role}.${entity} 'rows'. If the role may use all rows, write ` +
    `rows: {}. If all clients may, set crudKit's option shared: ['${entity}'].`
}

function warningOfRole (prefix: string, role: string, unguarded: readonly Unguarded[]): string {
  const ways = unguarded.map(({ entity, paths }) => `${entity} (${paths.join(', ')})`).join('; ')
  const names = unguarded.map(({ entity }) => entity)
  return `The role '${role}' may use only some rows of ${prefix}, but all rows of other entities that its requests ` +
    `reach: ${ways}. Give them 'rows' in access.roles.${role}: ${names.join(', ')}. If the role may use all of their ` +
    `rows, write rows: {}. If all clients may, set crudKit's option shared: ['${names.join("', '")}'].`
}

function warning (prefix: string, unguarded: readonly Unguarded[]): string {
  const ways = unguarded.map(({ entity, paths }) => `${entity} (${paths.join(', ')})`).join('; ')
  const sharing = (some: readonly Unguarded[]): string =>
    `crudKit's option shared: ['${some.map(({ entity }) => entity).join("', '")}']`
  const own = unguarded.filter(({ lacks }) => lacks === undefined)
  const rules = own.map(({ entity, rule }) => `${entity}: ${rule}`).join('; ')
  const guard = `Give each a MikroORM filter, and its parameters to request.em.setFilterParams in a hook: ${rules}. ` +
    `If all clients may use all rows, set ${sharing(own)}.`
  const others = unguarded.filter(({ lacks }) => lacks !== undefined).map((one) => {
    const filter = one.rule === undefined
      ? 'a property that says whose a row is, and a MikroORM filter on it'
      : `a MikroORM filter through its relation: ${one.rule}`
    return `${one.entity} has no '${one.lacks}': if all clients may use its rows, set ${sharing([one])}; ` +
      `else give it ${filter}.`
  })
  return [
    `The scope of ${prefix} guards its own rows only. ` +
    `Requests reach rows of other entities that no filter guards: ${ways}.`,
    ...own.length > 0 ? [guard] : [],
    ...others,
  ].join(' ')
}

/** An entity whose rule has no `rows`. */
interface ForgottenRows {
  readonly entity: string
  /** The properties that it shares with the limited entities and that may say whose a row is. */
  readonly shared: readonly string[]
  /** The entities whose rows the role's rules limit. */
  readonly limited: readonly string[]
}

/**
 * The entities with a rule without `rows` that have a reference or a number, such as `tenant`, that all entities with
 * `rows` have. The entity that the reference leads to does not need one.
 */
async function forgottenRows (em: EntityManager, role: Role): Promise<readonly ForgottenRows[]> {
  if (role.unlimited) return []
  const ruled = [...role.entities.values()].flatMap((model) => {
    const rule = role.ruleOf(model.name)
    return rule === undefined ? [] : [{ model, rule }]
  })
  const limited = ruled.filter(({ rule }) => rule.limitsRows).map(({ model }) => model)
  if (limited.length === 0) return []
  const forgotten: ForgottenRows[] = []
  for (const { model, rule } of ruled) {
    if (rule.unlimited || rule.rows !== undefined) continue
    const shared = ownersIn(model).filter((property) => limited.every((other) => shares(other, property)))
    if (shared.length === 0 || await isGuardedByFilter(em, model)) continue
    forgotten.push({
      entity: model.name,
      shared: shared.map(({ name }) => name),
      limited: limited.map(({ name }) => name),
    })
  }
  return forgotten
}

const shares = (model: EntityModel, property: Property): boolean =>
  model.properties.has(property.name) || (property.kind === 'relation' && property.target === model)
