/** Begins a read, and prepares the statements of its plan: `reading...` functions yield them and get their rows. */
import type { GetPlan, KeysetPlan, ListPlan, Plan } from '../plan/index.ts'
import {
  type Call,
  type CompiledRead,
  type CrudContext,
  type CrudSession,
  type RequestConditions,
  type Session,
  crudContext,
  type ReadFilters,
  readStatement,
} from '../resource/index.ts'
import { isDoubtful } from '../answer/index.ts'
import { enterStage } from '../run/index.ts'
import type { Row } from '../sql/index.ts'
import { send, type Reading } from './reading.ts'

/** A read in progress: the argument of its steps. */
export interface Read<On extends CrudSession = Session>
  extends Pick<Call<On>, 'crud' | 'resource' | 'session' | 'operation'> {
  readonly conditions: RequestConditions
}

/** The plan of an answer with limits. */
export type LimitedPlan = ListPlan | KeysetPlan | GetPlan

/** The rows that a statement returned. */
export interface FoundRows {
  readonly rows: readonly Row[]
  readonly statement: CompiledRead
}

/** @throws {ScopeError} for a scope that is not certainly a condition */
export function beginRead<On extends CrudSession> (call: Call<On>): Read<On> {
  const { crud, resource, session, operation, options, actor } = call
  enterStage('plan')
  return { crud, resource, session, conditions: resource.readConditions(options, actor), operation }
}

/** The context that hooks get. */
export function hookContext ({ session, conditions }: Read<CrudSession>): CrudContext {
  return crudContext(session, conditions.context)
}

/** A read whose filters are known, so that it can prepare all of its statements without waiting. */
export interface PreparedRead extends Read<CrudSession> {
  readonly filters: ReadFilters
}

/** Sends the statements of a read on a session with promises. */
export async function sendRead<Result> (
  read: Read,
  plan: Plan,
  prepare: (read: PreparedRead) => Reading<Result>
): Promise<Result> {
  const { resource, session, conditions } = read
  const filters = await resource.filtersOf(session, plan, conditions)
  return await send(prepare({ ...read, filters }), (statement) => readStatement(session, statement))
}

/** The rows of a plan. */
export function * readingRows (read: PreparedRead, plan: Plan): Reading<FoundRows> {
  const { resource, session, conditions, operation, filters } = read
  const statement = resource.prepareWith(session, plan, conditions, operation, filters)
  const found = { rows: yield statement, statement }
  return hasAnswer(found) ? found : yield * readingRows(read, { ...(plan as ListPlan), gathered: false })
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
export function * readingWithinLimits (read: PreparedRead, plan: LimitedPlan): Reading<FoundRows> {
  const found = yield * readingRows(read, plan)
  if (!isDoubtful(plan, found.rows)) return found
  // a page that could not be gathered is not gathered when it is measured, either
  const gathered = plan.kind === 'list' && { gathered: found.statement.gathering !== undefined }
  const weighed: LimitedPlan = { ...plan, weighed: true, ...gathered }
  const certain = yield * readingRows(read, weighed)
  isDoubtful(weighed, certain.rows)
  return certain
}
