/** Checks the conditions on the rows that a whitelist leads to, and finds the entities behind them. */
import type { EntityManager } from '@mikro-orm/postgresql'
import { asSentence, entitiesBehind, readCondition, readConstant, toMikroOrm, type Where } from '../conditions/index.ts'
import { ConfigError } from '../base/errors.ts'
import type { EntityModel, RelationProperty } from '../model/index.ts'
import type { Whitelist } from '../plan/index.ts'
import { filterSql } from '../sql/index.ts'
import { filtersOfEntity } from './active-filters.ts'

/** A condition of the configuration, on the rows of a relation, an include or an aggregate. */
interface ConfiguredCondition {
  readonly where: object
  readonly target: EntityModel
  /** The place of the condition in the configuration, as the subject of a sentence. */
  readonly what: string
  /** Whether MikroORM has compiled it already. */
  readonly compiled: boolean
}

function constantsOf ({ includes }: Whitelist, relations: readonly RelationProperty[]): readonly ConfiguredCondition[] {
  const ofRelations = relations.map(({ name, where, target }) => ({
    where,
    target,
    what: `The 'where' of the relation '${name}'`,
    compiled: true,
  }))
  const ofIncludes = [...includes.values()].map((entry) => ({
    where: entry.kind === 'aggregate' ? entry.aggregate.where : entry.rules?.where,
    target: entry.kind === 'aggregate' ? entry.aggregate.relation.target : entry.relation.target,
    what: `allowedIncludes, '${entry.name}': its 'where'`,
    compiled: false,
  }))
  return [...ofRelations, ...ofIncludes].filter((constant): constant is ConfiguredCondition =>
    constant.where !== undefined
  )
}

/**
 * Parses the conditions of a whitelist, and those of the relations that it uses. MikroORM compiles each condition of
 * the whitelist once, to find mistakes.
 *
 * @returns the entities that they lead to
 * @throws {ConfigError} for a value that is not certainly a condition, or that MikroORM cannot compile
 */
export function checkConstants (
  em: EntityManager,
  whitelist: Whitelist,
  relations: readonly RelationProperty[]
): ReadonlySet<EntityModel> {
  const entities = new Set<EntityModel>()
  for (const { where, target, what, compiled } of constantsOf(whitelist, relations)) {
    constant(what, target, () => {
      const condition = readConstant(where, target)
      if (!compiled) filterSql(em, target, 'e0', toMikroOrm(condition), () => 0)
      for (const model of entitiesBehind(condition)) entities.add(model)
    })
  }
  return entities
}

/**
 * Parses the MikroORM filters of entities whose condition is the same for all requests.
 *
 * @throws {ConfigError} for a value that is not certainly a condition
 */
export function checkFilters (em: EntityManager, entities: readonly EntityModel[]): void {
  for (const model of entities) {
    for (const { name, cond } of filtersOfEntity(em, model.entity)) {
      if (typeof cond !== 'function') readConstantFilter(name, cond, model)
    }
  }
}

/** @throws {ConfigError} for anything that is not certainly a condition */
export function readConstantFilter (name: string, cond: unknown, model: EntityModel): Where {
  return constant(`The MikroORM filter '${name}'`, model, () => readCondition(cond, model))
}

function constant<Result> (what: string, { name }: EntityModel, read: () => Result): Result {
  try {
    return read()
  } catch (cause) {
    throw new ConfigError(`${what} is not certainly a condition on ${name}: ${asSentence(cause)}`, { cause })
  }
}
