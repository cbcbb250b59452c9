/**
 * A form of a statement that PostgreSQL keeps by name, and nevertheless plans for the values of each run.
 *
 * A kept statement is not parsed and analyzed again, which is a third of the server's time for a list. But from its
 * sixth run PostgreSQL compares its costs for these values with the costs of one plan for all values, and keeps that
 * plan if it seems cheaper. A list needs other plans for frequent values than for rare ones: 2.5 times the server's
 * time was measured for a frequent value. The setting `plan_cache_mode` would also change the statements of single
 * records, which are fastest with one plan.
 *
 * So the form has a condition that is always true. If the values are known, the planner sees this and drops it. If they
 * are not, the plan must provide for a subquery with an enormous cost, so the one plan for all values never seems
 * cheaper. The subquery never runs.
 */
import type { Slot } from '../plan/index.ts'
import { sql, type Sql, type Statement } from './fragment.ts'

const NEVER_RUN = '(select count(*) from generate_series(1, 1000000000000000000)) > 0'

/**
 * The text of this form.
 *
 * @param order the order by clause at the end of the statement, if it has one. Before it, the statement has no where
 * clause.
 * @param positive the slot of a number that is always greater than 0
 */
export function plannedForValues ({ text, slots }: Statement, order: string, positive: Slot): string {
  const from = text.slice(0, text.length - order.length)
  return `${from} where $${slots.indexOf(positive) + 1} > 0 or ${NEVER_RUN}${order}`
}

/**
 * The end of a statement without a where clause that finds rows by one value. To plan it may take as long as to run it,
 * and one plan suits all values if few rows have each. Here, the subquery that never runs counts all rows with the
 * value. So PostgreSQL keeps one plan if counting the rows of a usual value seems cheaper than the statement was for
 * the values of its first runs. If usual values are frequent, such as those of a status, it plans each run.
 *
 * @param positive the slot of a number that is always greater than 0
 * @param rows a `from` clause of all rows with the value
 */
export const plannedOnceIfRare = (positive: Slot, rows: Sql): Sql =>
  sql` where ${positive} > 0 or (select count(*)${rows}) < 0`
