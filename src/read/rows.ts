/** Begins a read, and prepares the statements of its plan: `reading...` functions yield them and get their rows. */
import type { Actor } from '../access/index.ts'
import type { GetPlan, KeysetPlan, ListPlan, Plan } from '../plan/index.ts'
import {
  type CompiledRead,
  type CrudClass,
  type CrudContext,
  type CrudSession,
  type ReadOptions,
  type RequestConditions,
  type Resource,
  type Session,
  actorOf,
  crudContext,
  type ReadFilters,
  readStatement,
  resourceFor,
} from '../resource/index.ts'
import { isDoubtful } from '../answer/index.ts'
import { enterStage, type QueryOperation } from '../run/index.ts'
import type { Row } from '../sql/index.ts'
import { send, type Reading } from './reading.ts'

/** A read in progress: the argument of its steps. */
export interface Read<On extends CrudSession = Session> {
  readonly crud: CrudClass
  readonly resource: Resource
  readonly session: On
  readonly conditions: RequestConditions
  readonly operation: QueryOperation
}

/** The plan of an answer with limits. */
export type LimitedPlan = ListPlan | KeysetPlan | GetPlan

/** The rows that a statement returned. */
export interface FoundRows {
  readonly rows: readonly Row[]
  readonly statement: CompiledRead
}

/**
 * Begins a read. The first read binds the resource to its ORM.
 *
 * @returns a promise if the application must first tell the role that the session acts for
 */
export function beginRead<On extends Session> (
  crud: CrudClass,
  session: On,
  options: ReadOptions,
  operation: QueryOperation
): Read<On> | Promise<Read<On>> {
  const actor = actorOf(session)
  return actor instanceof Promise
    ? actor.then((actor) => beginReadAs(actor, crud, session, options, operation))
    : beginReadAs(actor, crud, session, options, operation)
}

/** Begins a read for a role. */
export function beginReadAs<On extends CrudSession> (
  actor: Actor | undefined,
  crud: CrudClass,
  session: On,
  options: ReadOptions,
  operation: QueryOperation
): Read<On> {
  const resource = resourceFor(crud, session, actor, operation)
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
