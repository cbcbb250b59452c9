/**
 * One logic for two kinds of sessions. What a resource does is written once, as a generator that yields the promises it
 * has to wait for: on an EntityManager they are awaited, on a synchronous session there are none.
 */
import { ValidationError } from '@mikro-orm/core'
import type { EntityManager } from '@mikro-orm/postgresql'
import { SyncSession } from '../database/index.ts'
import { ConfigError, DatabaseError } from '../errors.ts'
import type { EntityModel } from '../model/index.ts'
import { read, run, runAround, runOutside, transact, type BoundStatement, type Row } from '../run/index.ts'
import type { CrudContext } from './context.ts'
import { RequestSession } from './request-session.ts'

/**
 * Where the methods of `CrudBase` work: an EntityManager, or a session of a factory with `useAsync: false`. The generated
 * routes have one of their own.
 */
export type CrudSession = EntityManager | SyncSession | RequestSession

/** What a method of `CrudBase` returns: the value on a synchronous session, else its promise; so also where the session is `any`. */
export type CrudResult<Session extends CrudSession, Value> = 0 extends 1 & Session ? Promise<Value>
  : Session extends SyncSession ? Value
    : Promise<Value>

export type MaybePromise<Value> = Value | Promise<Value>

/** What work has to wait for. */
interface Pending {
  readonly promise: Promise<unknown>
  /** Whose promise it is. */
  readonly of: string
}

/** Work that is done step by step, and its result. */
export type Work<Result> = Generator<Pending, Result, any>

/** A step: goes on with the value, or with what its promise brings. */
export function * wait<Value> (value: MaybePromise<Value>, of = 'MikroORM'): Work<Value> {
  return isPromise(value) ? yield { promise: value, of } : value
}

/** A step: calls that don't wait for one another. */
export function * waitForAll<Value> (
  calls: ReadonlyArray<() => MaybePromise<Value>>,
  of: string
): Work<readonly Value[]> {
  const values: MaybePromise<Value>[] = []
  try {
    for (const call of calls) values.push(call())
  } catch (error) {
    // nobody will look at those that have begun
    Promise.allSettled(values)
    throw error
  }
  return yield * wait(allOf(values), of)
}

/** What comes of a value, now or once its promise has brought it: generators would slow down reads, which are few steps. */
export function after<Value, Result> (
  value: MaybePromise<Value>,
  next: (value: Value) => MaybePromise<Result>
): MaybePromise<Result> {
  return isPromise(value) ? (value as Promise<Value>).then(next) : next(value as Value)
}

/** Values that don't wait for one another. */
export function allOf<Value> (values: ReadonlyArray<MaybePromise<Value>>): MaybePromise<readonly Value[]> {
  // the usual case, at a third of the cost
  if (values.length === 1) return after(values[0]!, (value) => [value])
  return values.some(isPromise) ? Promise.all(values) : values as readonly Value[]
}

/** Does the work where its session says. */
export function perform<Session extends CrudSession, Result> (
  session: Session,
  work: Work<Result>
): CrudResult<Session, Result> {
  return (session instanceof SyncSession ? performSync(work) : performAsync(work)) as CrudResult<Session, Result>
}

export async function performAsync<Result> (work: Work<Result>): Promise<Result> {
  let step = work.next()
  while (step.done !== true) {
    let value: unknown
    try {
      value = await step.value.promise
    } catch (error) {
      step = work.throw(error)
      continue
    }
    step = work.next(value)
  }
  return step.value
}

export function performSync<Result> (work: Work<Result>): Result {
  let step = work.next()
  while (step.done !== true) {
    const { promise, of } = step.value
    // its own failure is nobody's any more
    Promise.allSettled([promise])
    step = work.throw(
      new ConfigError(
        `${of} returned a promise, ${CAN_NOT_WAIT}: return the value itself, or use a DatabaseFactory without useAsync: false.`
      )
    )
  }
  return step.value
}

const CAN_NOT_WAIT = 'which a synchronous session (useAsync: false) can not wait for'

/** @throws {ConfigError} on a synchronous session, for what takes promises */
export function requirePromises (session: CrudSession, what: string): void {
  if (session instanceof SyncSession) {
    throw new ConfigError(
      `${what}, ${CAN_NOT_WAIT}: use a DatabaseFactory without useAsync: false, and await the result.`
    )
  }
}

/** The EntityManager of a session. */
export function emOf (session: CrudSession): EntityManager {
  return session instanceof SyncSession || session instanceof RequestSession ? session.em : session
}

