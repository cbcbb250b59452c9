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
import type { Statement } from './fragment.ts'

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
