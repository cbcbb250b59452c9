/**
 * Records as JSON: the properties of a selection, and its included relations.
 *
 * An included relation is a common table expression that has the related records as JSON by the key of their parent,
 * and is joined to the parents. It finds its rows by `in (select ... from <parents>)`, which every PostgreSQL-compatible
 * database can run, distributed ones included; parents are never multiplied, and related rows never cut.
 */
import type { RelationProperty } from '../model/index.ts'
import type { Include, Selection } from '../plan/index.ts'
import { aggregatesSql } from './aggregate.ts'
import type { ConditionContext } from './condition.ts'
import { EMPTY, join, name, sql, trusted, type Sql } from './fragment.ts'
import { objectJson, propertyColumns, propertyJson } from './json.ts'
import { carriedOrder, orderList, sortName, type OrderExpression } from './order.ts'
import { joinParents, keyName, relatedOrder, relatedRows, type RelatedRows } from './related.ts'

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

/** Whether records show anything but columns of their own: then their rows have to be an expression. */
export function showsRelated ({ includes, aggregates }: Selection): boolean {
  return includes.length > 0 || aggregates.length > 0
}

/** The members of a selection's records, read from a table (then they show nothing related) or from a projection of it. */
export function recordSql (selection: Selection, alias: string, projected: boolean, context: ConditionContext): RecordSql {
  const members: Member[] = selection.properties.map((property) => [property.publicName, propertyJson(property, alias, projected)])
  if (!showsRelated(selection)) return { members, expressions: [], joins: EMPTY }
  const expressions: Sql[] = []
  const joins: Sql[] = []
  for (const include of selection.includes) {
    const { relation } = include
    const included = includeSql(include, alias, context)
    expressions.push(...included.expressions)
    joins.push(joinParents(included.name, relation, alias))
    const value = name(included.name, JSON_NAME)
    members.push([relation.publicName, relation.many ? sql`coalesce(${value}, '[]'::json)` : value])
  }
  const aggregates = aggregatesSql(selection.aggregates, alias, context)
  return {
    members: [...members, ...aggregates.members],
    expressions: [...expressions, ...aggregates.expressions],
    joins: join([...joins, ...aggregates.joins], ''),
  }
}

/** The columns that a selection needs of its rows, by name: those of its properties, and the keys of its relations. */
export function projection (selection: Selection, alias: string): Map<string, Sql> {
  const columns = new Map<string, Sql>()
  for (const property of selection.properties) {
    for (const [column, value] of propertyColumns(property, alias)) columns.set(column, value)
  }
  for (const { relation } of [...selection.includes, ...selection.aggregates]) {
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

/** Names inside the expression of an include. */
const JSON_NAME = '@json'
const NUMBER_NAME = '@number'

interface IncludeSql {
  readonly name: string
  readonly expressions: readonly Sql[]
}

function includeSql (include: Include, parents: string, context: ConditionContext): IncludeSql {
  const { relation, selection, rules } = include
  const rows = relatedRows(relation, parents, rules?.where, context)
  const as = context.names.expression(relation.name)
  if (showsRelated(selection) || rules?.limit !== undefined) return includeByLevel(include, rows, as, context)
  const { members } = recordSql(selection, rows.alias, false, context)
  const { joins, expressions: order } = relatedOrder(include, rows.alias, context)
  const body = aggregate(relation, rows.keys, objectJson(members), order)
  return { name: as, expressions: [sql`${name(as)} as (select ${body.select} from ${rows.table}${joins}${rows.where}${body.groupBy})`] }
}

/** With a limit, or relations of its own to show, the rows are an expression, too: the parents of the next level. */
function includeByLevel (include: Include, rows: RelatedRows, as: string, context: ConditionContext): IncludeSql {
  const { relation, selection, rules } = include
  const level = context.names.expression(`${relation.name}_rows`)
  const { joins, expressions: order } = relatedOrder(include, rows.alias, context)
  const columns = projection(selection, rows.alias)
  const keys = keyList(rows.keys)
  const from = sql`${rows.table}${joins}${rows.where}`
  let levelSql: Sql
  let carried: readonly OrderExpression[]
  if (rules?.limit === undefined) {
    if (relation.many) for (const [index, { value }] of order.entries()) columns.set(sortName(index), value)
    carried = carriedOrder(order, level)
    levelSql = sql`select ${join([...keys, selectList(columns)])} from ${from}`
  } else {
    // numbered for each parent: a limit of the whole would leave some without any
    columns.set(NUMBER_NAME, sql`row_number() over (partition by ${join(rows.keys)} order by ${orderList(order)})`)
    carried = [{ value: name(level, NUMBER_NAME), direction: EMPTY }]
    levelSql = sql`select * from (select ${join([...keys, selectList(columns)])} from ${from}) as "@all" where ${name(NUMBER_NAME)} <= ${trusted(String(rules.limit))}`
  }
  const record = recordSql(selection, level, true, context)
  const body = aggregate(relation, rows.keys.map((_, index) => name(level, keyName(index))), objectJson(record.members), carried)
  return {
    name: as,
    expressions: [sql`${name(level)} as (${levelSql})`, ...record.expressions, sql`${name(as)} as (select ${body.select} from ${name(level)}${record.joins}${body.groupBy})`],
  }
}

const keyList = (keys: readonly Sql[]): readonly Sql[] => keys.map((value, index) => sql`${value} as ${name(keyName(index))}`)

/** To-many: the records of one parent together, in order. To-one: the record. */
function aggregate (relation: RelationProperty, keys: readonly Sql[], json: Sql, order: readonly OrderExpression[]) {
  return relation.many
    ? { select: sql`${join(keyList(keys))}, json_agg(${json} order by ${orderList(order)}) as ${name(JSON_NAME)}`, groupBy: sql` group by ${join(keys)}` }
    : { select: sql`${join(keyList(keys))}, ${json} as ${name(JSON_NAME)}`, groupBy: EMPTY }
}
