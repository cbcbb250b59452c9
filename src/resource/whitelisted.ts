/** What a whitelist leads to, for a resource that meets its ORM. */
import type { EntityManager } from '@mikro-orm/postgresql'
import { ConfigError } from '../errors.ts'
import { checkCondition, type EntityModel, type RelationProperty } from '../model/index.ts'
import { includePath, relationsOf, type IncludeEntry, type Whitelist } from '../plan/index.ts'
import { entitiesBehind, filterSql } from '../sql/index.ts'
import { sentence } from './scope.ts'
import { filtersOfEntity } from './entity-filters.ts'

/** The relations that a whitelist leads through. */
export function relationsOfWhitelist (
  { filters, sorts, includes, defaultOrder }: Whitelist
): readonly RelationProperty[] {
  const filtered = [...filters.values()].flatMap(relationsOf)
  const sorted = [...[...sorts.values()].flatMap((entry) => entry.targets), ...defaultOrder.map(({ target }) => target)]
  return [
    ...filtered,
    ...sorted.flatMap((target) => 'callback' in target ? [] : target.relations),
    ...[...includes.values()].flatMap(relationsOfInclude),
  ]
}

/** Those that lead to what is included, and those that included records are sorted by. */
function relationsOfInclude (entry: IncludeEntry): readonly RelationProperty[] {
  const order = entry.kind === 'relation' ? entry.rules?.order ?? [] : []
  return [...includePath(entry), ...order.flatMap(({ relations }) => relations)]
}

/** The entities that the conditions of a whitelist lead to, and those of its relations. */
export function entitiesOfConditions (
  { includes }: Whitelist,
  relations: readonly RelationProperty[]
): ReadonlySet<EntityModel> {
  const conditions = [...relations, ...[...includes.values()].map(conditionOf)]
  return new Set(
    conditions.flatMap(({ where, target }) => where === undefined ? [] : [...entitiesBehind(where, target)])
  )
}

function conditionOf (entry: IncludeEntry): { readonly where: object | undefined, readonly target: EntityModel } {
  return entry.kind === 'aggregate'
    ? { where: entry.aggregate.where, target: entry.aggregate.relation.target }
    : { where: entry.rules?.where, target: entry.relation.target }
}

/**
 * Checks the conditions that are the same for all requests, and compiles those of the whitelist once: what includes and
 * relations say of their records, and MikroORM's filters without a callback.
 *
 * @param relations that the whitelist leads through
 * @param entities that the resource's statements can touch
 * @throws {ConfigError} for one that is not certainly a condition, or that MikroORM can't read
 */
export function checkConditions (
  em: EntityManager,
  { includes }: Whitelist,
  relations: readonly RelationProperty[],
  entities: readonly EntityModel[]
): void {
  for (const { name, where, target } of relations) {
    // MikroORM keeps the one condition of a collection as a list
    for (const condition of [where ?? []].flat()) {
      constant(`The 'where' of the relation '${name}'`, target, () => checkCondition(condition, target))
    }
  }
  for (const entry of includes.values()) {
    const { where, target } = conditionOf(entry)
    if (where === undefined) continue
    constant(`allowedIncludes, '${entry.name}': its 'where'`, target, () => {
      checkCondition(where, target)
      filterSql(em, target, 'e0', where, () => 0)
    })
  }
  for (const model of entities) {
    for (const { name, cond } of filtersOfEntity(em, model.entity)) {
      if (typeof cond !== 'function') {
        constant(`The MikroORM filter '${name}'`, model, () => checkCondition(cond, model))
      }
    }
  }
}

function constant (what: string, { name }: EntityModel, check: () => void): void {
  try {
    check()
  } catch (cause) {
    throw new ConfigError(`${what} is not certainly a condition on ${name}: ${sentence(cause)}`, { cause })
  }
}
