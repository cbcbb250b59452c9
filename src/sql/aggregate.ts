/**
 * Numbers about relations. Like an included relation, an aggregate is computed in a common table expression by the key
 * of the parent, so that neither other aggregates nor included records multiply what it counts.
 */
import type { Aggregate } from '../plan/index.ts'
import type { ConditionContext } from './condition.ts'
import { join, name, sql, trusted, type Sql } from './fragment.ts'
import { column, jsonValue } from './json.ts'
import { joinParents, keyName, relatedRows } from './related.ts'
import { idOf } from './shape.ts'

export interface AggregatesSql {
  /** The value of each aggregate by its name in records. */
  readonly members: ReadonlyArray<readonly [name: string, value: Sql]>
  readonly expressions: readonly Sql[]
  /** Joins of the expressions to the parents. */
  readonly joins: readonly Sql[]
}

/** Aggregates of the same rows share an expression. */
export function aggregatesSql (aggregates: readonly Aggregate[], parents: string, context: ConditionContext): AggregatesSql {
  const members: [string, Sql][] = []
  const expressions: Sql[] = []
  const joins: Sql[] = []
  for (const group of Map.groupBy(aggregates, rowsOf).values()) {
    const { relation, where } = group[0]!
    const rows = relatedRows(relation, parents, where, context)
    const as = context.names.expression(`${relation.name}_values`)
    const columns = [
      ...rows.keys.map((value, index) => sql`${value} as ${name(keyName(index))}`),
      ...group.flatMap((aggregate, index) => aggregate.function === 'exists' ? [] : [sql`${valueSql(aggregate, rows.alias)} as ${name(valueName(index))}`]),
    ]
    expressions.push(sql`${name(as)} as (select ${join(columns)} from ${rows.table}${rows.where} group by ${join(rows.keys)})`)
    joins.push(joinParents(as, relation, parents))
    for (const [index, aggregate] of group.entries()) members.push([aggregate.name, memberSql(aggregate, as, index)])
  }
  return { members, expressions, joins }
}

const valueName = (index: number): string => `@value${index}`

/** Equal for aggregates of the same rows. */
const rowsOf = ({ relation, where }: Aggregate): string => `${idOf(relation)} ${where === undefined ? '' : idOf(where)}`

/** Over the rows of one parent. */
function valueSql ({ function: fn, property, type }: Aggregate, alias: string): Sql {
  if (property === undefined) return trusted('count(*)')
  const value = sql`${trusted(fn)}(${column(property, alias)})`
  if (fn !== 'avg') return value
  // the mean of integers and decimals has as many digits as PostgreSQL thinks fit, most of them zeros
  return type.kind === 'float' ? sql`${value}::float8` : sql`regexp_replace(${value}::text, '(\\.[0-9]*[1-9])0+$|\\.0+$', '\\1')`
}

/** In wire form, for a parent that may have no rows. */
function memberSql ({ function: fn, property, type }: Aggregate, expression: string, index: number): Sql {
  const value = name(expression, valueName(index))
  if (fn === 'count') return sql`coalesce(${value}, 0)`
  if (fn === 'exists') return sql`${name(expression, keyName(0))} is not null`
  const read = property?.codec?.read
  return read === undefined ? jsonValue(value, type) : trusted(read(value.pieces.join('')))
}
