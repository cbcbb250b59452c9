/** Compiles conditions to SQL. */
import { keyColumnNames, type EntityModel, type RelationProperty } from '../model/index.ts'
import type { Condition, Plan, RelatedNumber } from '../plan/index.ts'
import { columnList, tableAs, tuple } from './columns.ts'
import { compareSql, comparisonSql, nullSql } from './comparison.ts'
import { join, name, sql, trusted, type Sql } from './fragment.ts'
import { matchSql } from './full-text.ts'
import { bothKnown, KnownByAlias, knownIn, knownSql } from './known-columns.ts'
import { Names } from './names.ts'
import { numberCondition } from './number-conditions.ts'
import { leadsToMany } from './number-uses.ts'
import { relatedKnown, relatedRows } from './related.ts'
import { relatedVisibility, whereClause, type ConditionContext, type EntityFilter } from './visibility.ts'
import { comparedValue } from './wire-types.ts'

/**
 * The context for the conditions of a plan. The filters in the plan come first. For other entities `foreign` compiles
 * MikroORM's filters. Without `foreign.filter`, no filters apply to them.
 */
export function conditionContext (
  { filters }: Pick<Plan, 'filters'>,
  foreign: Pick<ConditionContext, 'constant' | 'unaccent'> & { readonly filter?: EntityFilter | undefined },
  objects: ConditionContext['objects'] = 'row'
): ConditionContext {
  const { filter, constant, unaccent } = foreign
  const context: ConditionContext = {
    names: new Names(),
    filter: (model, alias) => {
      const own = filters?.get(model)
      return own === undefined ? filter?.(model, alias) : allSql(own, model, alias, context)
    },
    constant,
    unaccent,
    known: new KnownByAlias(),
    kept: new Map(),
    numbers: new Map(),
    knownByFilter: (model) => knownIn(filters?.get(model) ?? []),
    objects,
  }
  return context
}

/** Notes the columns of a table's rows that conditions and the filters of its entity compare with a value. */
export function noteKnown (
  model: EntityModel,
  alias: string,
  conditions: readonly Condition[],
  { known, knownByFilter }: ConditionContext
): void {
  known.set(alias, bothKnown(knownIn(conditions), knownByFilter(model)))
}

/** @param model the entity of the rows that the condition applies to */
export function conditionSql (condition: Condition, model: EntityModel, alias: string, context: ConditionContext): Sql {
  switch (condition.kind) {
    case 'compare': {
      const { operand } = condition
      if (operand.kind === 'number') {
        return relatedNumberSql(operand, alias, context, (value) => compareSql(condition, value, context))
      }
      return comparisonSql({ ...condition, operand }, alias, context)
    }
    case 'null': {
      const { operand, negated } = condition
      if (operand.kind !== 'number') return nullSql(operand, negated, alias)
      const isNull = trusted(negated ? ' is not null' : ' is null')
      return relatedNumberSql(operand, alias, context, (value) => sql`${value}${isNull}`)
    }
    case 'match':
      return matchSql(condition, model, alias, context)
    case 'key': {
      const { column: { column, type }, slot } = condition
      return sql`${comparedValue(name(alias, column), type)} = ${slot}`
    }
    case 'related':
      return relatedSql(condition.relation, condition.conditions, alias, context)
    case 'any':
      return anySql(condition.conditions, model, alias, context)
    case 'all':
      return sql`(${allSql(condition.conditions, model, alias, context)})`
    case 'unless':
      return condition.conditions.length === 0
        ? trusted('false')
        : sql`(${allSql(condition.conditions, model, alias, context)}) is not true`
    case 'not':
      return sql`not (${allSql(condition.conditions, model, alias, context)})`
  }
}

const allSql = (conditions: readonly Condition[], model: EntityModel, alias: string, context: ConditionContext): Sql =>
  join(conditions.map((condition) => conditionSql(condition, model, alias, context)), ' and ')

const orSql = (conditions: readonly Condition[], model: EntityModel, alias: string, context: ConditionContext): Sql =>
  sql`(${join(conditions.map((condition) => conditionSql(condition, model, alias, context)), ' or ')})`

