/** Compiles the plan of a read, runs its statement and returns the rows. */
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
  readStatement,
  resourceFor,
} from '../resource/index.ts'
import { isDoubtful } from '../answer/index.ts'
import { enterStage, type QueryOperation } from '../run/index.ts'
import type { Row } from '../sql/index.ts'

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

export async function findRows (read: Read, plan: Plan): Promise<FoundRows> {
  const { resource, session, conditions, operation } = read
  const statement = await resource.prepare(session, plan, conditions, operation)
  const found = { rows: await readStatement(session, statement), statement }
  return hasAnswer(found) ? found : await findRows(read, ungathered(plan))
}

/**
 * Whether rows are the answer of their statement. A statement that had to gather too many rows has none, and its shape
 * learns from that.
 */
export function hasAnswer ({ rows: [row], statement: { gathering } }: FoundRows): boolean {
  if (gathering === undefined) return true
  const succeeded = row!.total !== null
  gathering.report(succeeded)
  return succeeded
}

/** The plan of a statement that reads the page and the total separately. */
export function ungathered<AnyPlan extends Plan> (plan: AnyPlan): AnyPlan {
  return { ...plan, gathered: false }
}

/**
 * Reads the rows of an answer and checks the answer against its limits. If the rows do not show whether a limit was
 * exceeded, a second statement that measures its answer decides. Only few, large answers need it, so all others are
 * spared its cost.
 */
export async function findWithinLimits (
  read: Read,
  plan: LimitedPlan
): Promise<FoundRows> {
  const found = await findRows(read, plan)
  const weighed = weighedPlan(plan, found)
  if (weighed === undefined) return found
  const certain = await findRows(read, weighed)
  weighedPlan(weighed, certain)
  return certain
}

/**
 * The plan of a statement that measures its answer, or `undefined` if the rows show that the answer is within its
 * limits.
 *
 * @throws {TooLargeError} when the rows show that the answer exceeds a limit
 */
export function weighedPlan<Limited extends LimitedPlan> (
  plan: Limited,
  { rows, statement: { gathering } }: FoundRows
): Limited | undefined {
  if (!isDoubtful(plan, rows)) return undefined
  // a page that could not be gathered is not gathered when it is measured, either
  return { ...plan, weighed: true, ...(plan.kind === 'list' && { gathered: gathering !== undefined }) }
}
