/** What a whitelist leads to, for a resource that meets its ORM. */
import type { EntityManager } from '@mikro-orm/postgresql'
import { ConfigError } from '../errors.ts'
import type { EntityModel, RelationProperty } from '../model/index.ts'
import { includePath, relationsOf, type IncludeEntry, type Whitelist } from '../plan/index.ts'
import { entitiesBehind, filterSql } from '../sql/index.ts'
import { nearest } from '../suggest.ts'

/** The relations that a whitelist leads through. */
export function relationsOfWhitelist ({ filters, sorts, includes, defaultOrder }: Whitelist): readonly RelationProperty[] {
  const filtered = [...filters.values()].flatMap(relationsOf)
  const sorted = [...[...sorts.values()].flatMap((entry) => entry.targets), ...defaultOrder.map(({ target }) => target)]
  return [...filtered, ...sorted.flatMap((target) => 'callback' in target ? [] : target.relations), ...[...includes.values()].flatMap(relationsOfInclude)]
}

/** Those that lead to what is included, and those that included records are sorted by. */
function relationsOfInclude (entry: IncludeEntry): readonly RelationProperty[] {
  const order = entry.kind === 'relation' ? entry.rules?.order ?? [] : []
  return [...includePath(entry), ...order.flatMap(({ relations }) => relations)]
}

/** The entities that the conditions of a whitelist lead to, and those of its relations. */
export function entitiesOfConditions ({ includes }: Whitelist, relations: readonly RelationProperty[]): ReadonlySet<EntityModel> {
  const conditions = [...relations, ...[...includes.values()].map(conditionOf)]
  return new Set(conditions.flatMap(({ where, target }) => where === undefined ? [] : [...entitiesBehind(where, target)]))
}

function conditionOf (entry: IncludeEntry): { readonly where: object | undefined, readonly target: EntityModel } {
  return entry.kind === 'aggregate'
    ? { where: entry.aggregate.where, target: entry.aggregate.relation.target }
    : { where: entry.rules?.where, target: entry.relation.target }
}

/**
 * Compiles every condition of the whitelist once.
 *
 * @throws {ConfigError} for one that MikroORM can't read
 */
export function checkConditions (em: EntityManager, { includes }: Whitelist): void {
  for (const entry of includes.values()) {
    const { where, target } = conditionOf(entry)
    if (where === undefined) continue
    try {
      filterSql(em, target, 'e0', where, () => 0)
    } catch (error) {
      throw new ConfigError(`allowedIncludes, '${entry.name}': its 'where' is no condition on ${target.name}: ${(error as Error).message}.${suggestion(where, target)}`, { cause: error })
    }
  }
}

function suggestion (where: object, { properties }: EntityModel): string {
  const unknown = Object.keys(where).find((key) => !key.startsWith('$') && !properties.has(key))
  const name = unknown === undefined ? undefined : nearest(unknown, [...properties.keys()])
  return name === undefined ? '' : ` Did you mean '${name}'?`
}