/**
 * One of the conditions holds. Conditions that lead to many rows are combined into one set of keys, because the
 * database can join a set. In an `or`, it would look up each row in the set, one key after the other if the keys don't
 * fit into work_mem.
 */
function anySql (conditions: readonly Condition[], model: EntityModel, alias: string, context: ConditionContext): Sql {
  const distant = conditions.filter(leadsToMany)
  if (distant.length === 0) return orSql(conditions, model, alias, context)
  const near = conditions.filter((condition) => !leadsToMany(condition))
  const sets = distant.map((condition) => keysWith(condition, model, alias, context))
  if (near.length > 0) {
    sets.unshift(
      selectKeys(
        model,
        alias,
        context,
        (own) => near.length === 1 ? conditionSql(near[0]!, model, own, context) : orSql(near, model, own, context)
      )
    )
  }
  return sql`${tuple(alias, keyColumnNames(model))} in (${join(sets, ' union all ')})`
}

/** `select <key> from <table> where <condition>`, for rows of an alias */
function selectKeys (
  model: EntityModel,
  rows: string,
  context: ConditionContext,
  condition: (alias: string) => Sql
): Sql {
  const alias = context.names.table()
  context.known.copy(rows, alias)
  const columns = join(keyColumnNames(model).map((column) => name(alias, column)))
  const where = whereClause([...knownSql(alias, context.known.of(alias)), condition(alias)])
  return sql`select ${columns} from ${tableAs(model.table, alias)}${where}`
}

/**
 * The keys of the rows of an alias for which a condition holds. They are read from the related rows if those refer to
 * the primary key.
 */
function keysWith (condition: Condition, model: EntityModel, rows: string, context: ConditionContext): Sql {
  const direct = condition.kind === 'related' && condition.relation.join.columns.join() === keyColumnNames(model).join()
  return direct
    ? relatedKeys(condition.relation, condition.conditions, rows, context)
    : selectKeys(model, rows, context, (own) => conditionSql(condition, model, own, context))
}

/**
 * The test that a row has a related row for which all conditions hold: `key in (select ...)`. A set of keys never
 * multiplies rows, and distributed databases can run it even if they refuse a correlated subquery.
 */
function relatedSql (
  relation: RelationProperty,
  conditions: readonly Condition[],
  alias: string,
  context: ConditionContext
): Sql {
  return sql`${tuple(alias, relation.join.columns)} in (${relatedKeys(relation, conditions, alias, context)})`
}

/**
 * The keys of the rows of an alias that have a related row for which the conditions hold. They are read from the
 * related rows or the pivot table. The pivot table is not joined to the related rows: a distributed database could not
 * join tables that are not co-located.
 */
function relatedKeys (
  relation: RelationProperty,
  conditions: readonly Condition[],
  rows: string,
  context: ConditionContext
): Sql {
  const { join: by, target } = relation
  const related = context.names.table()
  const known = relatedKnown(relation, context.known.of(rows), related, context)
  const where = whereClause([
    ...known.target,
    ...relatedVisibility(relation, related, context),
    ...conditions.map((condition) => conditionSql(condition, target, related, context)),
  ])
  const keys = sql`select ${columnList(related, by.targetColumns)} from ${tableAs(target.table, related)}${where}`
  if (by.kind !== 'pivot') return keys
  const pivot = context.names.table()
  const linked = whereClause([...known.pivot(pivot), sql`${tuple(pivot, by.pivotTargetColumns)} in (${keys})`])
  return sql`select ${columnList(pivot, by.pivotColumns)} from ${tableAs(by.table, pivot)}${linked}`
}

/** The test of a number about related rows: of its joined value, or in a set of keys. */
function relatedNumberSql (
  number: RelatedNumber,
  alias: string,
  context: ConditionContext,
  holds: (value: Sql) => Sql
): Sql {
  const { aggregate, aggregate: { relation, where } } = number
  const joined = context.numbers.get(alias)?.values.get(aggregate)
  if (joined !== undefined) return holds(joined)
  const rows = relatedRows(relation, alias, where, context, 'kept')
  return numberCondition(number, tuple(alias, relation.join.columns), rows, holds)
}
