/** The rows of a read: its plan compiled, and its statement run. */
import type { GetPlan, KeysetPlan, ListPlan, Plan } from '../plan/index.ts'
import type {
  CompiledRead,
  CrudClass,
  CrudContext,
  CrudSession,
  ReadOptions,
  RequestConditions,
  Resource,
  Session,
} from '../resource/index.ts'
import { contextOf, readStatement, sharedEmOf } from '../resource/index.ts'
import { enterStage, isDoubtful, type QueryOperation, type Row } from '../run/index.ts'

/** A read as its steps see it. */
export interface Read<On extends CrudSession = Session> {
  readonly crud: CrudClass
  readonly resource: Resource
  readonly session: On
  readonly conditions: RequestConditions
  readonly operation: QueryOperation
}

/** The rows that a statement has found. */
export interface Found {
  readonly rows: readonly Row[]
  readonly statement: CompiledRead
}

/** Begins a read: the resource meets its ORM here, if it is the first time. */
export function beginRead<On extends CrudSession> (
  crud: CrudClass,
  session: On,
  options: ReadOptions,
  operation: QueryOperation
): Read<On> {
  const resource = crud.bind(sharedEmOf(session))
  enterStage('plan')
  return { crud, resource, session, conditions: resource.conditionsOf(options), operation }
}

/** What hooks look at. */
export function hookContext ({ session, conditions }: Read<CrudSession>): CrudContext {
  return contextOf(session, conditions.context)
}

export async function findRows ({ resource, session, conditions, operation }: Read, plan: Plan): Promise<Found> {
  const statement = await resource.prepare(session, plan, conditions, operation)
  return { rows: await readStatement(session, statement), statement }
}

/**
 * The rows of an answer that is within its limits. Where they cannot be told from those of one that is not, a statement
 * that weighs its answer decides: few and large answers need it, so that no other has to pay for it.
 */
export async function findWithinLimits (
  read: Read,
  plan: ListPlan | KeysetPlan | GetPlan
): Promise<Found> {
  const found = await findRows(read, plan)
  if (!isDoubtful(plan, found.rows)) return found
  const weighed = { ...plan, weighed: true }
  const certain = await findRows(read, weighed)
  isDoubtful(weighed, certain.rows)
  return certain
}
