/**
 * Aggregates: numbers that are computed from related rows, such as a count. Like an included relation, an aggregate is
 * a common table expression grouped by the key of the parent. Other aggregates and included records therefore cannot
 * multiply the rows that it counts.
 */
import type { Aggregate } from '../plan/index.ts'
import { join, name, sql, trusted, type Sql } from './fragment.ts'
import { shownNumber } from './number-value.ts'
import { joinParents, keyName, relatedRows } from './related.ts'
import { idOf } from './shape.ts'
import type { ConditionContext } from './visibility.ts'
import { jsonValue } from './wire-types.ts'

export interface AggregatesSql {
  /** The value of each aggregate by its name in records. */
  readonly members: ReadonlyArray<readonly [name: string, value: Sql]>
  readonly expressions: readonly Sql[]
  /** Joins of the expressions to the parents. */
  readonly joins: readonly Sql[]
}

/** Compiles aggregates. Those over the same rows share a common table expression. */
export function aggregatesSql (
  aggregates: readonly Aggregate[],
  parents: string,
  context: ConditionContext
): AggregatesSql {
  const members: [string, Sql][] = []
  const expressions: Sql[] = []
  const joins: Sql[] = []
  for (const group of Map.groupBy(aggregates, rowsOf).values()) {
    const { relation, where } = group[0]!
    const rows = relatedRows(relation, parents, where, context)
    const as = context.names.expression(`${relation.name}_values`)
    const columns = [
      ...rows.keys.map((value, index) => sql`${value} as ${name(keyName(index))}`),
      ...group.flatMap((aggregate, index) =>
        aggregate.function === 'exists' ? [] : [sql`${shownNumber(aggregate, rows.alias)} as ${name(valueName(index))}`]
      ),
    ]
    expressions.push(
      sql`${name(as)} as (select ${join(columns)} from ${rows.table}${rows.where} group by ${join(rows.keys)})`
    )
    joins.push(joinParents(as, relation, parents))
    for (const [index, aggregate] of group.entries()) members.push([aggregate.name, memberSql(aggregate, as, index)])
  }
  return { members, expressions, joins }
}

const valueName = (index: number): string => `@value${index}`

/** A text that is equal for aggregates over the same rows. */
const rowsOf = ({ relation, where }: Aggregate): string => `${idOf(relation)} ${where === undefined ? '' : idOf(where)}`

/** The value of an aggregate in wire form, also for parents without related rows. */
function memberSql ({ function: fn, property, type }: Aggregate, expression: string, index: number): Sql {
  const value = name(expression, valueName(index))
  if (fn === 'count') return sql`coalesce(${value}, 0)`
  if (fn === 'exists') return sql`${name(expression, keyName(0))} is not null`
  const read = property?.codec?.read
  return read === undefined ? jsonValue(value, type) : trusted(read(value.pieces.join('')))
}
