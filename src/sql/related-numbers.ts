/**
 * Numbers about related rows as joins. Those about the same rows are computed together: for all parents at once, by the
 * parent's key, or for each parent by itself, in a lateral join.
 */
import type { Aggregate } from '../plan/index.ts'
import { equalKey, keyName } from './columns.ts'
import { formOfRelation, type Form } from './form.ts'
import { EMPTY, join, name, sql, type Sql } from './fragment.ts'
import { selectList } from './members.ts'
import { comparedNumber, numberOfNone } from './number-value.ts'
import { comparedNumbers, relatedRowsKey, sortedNumbers } from './number-uses.ts'
import { relatedRows } from './related.ts'
import type { ListShape } from './shape.ts'
import type { ConditionContext } from './visibility.ts'

export const valueName = (index: number): string => `@value${index}`

/** Joins numbers about the same rows to each parent. An aggregate without groups always has a row. */
export function numbersOfEach (
  aggregates: readonly Aggregate[],
  parents: string,
  as: string,
  value: (aggregate: Aggregate, alias: string) => Sql,
  context: ConditionContext
): Sql {
  const { relation, where } = aggregates[0]!
  const rows = relatedRows(relation, parents, where, context, 'each')
  const values = selectList(aggregates.map((aggregate, index) => [valueName(index), value(aggregate, rows.alias)]))
  return sql` cross join lateral (select ${values} from ${rows.table}${rows.where}) as ${name(as)}`
}

/** The same for all parents at once. Parents without related rows have nulls. */
function numbersOfAll (
  aggregates: readonly Aggregate[],
  parents: string,
  as: string,
  context: ConditionContext
): Sql {
  const { relation, where } = aggregates[0]!
  const { alias, keys, table, where: among } = relatedRows(relation, parents, where, context, 'kept')
  const list = selectList([
    ...keys.map((key, index) => [keyName(index), key] as const),
    ...aggregates.map((aggregate, index) => [valueName(index), comparedNumber(aggregate, alias)] as const),
  ])
  return sql` left join (select ${list} from ${table}${among} group by ${join(keys)}) as ${name(as)} on ${
    equalKey(as, parents, relation.join.columns)
  }`
}

/**
 * Joins the numbers by which the rows of an alias are filtered and sorted, and notes their values. A number that only
 * one condition compares is not joined: `numberCondition` tests it in a set of keys.
 *
 * @returns the joins that conditions need. Those for the order alone are noted
 */
export function joinNumbers (
  alias: string,
  { conditions, order = [] }: Pick<ListShape, 'conditions'> & Partial<Pick<ListShape, 'order'>>,
  numbers: Form['numbers'],
  context: ConditionContext
): Sql {
  const compared = comparedNumbers(conditions)
  const sorted = sortedNumbers(order)
  if (compared.length + sorted.length === 0) return EMPTY
  const values = new Map<Aggregate, Sql>()
  const joins = { compared: EMPTY, sorted: EMPTY }
  for (const uses of Map.groupBy([...compared, ...sorted], relatedRowsKey).values()) {
    const isCompared = compared.includes(uses[0]!)
    const ofEach = formOfRelation(numbers === 'each' ? 'each' : 'grouped', uses[0]!.relation) === 'each'
    if (uses.length === 1 && isCompared && !ofEach) continue
    const aggregates = [...new Set(uses)]
    const as = context.names.expression('numbers')
    const part = isCompared ? 'compared' : 'sorted'
    const joined = ofEach
      ? numbersOfEach(aggregates, alias, as, comparedNumber, context)
      : numbersOfAll(aggregates, alias, as, context)
    joins[part] = sql`${joins[part]}${joined}`
    for (const [index, aggregate] of aggregates.entries()) {
      const none = ofEach ? undefined : numberOfNone(aggregate)
      const value = name(as, valueName(index))
      values.set(aggregate, none === undefined ? value : sql`coalesce(${value}, ${none})`)
    }
  }
  context.numbers.set(alias, { values, ofOrder: joins.sorted })
  return joins.compared
}
