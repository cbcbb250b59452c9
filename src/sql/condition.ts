/** Compiles conditions to SQL. */
import { keyColumns, type EntityModel, type RelationProperty } from '../model/index.ts'
import type { Condition, Deleted, Plan, Slot } from '../plan/index.ts'
import { comparisonSql, nullSql } from './comparison.ts'
import { EMPTY, join, literal, name, sql, trusted, type Sql } from './fragment.ts'
import { column } from './json.ts'
import { Names } from './names.ts'

/** Compiles MikroORM's filters of an entity for an alias. They apply to the entity's rows in every statement. */
export type EntityFilter = (model: EntityModel, alias: string) => Sql | undefined

/**
 * Compiles a condition in MikroORM's query language that is the same for every request: the `where` of a relation, or a
 * condition of the whitelist.
 */
export type ConstantCondition = (where: object, model: EntityModel, alias: string) => Sql | undefined

/** The context in which conditions are compiled. */
export interface ConditionContext {
  readonly names: Names
  readonly filter: EntityFilter
  readonly constant: ConstantCondition
}

/** The context for the conditions of a plan. Entities without filters in the plan get MikroORM's filters. */
export function conditionContext (
  { filters }: Pick<Plan, 'filters'>,
  { filter, constant }: Omit<ConditionContext, 'names'>
): ConditionContext {
  const context: ConditionContext = {
    names: new Names(),
    filter: (model, alias) => {
      const own = filters?.get(model)
      return own === undefined ? filter(model, alias) : allSql(own, model, alias, context)
    },
    constant,
  }
  return context
}

/** The conditions for a row of a relation: it is visible, and fulfils the relation's own `where`. */
export function relatedVisibility (
  { target, where }: RelationProperty,
  alias: string,
  { filter, constant }: ConditionContext
): Sql[] {
  const conditions = visibility(target, alias, 'without', filter)
  const own = where && constant(where, target, alias)
  return own === undefined ? conditions : [...conditions, own]
}

/** ` where ...`, or nothing. */
export function whereClause (conditions: readonly Sql[]): Sql {
  return conditions.length === 0 ? EMPTY : sql` where ${join(conditions, ' and ')}`
}

/** The conditions for a visible row: its class (single-table inheritance), soft deletion, and MikroORM's filters. */
export function visibility (model: EntityModel, alias: string, deleted: Deleted, filter: EntityFilter): Sql[] {
  const conditions: Sql[] = []
  if (model.discriminator !== undefined) {
    const values = model.discriminator.values.map((value) =>
      typeof value === 'number' ? trusted(String(value)) : literal(value)
    )
    conditions.push(sql`${name(alias, model.discriminator.column)} in (${join(values)})`)
  }
  if (model.deletedAt !== undefined && deleted !== 'with') {
    conditions.push(sql`${column(model.deletedAt, alias)} ${trusted(deleted === 'only' ? 'is not null' : 'is null')}`)
  }
  const filtered = filter(model, alias)
  if (filtered !== undefined) conditions.push(filtered)
  return conditions
}

/** @param model the entity of the rows that the condition applies to */
export function conditionSql (condition: Condition, model: EntityModel, alias: string, context: ConditionContext): Sql {
  switch (condition.kind) {
    case 'compare':
      return comparisonSql(condition, alias)
    case 'null':
      return nullSql(condition.operand, condition.negated, alias)
    case 'key':
      return sql`${name(alias, condition.column.column)} = ${condition.slot}`
    case 'related':
      return relatedSql(condition.relation, condition.conditions, alias, context)
    case 'any':
      return anySql(condition.conditions, model, alias, context)
    case 'all':
      return sql`(${allSql(condition.conditions, model, alias, context)})`
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
  const sets = distant.map((condition) => keysWith(condition, model, context))
  if (near.length > 0) {
    sets.unshift(
      keysOf(
        model,
        context,
        (own) => near.length === 1 ? conditionSql(near[0]!, model, own, context) : orSql(near, model, own, context)
      )
    )
  }
  return sql`${tuple(alias, keyNames(model))} in (${join(sets, ' union all ')})`
}

function leadsToMany (condition: Condition): boolean {
  if (condition.kind === 'related') return condition.relation.many || condition.conditions.some(leadsToMany)
  return (condition.kind === 'any' || condition.kind === 'all') && condition.conditions.some(leadsToMany)
}

const keyNames = (model: EntityModel): readonly string[] => keyColumns(model).map(({ column }) => column)

/** `select <key> from <table> where <condition>` */
function keysOf (model: EntityModel, context: ConditionContext, condition: (alias: string) => Sql): Sql {
  const alias = context.names.table()
  const columns = join(keyNames(model).map((column) => name(alias, column)))
  return sql`select ${columns} from ${tableAs(model.table, alias)}${whereClause([condition(alias)])}`
}

/**
 * The keys of the rows for which a condition holds. They are read from the related rows if those refer to the primary
 * key.
 */
function keysWith (condition: Condition, model: EntityModel, context: ConditionContext): Sql {
  const direct = condition.kind === 'related' && condition.relation.join.columns.join() === keyNames(model).join()
  return direct
    ? relatedKeys(condition.relation, condition.conditions, context)
    : keysOf(model, context, (own) => conditionSql(condition, model, own, context))
}

/** `a`, or `(a, b)`. */
export function tuple (alias: string, columns: readonly string[]): Sql {
  const names = columns.map((column) => name(alias, column))
  return names.length === 1 ? names[0]! : sql`(${join(names)})`
}

/** A table with its alias, for a `from`. */
export const tableAs = (table: string, alias: string): Sql => sql`${trusted(table)} as ${name(alias)}`

/** The test that columns have the values in the slots. */
export function equalTo (alias: string, columns: readonly string[], slots: readonly Slot[]): Sql {
  return join(columns.map((column, index) => sql`${name(alias, column)} = ${slots[index]!}`), ' and ')
}

/** The test that the columns of two lists are equal, pair by pair. */
export function equalColumns (
  left: string,
  leftColumns: readonly string[],
  right: string,
  rightColumns: readonly string[]
): Sql {
  return join(
    leftColumns.map((column, index) => sql`${name(left, column)} = ${name(right, rightColumns[index]!)}`),
    ' and '
  )
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
  return sql`${tuple(alias, relation.join.columns)} in (${relatedKeys(relation, conditions, context)})`
}

/**
 * The keys of all rows that have a related row for which the conditions hold. They are read from the related rows or
 * the pivot table.
 */
function relatedKeys (relation: RelationProperty, conditions: readonly Condition[], context: ConditionContext): Sql {
  const { join: by, target } = relation
  const related = context.names.table()
  const where = [
    ...relatedVisibility(relation, related, context),
    ...conditions.map((condition) => conditionSql(condition, target, related, context)),
  ]
  const from = tableAs(target.table, related)
  if (by.kind !== 'pivot') {
    const columns = join(by.targetColumns.map((column) => name(related, column)))
    return sql`select ${columns} from ${from}${whereClause(where)}`
  }
  const pivot = context.names.table()
  const columns = join(by.pivotColumns.map((column) => name(pivot, column)))
  const on = equalColumns(related, by.targetColumns, pivot, by.pivotTargetColumns)
  return sql`select ${columns} from ${tableAs(by.table, pivot)} inner join ${from} on ${on}${whereClause(where)}`
}
