/**
 * The rows of a relation: for many parents at once, found by `in (select ... from <parents>)`, or for each parent by
 * itself, in a correlated subquery or a lateral join.
 */
import { keyColumns, type RelationProperty } from '../model/index.ts'
import type { PlannedInclude } from '../plan/index.ts'
import { columnList, equalColumns, equalKey, tableAs, tuple } from './columns.ts'
import { EMPTY, name, sql, type Sql } from './fragment.ts'
import { bothKnown, knownBehind, knownSql, type KnownColumns } from './known-columns.ts'
import type { OrderExpression } from './order-expression.ts'
import { directionSql, orderSql, type Order } from './order.ts'
import { relatedVisibility, whereClause, type ConditionContext } from './visibility.ts'

/** Joins an expression that has the parent's key to the parents. */
export function joinParents (expression: string, { join: { columns } }: RelationProperty, parents: string): Sql {
  return sql` left join ${name(expression)} on ${equalKey(expression, parents, columns)}`
}

export interface RelatedRows {
  readonly alias: string
  /** The columns of the rows with the parent's key. */
  readonly keys: readonly Sql[]
  /** `<table> <joins>`. */
  readonly table: Sql
  /** ` where ...` */
  readonly where: Sql
}

/** Notes the known columns of rows behind a relation, and returns the comparisons that other conditions lack. */
export function relatedKnown (
  relation: RelationProperty,
  known: KnownColumns,
  alias: string,
  { known: byAlias, knownByFilter }: ConditionContext
): { readonly target: readonly Sql[], readonly pivot: (pivot: string) => readonly Sql[] } {
  const behind = knownBehind(relation, known)
  const own = knownByFilter(relation.target)
  byAlias.set(alias, bothKnown(behind.target, own))
  return { target: knownSql(alias, behind.target, own), pivot: (pivot) => knownSql(pivot, behind.pivot) }
}

/**
 * The rows related to any of the parents, to each of them, or to those that the statement may keep.
 *
 * @param condition a further condition on the rows, in MikroORM's query language
 */
export function relatedRows (
  relation: RelationProperty,
  parents: string,
  condition: object | undefined,
  context: ConditionContext,
  to: 'any' | 'each' | 'kept' = 'any'
): RelatedRows {
  const { join: by, target } = relation
  const alias = context.names.table()
  const among = (of: string, columns: readonly string[]): readonly Sql[] => {
    if (to === 'each') return [equalColumns(of, columns, parents, by.columns)]
    const keys = to === 'any'
      ? sql`select ${columnList(parents, by.columns)} from ${name(parents)}`
      : context.kept.get(parents)?.(by.columns)
    return keys === undefined ? [] : [sql`${tuple(of, columns)} in (${keys})`]
  }
  const known = relatedKnown(relation, context.known.of(parents), alias, context)
  const visible = relatedVisibility(relation, alias, context)
  const own = condition && context.constant(condition, target, alias)
  if (own !== undefined) visible.push(own)
  const table = tableAs(target.table, alias)
  if (by.kind !== 'pivot') {
    return {
      alias,
      keys: by.targetColumns.map((column) => name(alias, column)),
      table,
      where: whereClause([...among(alias, by.targetColumns), ...known.target, ...visible]),
    }
  }
  const pivot = context.names.table()
  const on = equalColumns(alias, by.targetColumns, pivot, by.pivotTargetColumns)
  return {
    alias,
    keys: by.pivotColumns.map((column) => name(pivot, column)),
    table: sql`${tableAs(by.table, pivot)} inner join ${table} on ${on}`,
    where: whereClause([...among(pivot, by.pivotColumns), ...known.pivot(pivot), ...visible]),
  }
}

/**
 * The order of the related records of one parent: the order of the include, or else of the relation, followed by the
 * key.
 */
export function relatedOrder ({ relation, rules }: PlannedInclude, alias: string, context: ConditionContext): Order {
  const { order, target } = relation
  const { joins, expressions } = rules?.order === undefined
    ? {
        joins: EMPTY,
        expressions: order.map(({ column, descending, nullable }): OrderExpression => ({
          value: name(alias, column),
          direction: directionSql(descending, nullable),
        })),
      }
    : orderSql(rules.order, alias, context)
  const ordered = new Set(expressions.map(({ value }) => value.pieces.join('')))
  const key = keyColumns(target).map(({ column }): OrderExpression => ({
    value: name(alias, column),
    direction: EMPTY,
  }))
  return { joins, expressions: [...expressions, ...key.filter(({ value }) => !ordered.has(value.pieces.join('')))] }
}
