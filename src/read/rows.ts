/** Begins a read, compiles the statements of its plan, and reads their rows. */
import { wait, type Steps } from '../base/steps.ts'
import type { GetPlan, KeysetPlan, ListPlan, Plan } from '../plan/index.ts'
import {
  type Call,
  type CompiledRead,
  type RequestConditions,
  type ReadFilters,
  readStatement,
} from '../resource/index.ts'
import { isDoubtful } from '../answer/index.ts'
import { enterStage } from '../run/index.ts'
import type { Row } from '../sql/index.ts'

/** A read in progress: the argument of its steps. */
export interface Read extends Pick<Call, 'crud' | 'resource' | 'session' | 'operation'> {
  readonly conditions: RequestConditions
}

/** The plan of an answer with limits. */
type LimitedPlan = ListPlan | KeysetPlan | GetPlan

/** The rows that a statement returned. */
export interface FoundRows {
  readonly rows: readonly Row[]
  readonly statement: CompiledRead
}

/** @throws {ScopeError} for a scope that is not certainly a condition */
export function beginRead (call: Call): Read {
  const { crud, resource, session, operation, options, actor } = call
  enterStage('plan')
  return { crud, resource, session, conditions: resource.readConditions(options, actor), operation }
}

/** A read whose filters are known, so that it can prepare all of its statements without waiting. */
export interface PreparedRead extends Read {
  readonly filters: ReadFilters
}

/** Asks for the filters of a read. */
export function * prepareRead (read: Read, plan: Plan): Steps<PreparedRead> {
  return { ...read, filters: yield * read.resource.filtersOf(read.session, plan, read.conditions) }
}

/** The rows of a plan. */
export function * findRows (read: PreparedRead, plan: Plan): Steps<FoundRows> {
  const { resource, session, conditions, operation, filters } = read
  const statement = resource.prepareWith(session, plan, conditions, operation, filters)
  const found = { rows: yield * wait(readStatement(session, statement)), statement }
  return hasAnswer(found) ? found : yield * findRows(read, { ...(plan as ListPlan), gathered: false })
}

/**
 * Whether rows are the answer of their statement. A statement that had to gather too many rows has none, and its shape
 * learns from that.
 */
function hasAnswer ({ rows: [row], statement: { gathering } }: FoundRows): boolean {
  if (gathering === undefined) return true
  const succeeded = row!.total !== null
  gathering.report(succeeded)
  return succeeded
}

/**
 * Reads the rows of an answer and checks the answer against its limits. If the rows do not show whether a limit was
 * exceeded, a second statement that measures its answer decides. Only few, large answers need it, so all others are
 * spared its cost.
 *
 * @throws {TooLargeError} when the answer exceeds a limit
 */
export function * findWithinLimits (read: PreparedRead, plan: LimitedPlan): Steps<FoundRows> {
  const found = yield * findRows(read, plan)
  if (!isDoubtful(plan, found.rows)) return found
  // a page that could not be gathered is not gathered when it is measured, either
  const gathered = plan.kind === 'list' && { gathered: found.statement.gathering !== undefined }
  const weighed: LimitedPlan = { ...plan, weighed: true, ...gathered }
  const certain = yield * findRows(read, weighed)
  isDoubtful(weighed, certain.rows)
  return certain
}