/** An EntityManager that has the metadata, the configuration and the query builder of a session, and nothing of its state. */
export function sharedEmOf (session: CrudSession): EntityManager {
  return session instanceof RequestSession ? session.opened ?? session.shared : emOf(session)
}

/** Whether the session has variables or a role by which policies of row level security may hide rows from it. */
export function hasSessionContext (session: CrudSession): boolean {
  if (session instanceof SyncSession) return false
  const em = session instanceof RequestSession ? session.opened : session
  return em?.getSessionContext() !== undefined
}

/** What hooks and custom filters look at. */
export function contextOf (session: CrudSession, context: Readonly<Record<string, unknown>> | undefined): CrudContext {
  if (session instanceof SyncSession) return { ...context, em: session.em, session }
  return session instanceof RequestSession
    ? {
        ...context,
        get em () {
          return session.em
        },
      }
    : { ...context, em: session }
}

/** Runs a statement that only reads on the session. */
export function readOn (session: CrudSession, statement: BoundStatement): MaybePromise<Row[]> {
  if (session instanceof SyncSession) return session.run(statement)
  if (!(session instanceof RequestSession)) return read(session, statement)
  return session.opened === undefined ? runOnShared(session, statement) : read(session.opened, statement)
}

/** Runs a statement on the session. */
export function runOn (session: CrudSession, statement: BoundStatement, model?: EntityModel): MaybePromise<Row[]> {
  if (session instanceof SyncSession) return session.run(statement, model)
  if (!(session instanceof RequestSession)) return run(session, statement, model)
  return session.opened === undefined ? runOnShared(session, statement, model) : run(session.opened, statement, model)
}

const runOnShared = (
  { shared, departure }: RequestSession,
  statement: BoundStatement,
  model?: EntityModel
): Promise<Row[]> => runOutside(shared.getConnection(), statement, departure, model)

/** The conditions of MikroORM's filters that are active for an entity, or switched on and off by name. */
export function filtersOn (
  session: CrudSession,
  entity: unknown,
  type: 'read' | 'update' | 'delete',
  options?: Readonly<Record<string, unknown>>
): MaybePromise<object | undefined> {
  if (session instanceof RequestSession && session.opened === undefined && options === undefined) {
    return sharedFilters(session, entity, type)
  }
  if (!(session instanceof SyncSession)) return filtersOf(emOf(session), entity, type, options)
  try {
    return session.filtersOf(entity, type, options ?? {})
  } catch (error) {
    throw filterError(error)
  }
}

function filtersOf (
  em: EntityManager,
  entity: unknown,
  type: 'read' | 'update' | 'delete',
  options: Readonly<Record<string, unknown>> = {}
): Promise<object | undefined> {
  return (em.applyFilters(entity as never, undefined as never, options as never, type) as Promise<object | undefined>)
    .catch((error: unknown) => {
      throw filterError(error)
    })
}

/** What MikroORM says of a filter whose `setFilterParams` was forgotten names it: that is for the log. */
function filterError (error: unknown): unknown {
  const isIncomplete = error instanceof Error && error.message.startsWith('No arguments provided for filter')
  return isIncomplete
    ? new DatabaseError('A filter that holds for the records of this request has no arguments.', { cause: error })
    : error
}

/** Entities with filters that look at the EntityManager. */
const parameterised = new WeakSet<object>()

/** Filters that are the same for all requests need no EntityManager of one. */
function sharedFilters (
  session: RequestSession,
  entity: unknown,
  type: 'read' | 'update' | 'delete'
): Promise<object | undefined> {
  if (parameterised.has(entity as object)) return filtersOf(session.em, entity, type)
  return filtersOf(session.shared, entity, type).catch((error: unknown) => {
    // MikroORM asks the shared one for no parameters, and a filter without a callback needs none
    if (!(error instanceof ValidationError)) throw error
    parameterised.add(entity as object)
    return filtersOf(session.em, entity, type)
  })
}

/** Does work in a transaction of the session, or in a savepoint of the one that it is in. */
export function transactionOn<Result> (
  session: CrudSession,
  work: (session: CrudSession) => Work<Result>
): MaybePromise<Result> {
  return session instanceof SyncSession
    ? session.transaction((inner) => performSync(work(inner)))
    : runAround<[EntityManager], Result, Result>(
      (inside) => transact(emOf(session), inside),
      (em) => performAsync(work(em))
    )
}

const isPromise = (value: unknown): value is Promise<unknown> =>
  typeof (value as { then?: unknown } | null | undefined)?.then === 'function'
