/** Begins a read, compiles the statements of its plan, and reads their rows. */
import { wait, type Steps } from '../base/steps.ts'
import type { ReadPlan } from '../plan/index.ts'
import {
  type Call, type CompiledRead, type RequestConditions, type ReadFilters, readStatement,
} from '../resource/index.ts'
import { planAgain } from '../answer/index.ts'
import { enterStage } from '../run/index.ts'
import type { Row } from '../sql/index.ts'

/** The rows that a statement returned. */
interface FoundRows {
  readonly rows: readonly Row[]
  readonly statement: CompiledRead
}

/**
 * The conditions of a read, which is now planned.
 *
 * @throws {ScopeError} for a scope that is not certainly a condition
 */
export function beginRead ({ resource, options, actor }: Call): RequestConditions {
  enterStage('plan')
  return resource.readConditions(options, actor)
}

/** A read whose filters are known, so that it can prepare all of its statements without waiting. */
export interface PreparedRead extends Pick<Call, 'crud' | 'resource' | 'session' | 'operation'> {
  readonly conditions: RequestConditions
  readonly filters: ReadFilters
}

/** Asks for the filters of a read. */
export function * prepareRead (call: Call, plan: ReadPlan, conditions: RequestConditions): Steps<PreparedRead> {
  const { crud, resource, session, operation } = call
  const filters = yield * resource.filtersOf(session, plan, conditions)
  return { crud, resource, session, operation, conditions, filters }
}

/**
 * The rows of a plan. If those of its first statement are no answer, because the form of the statement was a wrong
 * guess, another statement reads them again.
 *
 * @throws {TooLargeError} when the answer exceeds a limit
 */
export function * findRows (read: PreparedRead, plan: ReadPlan): Steps<FoundRows> {
  const { resource, session, conditions, operation, filters } = read
  const statement = resource.prepareWith(session, plan, conditions, operation, filters)
  const rows = yield * wait(readStatement(session, statement))
  // a doubtful page has been noted when it was read first
  if (plan.kind === 'list' && plan.isDoubtful !== true) statement.noteRow?.(rows[0]!)
  const again = planAgain(plan, statement.form!, rows)
  return again === undefined ? { rows, statement } : yield * findRows(read, again)
}
