/**
 * Aggregates: numbers that are computed from related rows, such as a count. Like an included relation, an aggregate is
 * a common table expression grouped by the key of the parent, or a lateral join. Other aggregates and included records
 * therefore cannot multiply the rows that it counts.
 */
import type { Aggregate } from '../plan/index.ts'
import { keyName, namedKey } from './columns.ts'
import { formOfRelation, type Form } from './form.ts'
import { join, name, sql, type Sql } from './fragment.ts'
import { valueJson } from './json.ts'
import { relatedRowsKey } from './number-uses.ts'
import { shownNumber } from './number-value.ts'
import { numbersOfEach, valueName } from './related-numbers.ts'
import { joinParents, relatedRows } from './related.ts'
import type { ConditionContext } from './visibility.ts'

interface AggregatesSql {
  /** The value of each aggregate by its name in records. */
  readonly members: ReadonlyArray<readonly [name: string, value: Sql]>
  readonly expressions: readonly Sql[]
  /** Joins of the expressions to the parents. */
  readonly joins: readonly Sql[]
}

/**
 * Compiles aggregates. Those over the same rows are computed together.
 *
 * @param related how related rows are found. See `Form` (`form.ts`)
 */
export function aggregatesSql (
  aggregates: readonly Aggregate[],
  parents: string,
  related: Form['related'],
  context: ConditionContext
): AggregatesSql {
  const members: [string, Sql][] = []
  const expressions: Sql[] = []
  const joins: Sql[] = []
  for (const group of Map.groupBy(aggregates, relatedRowsKey).values()) {
    const { relation, where } = group[0]!
    if (formOfRelation(related, relation) === 'each') {
      const as = context.names.expression(`${relation.name}_values`)
      joins.push(numbersOfEach(group, parents, as, shownNumber, context))
      for (const [index, aggregate] of group.entries()) {
        members.push([aggregate.name, wireNumber(aggregate, name(as, valueName(index)))])
      }
      continue
    }
    const rows = relatedRows(relation, parents, where, context)
    const as = context.names.expression(`${relation.name}_values`)
    const columns = [
      ...namedKey(rows.keys),
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

/** The value of an aggregate in wire form, also for parents that the expression lacks. */
function memberSql (aggregate: Aggregate, expression: string, index: number): Sql {
  const value = name(expression, valueName(index))
  switch (aggregate.function) {
    case 'count':
      return sql`coalesce(${value}, 0)`
    case 'exists':
      return sql`${name(expression, keyName(0))} is not null`
    default:
      return wireNumber(aggregate, value)
  }
}

function wireNumber ({ function: fn, property, type }: Aggregate, value: Sql): Sql {
  return fn === 'count' || fn === 'exists' ? value : valueJson(value, type, property?.codec)
}
