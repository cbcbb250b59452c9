/** What a read does if the form of its statement was a wrong guess. */
import type { ReadPlan } from '../plan/index.ts'
import type { Form, Row } from '../sql/index.ts'
import { isDoubtful, type LimitedPlan } from './answer-limits.ts'

/**
 * The plan with what the rows of its statement show, if they are no answer. `formOf` chooses another form for it.
 *
 * - A statement that gathers rows has no total if there are too many: the page and the total are then read apart, or
 *   all rows are gathered.
 * - A statement that is trusted may leave open whether the answer is within its limits: the answer is then measured.
 *   Only few, large answers need that, so all others are spared its cost.
 *
 * @throws {TooLargeError} when the rows show that the answer exceeds a limit
 */
export function planAgain (plan: ReadPlan, form: Form, rows: readonly Row[]): ReadPlan | undefined {
  if (plan.kind === 'list' && form.rows === 'gathered' && rows[0]!.total === null) return { ...plan, hasManyRows: true }
  return isLimited(plan) && isDoubtful(plan, form, rows) ? { ...plan, isDoubtful: true } : undefined
}

const isLimited = (plan: ReadPlan): plan is LimitedPlan =>
  plan.kind === 'list' || plan.kind === 'keyset' || plan.kind === 'get'
