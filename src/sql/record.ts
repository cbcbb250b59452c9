/**
 * Records as JSON: the properties of a selection, and its included relations.
 *
 * An included relation is a common table expression that has the related records as JSON by the key of their parent,
 * and is joined to the parents. It finds its rows by `in (select ... from <parents>)`, which every PostgreSQL-compatible
 * database can run, distributed ones included; parents are never multiplied, and related rows never cut.
 */
import { keyColumns, type EntityModel, type RelationProperty } from '../model/index.ts'
import type { Include, Selection } from '../plan/index.ts'
import { matching, relatedVisibility, tuple, whereClause, type ConditionContext } from './condition.ts'
import { EMPTY, join, name, sql, trusted, type Sql } from './fragment.ts'
import { objectJson, propertyColumns, propertyJson } from './json.ts'

/** The name and the JSON of one member of a record. */
type Member = readonly [key: string, value: Sql]

/** A selection on the rows of an expression. */
export interface RecordSql {
  readonly members: readonly Member[]
  /** Common table expressions that the members need, in order. */
  readonly expressions: readonly Sql[]
  /** Joins to them. */
  readonly joins: Sql
}

/** The members of a selection's records, read from a table (then it has no includes) or from a projection of it. */
export function recordSql (selection: Selection, alias: string, projected: boolean, context: ConditionContext): RecordSql {
  const members: Member[] = selection.properties.map((property) => [property.publicName, propertyJson(property, alias, projected)])
  const expressions: Sql[] = []
  let joins: Sql = EMPTY
  for (const include of selection.includes) {
    const { relation } = include
    const included = includeSql(include, alias, context)
    expressions.push(...included.expressions)
    const keys = relation.join.columns.map((_, index) => keyName(index))
    joins = sql`${joins} left join ${name(included.name)} on ${matching(included.name, keys, alias, relation.join.columns)}`
    const value = name(included.name, JSON_NAME)
    members.push([relation.publicName, relation.many ? sql`coalesce(${value}, '[]'::json)` : value])
  }
  return { members, expressions, joins }
}

/** The columns that a selection needs of its rows, by name: those of its properties, and the keys of its includes. */
export function projection (selection: Selection, alias: string): Map<string, Sql> {
  const columns = new Map<string, Sql>()
  for (const property of selection.properties) {
    for (const [column, value] of propertyColumns(property, alias)) columns.set(column, value)
  }
  for (const { relation } of selection.includes) {
    for (const column of relation.join.columns) columns.set(column, name(alias, column))
  }
  return columns
}

/** `<value> as "<name>", ...` */
export function selectList (columns: Iterable<readonly [name: string, value: Sql]>): Sql {
  const list = [...columns].map(([column, value]) => sql`${value} as ${name(column)}`)
  // a record of nothing is still a record
  return list.length === 0 ? trusted('') : join(list)
}

/** Names inside the expression of an include: the parts of the parent's key, and the JSON. */
const keyName = (index: number): string => `@key${index}`
const JSON_NAME = '@json'

function includeSql ({ relation, selection }: Include, parents: string, context: ConditionContext): { readonly name: string, readonly expressions: readonly Sql[] } {
  const rows = relatedRows(relation, parents, context)
  const keys = rows.keys.map((value, index) => sql`${value} as ${name(keyName(index))}`)
  const as = context.names.expression(relation.name)

  if (selection.includes.length === 0) {
    const { members } = recordSql(selection, rows.alias, false, context)
    const body = aggregate(relation, keys, objectJson(members), relatedOrder(relation, rows.alias), rows.keys)
    return { name: as, expressions: [sql`${name(as)} as (select ${body.select} from ${rows.from}${body.groupBy})`] }
  }

  // with relations of its own to include, the rows are an expression, too: the parents of the next level
  const level = context.names.expression(`${relation.name}_rows`)
  const columns = projection(selection, rows.alias)
  for (const { column } of [...relation.order, ...keyColumns(relation.target)]) columns.set(column, name(rows.alias, column))
  const levelSql = sql`${name(level)} as (select ${join([...keys, selectList(columns)])} from ${rows.from})`
  const record = recordSql(selection, level, true, context)
  const levelKeys = keys.map((_, index) => name(level, keyName(index)))
  const body = aggregate(relation, levelKeys.map((value, index) => sql`${value} as ${name(keyName(index))}`), objectJson(record.members), relatedOrder(relation, level), levelKeys)
  return {
    name: as,
    expressions: [levelSql, ...record.expressions, sql`${name(as)} as (select ${body.select} from ${name(level)}${record.joins}${body.groupBy})`],
  }
}

/** To-many: the records of one parent together, in the order of their keys. To-one: the record. */
function aggregate (relation: RelationProperty, keys: readonly Sql[], json: Sql, order: readonly Sql[], groups: readonly Sql[]) {
  return relation.many
    ? { select: sql`${join(keys)}, json_agg(${json} order by ${join(order)}) as ${name(JSON_NAME)}`, groupBy: sql` group by ${join(groups)}` }
    : { select: sql`${join(keys)}, ${json} as ${name(JSON_NAME)}`, groupBy: EMPTY }
}

/** The order of the related records of one parent: the relation's own, and then their keys. */
function relatedOrder ({ order, target }: RelationProperty, alias: string): readonly Sql[] {
  const direction = (descending: boolean, nullable: boolean) => trusted(descending ? nullable ? ' desc nulls last' : ' desc' : '')
  return [
    ...order.map(({ column, descending, nullable }) => sql`${name(alias, column)}${direction(descending, nullable)}`),
    ...keyColumns(target).map(({ column }) => name(alias, column)),
  ]
}

/** The rows related to any of the parents, and what they have of the parent's key. */
function relatedRows (relation: RelationProperty, parents: string, context: ConditionContext) {
  const { join: by, target } = relation
  const alias = context.names.table()
  const among = (of: string, columns: readonly string[]) => sql`${tuple(of, columns)} in (select ${join(by.columns.map((column) => name(parents, column)))} from ${name(parents)})`
  const visible = relatedVisibility(relation, alias, context)
  const table = sql`${trusted((target as EntityModel).table)} as ${name(alias)}`
  if (by.kind !== 'pivot') {
    const where = whereClause([among(alias, by.targetColumns), ...visible])
    return { alias, keys: by.targetColumns.map((column) => name(alias, column)), from: sql`${table}${where}` }
  }
  const pivot = context.names.table()
  const on = matching(alias, by.targetColumns, pivot, by.pivotTargetColumns)
  const where = whereClause([among(pivot, by.pivotColumns), ...visible])
  return { alias, keys: by.pivotColumns.map((column) => name(pivot, column)), from: sql`${trusted(by.table)} as ${name(pivot)} inner join ${table} on ${on}${where}` }
}
