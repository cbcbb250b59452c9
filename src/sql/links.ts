/** Statements about the links of one relation: the rows of its pivot table. */
import type { RelationProperty } from '../model/index.ts'
import type { Slot } from '../plan/index.ts'
import { columnList, equalColumns, equalTo, returnedKey, tableAs } from './columns.ts'
import { conditionContext } from './condition.ts'
import { EMPTY, join, name, render, sql, trusted, type Statement } from './fragment.ts'
import type { Foreign } from './read.ts'
import { relatedKnown } from './related.ts'
import { relatedVisibility, whereClause } from './visibility.ts'

type Pivot = Extract<RelationProperty['join'], { readonly kind: 'pivot' }>

/** The pivot table of a many-to-many relation. */
function pivotOf ({ join, name }: RelationProperty): Pivot {
  if (join.kind !== 'pivot') throw new TypeError(`${name} has no links`)
  return join
}

/** The name of the column that tells whether clients see a link through the relation: `'true'` or `'false'`. */
export const LINK_SHOWN = 'shown'

/** The keys, as texts, of all records that a row is linked to, in the order of the links if they have one. */
export function compileLinks (relation: RelationProperty, own: readonly Slot[], foreign: Foreign): Statement {
  const { table, columns, pivotColumns, pivotTargetColumns, targetColumns, orderColumn } = pivotOf(relation)
  const context = conditionContext({}, foreign)
  const [pivot, linked] = [context.names.table(), context.names.table()]
  const keys = pivotTargetColumns.map((column, index) =>
    sql`${name(pivot, column)}::text as ${name(returnedKey(index))}`
  )
  const knownKey = new Map(columns.map((column, index) => [column, own[index]!]))
  const visible = whereClause([
    equalColumns(linked, targetColumns, pivot, pivotTargetColumns),
    ...relatedKnown(relation, knownKey, linked, context).target,
    ...relatedVisibility(relation, linked, context),
  ])
  const shown = sql`exists (select 1 from ${tableAs(relation.target.table, linked)}${visible})::text`
  const order = orderColumn === undefined ? EMPTY : sql` order by ${name(pivot, orderColumn)}`
  return render(
    sql`select ${join(keys)}, ${shown} as ${name(LINK_SHOWN)} from ${tableAs(table, pivot)} where ${
      equalTo(pivot, pivotColumns, own)
    }${order}`
  )
}

/** Removes the links of a row to some records. */
export function compileUnlink (
  relation: RelationProperty,
  own: readonly Slot[],
  keys: ReadonlyArray<readonly Slot[]>
): Statement {
  const { table, pivotColumns, pivotTargetColumns } = pivotOf(relation)
  const alias = 'link'
  const some = keys.map((key) => sql`(${equalTo(alias, pivotTargetColumns, key)})`)
  return render(
    sql`delete from ${tableAs(table, alias)} where ${equalTo(alias, pivotColumns, own)} and (${join(some, ' or ')})`
  )
}

/**
 * The columns of a new link: those of the row, and those of the linked record that are not the same columns. Their
 * order is the same from both sides.
 */
export function linkColumns (relation: RelationProperty): readonly string[] {
  const { pivotColumns, pivotTargetColumns } = pivotOf(relation)
  return [...new Set([...pivotColumns, ...pivotTargetColumns])].sort()
}

/**
 * Adds links, and returns a row for each. It leaves out those that a rule of the table keeps from being added beside
 * another one, such as the same link of another request.
 *
 * @param rows the values of `linkColumns`
 */
export function compileLink (relation: RelationProperty, rows: ReadonlyArray<readonly Slot[]>): Statement {
  const columns = linkColumns(relation).map((column) => name(column))
  const values = rows.map((row) => sql`(${join(row.map((slot) => sql`${slot}`))})`)
  const { table } = pivotOf(relation)
  return render(
    sql`insert into ${trusted(table)} (${join(columns)}) values ${join(values)} on conflict do nothing returning 1`
  )
}

/** Returns a row for each of some links that exists. */
export function compilePresentLinks (relation: RelationProperty, rows: ReadonlyArray<readonly Slot[]>): Statement {
  const alias = 'link'
  const columns = linkColumns(relation)
  const some = rows.map((row) => sql`(${equalTo(alias, columns, row)})`)
  return render(
    sql`select 1 from ${tableAs(pivotOf(relation).table, alias)} where ${join(some, ' or ')} group by ${
      columnList(alias, columns)
    }`
  )
}
