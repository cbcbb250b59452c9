/** Decides which rows a request can reach past its resource's scope without another guard. */
import type { EntityManager } from '@mikro-orm/postgresql'
import { conditionOfFilters } from '../borrowed/mikro-orm-filters.ts'
import { hasSql, readCondition } from '../conditions/index.ts'
import { factsOf, type CrudOperation, type OperationFacts } from '../config/index.ts'
import type { EntityModel, RelationProperty } from '../model/index.ts'
import { rulesInUse, waysOf, type Way } from '../plan/index.ts'
import { filtersOfEntity, readConstantFilter, type Resource } from '../resource/index.ts'
import { isOwnersName } from './owners.ts'

/** An entity whose rows a request can reach past the scope. */
export interface Unguarded {
  readonly entity: string
  /** The ways to its rows, as clients write them: `include=project`, `filter[project.name]`, `'project' in bodies`. */
  readonly paths: readonly string[]
  /** A MikroORM filter that would guard it, if the entity, or one that it belongs to, has a property for the owner. */
  readonly rule?: string
  /** The name of the owner's property, if the entity itself does not have it. */
  readonly lacks?: string
}

/**
 * The unguarded entities that a resource with a scope leads to. A scope applies to the rows of the resource itself. It
 * does not apply to rows of the same entity that are reached through a relation.
 *
 * @param operations those that have routes
 */
export async function unguardedBehind (
  em: EntityManager,
  { model, whitelist, writable }: Resource,
  operations: readonly CrudOperation[]
): Promise<readonly Unguarded[]> {
  const queries = new Set(operations.map((operation) => factsOf(operation).query))
  const pathsByEntity = new Map<EntityModel, Set<string>>()
  const reach = (path: string, relations: readonly RelationProperty[]): void => {
    for (const { target } of relations) pathsByEntity.set(target, (pathsByEntity.get(target) ?? new Set()).add(path))
  }
  for (const { kind, parameter, targets } of waysOf(whitelist)) {
    if (!TAKEN_BY[kind].some((query) => queries.has(query))) continue
    for (const { relations, operand } of targets) {
      reach(parameter, operand?.kind === 'number' ? [operand.aggregate.relation] : relations)
    }
  }
  const rules = rulesInUse(writable, operations)
  for (const property of new Set(rules.flatMap(({ properties }) => [...properties]))) {
    if (property.kind === 'relation') reach(`'${property.publicName}' in bodies`, [property])
  }
  for (const { children } of rules) {
    for (const { relation, create, update } of children.values()) {
      for (const property of new Set([...create?.properties ?? [], ...update?.properties ?? []])) {
        if (property.kind !== 'relation') continue
        reach(`'${relation.publicName}.${property.publicName}' in bodies`, [property])
      }
    }
  }
  const unguarded: Unguarded[] = []
  for (const [entity, paths] of pathsByEntity) {
    if (!await isGuardedByFilter(em, entity)) {
      unguarded.push({ entity: entity.name, paths: [...paths], ...advice(entity, model) })
    }
  }
  return unguarded
}

/** The query strings that may contain the parameters of a way. */
const TAKEN_BY: Readonly<Record<Way['kind'], ReadonlyArray<OperationFacts['query']>>> = {
  include: ['list', 'record'],
  filter: ['list', 'groups', 'filters'],
  sort: ['list'],
  defaultSort: ['list'],
  facet: ['list'],
  group: ['groups'],
}

/**
 * Whether a filter that is on by default may select different rows for different requests. Callbacks may read the
 * request, and SQL may read the session. Other conditions are the same for all requests.
 */
export async function isGuardedByFilter (em: EntityManager, model: EntityModel): Promise<boolean> {
  const declared = filtersOfEntity(em, model.entity)
  for (const { name, cond, default: isActive } of declared) {
    if (isActive !== true) continue
    if (typeof cond === 'function' || hasSql(readConstantFilter(name, cond, model))) return true
  }
  // MikroORM does not list the filters that addFilter added: they are found by switching off all others
  const others = Object.fromEntries(declared.map((filter) => [filter.name, false]))
  try {
    const where: unknown = await conditionOfFilters(em, model.entity, 'read', others)
    return where !== undefined && hasSql(readCondition(where, model))
  } catch {
    // the filter's parameters or its request are missing, so it depends on them
    return true
  }
}

const ownerNamesOf = ({ properties }: EntityModel): string[] =>
  [...properties.values()].filter(({ write }) => write.persisted).map(({ name }) => name).filter(isOwnersName)

/**
 * Proposes a filter. It compares an owner property that the resource also has, of the entity itself or behind a to-one
 * relation. Without such a property it compares another owner property of the entity.
 */
function advice (entity: EntityModel, root: EntityModel): Pick<Unguarded, 'rule' | 'lacks'> {
  const [wanted, own] = [ownerNamesOf(root), ownerNamesOf(entity)]
  const direct = own.find((name) => wanted.includes(name))
  if (direct !== undefined) return { rule: ruleFor([direct]) }
  const path = pathToOwner(entity, wanted)
  if (path !== undefined) return { rule: ruleFor(path), lacks: path.at(-1)! }
  if (own[0] !== undefined) return { rule: ruleFor([own[0]]) }
  return { lacks: wanted[0] ?? 'tenant' }
}

/** The shortest path by to-one relations from an entity to one of the wanted properties. */
function pathToOwner (entity: EntityModel, wanted: readonly string[]): readonly string[] | undefined {
  const seen = new Set([entity])
  const places: { readonly at: EntityModel, readonly path: readonly string[] }[] = [{ at: entity, path: [] }]
  for (const { at, path } of places) {
    const name = ownerNamesOf(at).find((name) => wanted.includes(name))
    if (name !== undefined) return [...path, name]
    for (const property of at.properties.values()) {
      if (property.kind !== 'relation' || property.many || seen.has(property.target)) continue
      seen.add(property.target)
      places.push({ at: property.target, path: [...path, property.name] })
    }
  }
  return undefined
}

function ruleFor (path: readonly string[]): string {
  const name = path.at(-1)!
  const condition = path.slice(0, -1).reduceRight((inner, relation) => `{ ${relation}: ${inner} }`, `{ ${name} }`)
  return `filters: { own: { name: 'own', cond: ({ ${name} }) => (${condition}), default: true } }`
}
