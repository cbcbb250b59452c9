/**
 * Conditions on numbers about related rows: `key in (select ... group by ... having ...)`, as a filter through the
 * relation has. Distributed databases refuse a correlated subquery.
 */
import type { RelatedNumber } from '../plan/index.ts'
import { join, sql, trusted, type Sql } from './fragment.ts'
import { comparedNumber, numberOfNone } from './number-value.ts'
import type { RelatedRows } from './related.ts'

/**
 * The test of a number.
 *
 * @param parent the key of the parent
 * @param holds the test of a value
 */
export function numberCondition (
  { aggregate }: RelatedNumber,
  parent: Sql,
  { alias, keys, table, where }: RelatedRows,
  holds: (value: Sql) => Sql
): Sql {
  const key = join(keys)
  const rows = sql`select ${key} from ${table}${where}`
  const having = sql`${rows} group by ${key} having ${holds(comparedNumber(aggregate, alias))}`
  const ofNone = holds(numberOfNone(aggregate) ?? trusted('null'))
  return sql`(${parent} in (${having}) or (${ofNone} and (${parent} in (${rows})) is not true))`
}
