/**
 * Runs a function in a transaction, once: one of its own, or a savepoint of the one that an EntityManager is in.
 *
 * MikroORM's `em.transactional` does the same, but on a bad day it keeps the connection for ever when that breaks
 * inside the transaction, says nothing when the server answers a commit with a rollback, and mixes savepoints up that
 * are open at the same time.
 */
import { EventType, TransactionContext, TransactionEventBroadcaster, TransactionManager } from '@mikro-orm/core'
import type { EntityManager } from '@mikro-orm/postgresql'
import type { ControlledTransaction, IsolationLevel as KyselyIsolationLevel, Kysely } from 'kysely'
import { CompiledQuery } from 'kysely'
import { ConfigError, DatabaseError, OutcomeUnknownError } from '../errors.ts'
import { requestCancel } from './server-socket.ts'
import { wasNeverSent } from './convert-error.ts'
import { hasFailed, heldBy, isServerError, letGo, type Demands, type HeldConnection } from './held-connection.ts'
import { assertOpen, end, endInner, enter, guard, leave, newLevel, runInside, withoutGuard, type Level } from './level.ts'
import { limit, unlimit } from './statement-timeout.ts'
import { isConsequence, stopOf, watch, type Deadline, type Stop } from './stop.ts'

export type { Demands }

export const ISOLATION_LEVELS = ['read uncommitted', 'read committed', 'repeatable read', 'serializable'] as const
export type IsolationLevel = typeof ISOLATION_LEVELS[number]

export interface TransactionSettings {
  readonly isolationLevel?: IsolationLevel
  readonly readOnly?: boolean
  readonly deadline?: Deadline
  /** What those inside may ask for. */
  readonly demands?: Demands
}

export type Work<Result> = (em: EntityManager) => Result | Promise<Result>

/** Kysely's, with what MikroORM notes on it for savepoints of its own. */
type Transaction = ControlledTransaction<any, any[]> & { readonly index?: number, readonly savepointName?: string }

/** What MikroORM has for its own use. */
interface Connection {
  ensureConnection (): Promise<void>
  getClient (): Kysely<any>
  getNativeClient (): Promise<unknown>
  applySessionContext (transaction: Transaction, context: object): Promise<void>
  logQuery (query: string, loggerContext: unknown): void
}

/**
 * Runs `work` in a transaction: a new one, or a savepoint of the one that `em` is in. What it throws undoes all that
 * it did. `work` gets an EntityManager of its own with an empty identity map; what that has loaded or created moves to
 * `em` when all has gone well.
 *
 * @throws what `work` throws, as it is; {OutcomeUnknownError}, {UnavailableError}, {AbortedError}
 */
export async function transact<Result> (em: EntityManager, work: Work<Result>, settings: TransactionSettings = {}): Promise<Result> {
  const context = em.getContext(false) as EntityManager
  const transaction = context.getTransactionContext() as Transaction | undefined
  const connection = context.getConnection() as unknown as Connection
  const stop = stopOf(context, settings.deadline)
  try {
    if (stop.signal?.aborted === true) throw stop.reason()
    return transaction === undefined
      ? await begin(context, connection, work, settings, stop)
      : await nest(context, connection, transaction, work, settings, stop)
  } catch (error) {
    throw (stop.signal?.aborted === true || stop.isLate()) && (error === stop.signal?.reason || isConsequence(error)) ? stop.reason() : error
  } finally {
    stop.release()
  }
}

/** What the transactions inside may ask of the outermost one, where it is one of ours. */
export async function demandsOf (em: EntityManager): Promise<Demands | undefined> {
  const transaction = em.getTransactionContext() as Transaction | undefined
  if (transaction === undefined) return undefined
  return (await hold(transaction, em)).demands
}

/** Lets what runs in a transaction of anybody's be cancelled as we do it. */
export async function hold (transaction: unknown, em: EntityManager): Promise<HeldConnection> {
  const { executor } = withoutGuard(transaction as Transaction)
  let held = heldConnections.get(executor)
  if (held === undefined) heldConnections.set(executor, held = await heldBy(executor, await poolOf(em.getConnection() as unknown as Connection)))
  return held
}

const heldConnections = new WeakMap<object, HeldConnection>()

async function poolOf (connection: Connection): Promise<unknown> {
  return await connection.getNativeClient().catch(() => undefined)
}

async function begin<Result> (em: EntityManager, connection: Connection, work: Work<Result>, settings: TransactionSettings, stop: Stop): Promise<Result> {
  await connection.ensureConnection()
  const pool = await poolOf(connection)
  // the connection goes back whatever happens: Kysely's own transactions keep one that has broken
  return await connection.getClient().connection().execute(async (single) => {
    const held = await heldBy(single.getExecutor(), pool)
    letGo(held)
    held.demands = settings.demands
    const watchdog = settings.deadline && watch(held, settings.deadline)
    try {
      return await beginOn(single, held, em, connection, work, settings, stop)
    } finally {
      clearTimeout(watchdog)
      letGo(held)
    }
  }, { ...(stop.signal !== undefined && { signal: stop.signal }) })
}

async function beginOn<Result> (single: Kysely<any>, held: HeldConnection, em: EntityManager, connection: Connection, work: Work<Result>, settings: TransactionSettings, stop: Stop): Promise<Result> {
  const fork = forkOf(em, stop)
  const events = new TransactionEventBroadcaster(fork as never)
  const sessionContext = fork.getTransactionSessionContext()
  // PGlite ignores what is said in the statement that begins: see below
  const says = held.client !== undefined || !isPglite(em)
  await events.dispatchEvent(EventType.beforeTransactionStart)
  const transaction = await startOf(single, says ? settings : {}).execute() as unknown as Transaction
  log(connection, fork, 'begin')
  const level = newLevel(undefined)
  try {
    if (!says) for (const sql of characteristics(settings)) await send(transaction, sql)
    held.isolation = settings.isolationLevel
    if (sessionContext !== undefined) await connection.applySessionContext(transaction, sessionContext)
    if (settings.deadline !== undefined) await limit(held, settings.deadline, (sql) => send(transaction, sql))
    await events.dispatchEvent(EventType.afterTransactionStart, transaction as never)
    guard(transaction, held, level)
    const result = await perform(em, fork, transaction, level, work, stop)
    await events.dispatchEvent(EventType.beforeTransactionCommit, transaction as never)
    await settle(held, level, transaction)
    await commit(transaction, held, settings, stop)
    log(connection, fork, 'commit')
    merge(em, fork)
    await events.dispatchEvent(EventType.afterTransactionCommit, transaction as never)
    return result
  } catch (error) {
    level.ended = true
    endInner(held, undefined)
    if (!transaction.isCommitted) await undo(events, transaction, connection, fork, () => transaction.rollback().execute(), 'rollback')
    throw error
  }
}

function startOf (single: Kysely<any>, { isolationLevel, readOnly }: TransactionSettings) {
  let builder = single.startTransaction()
  if (isolationLevel !== undefined) builder = builder.setIsolationLevel(isolationLevel as KyselyIsolationLevel)
  if (readOnly === true) builder = builder.setAccessMode('read only')
  return builder
}

function characteristics ({ isolationLevel, readOnly }: TransactionSettings): string[] {
  return [...(isolationLevel === undefined ? [] : [`set transaction isolation level ${isolationLevel}`]), ...(readOnly === true ? ['set transaction read only'] : [])]
}

/** Commits. When no answer comes, the rows may be there or not: that is an error of its own, and nothing is repeated. */
async function commit (transaction: Transaction, held: HeldConnection, { readOnly, demands }: TransactionSettings, stop: Stop): Promise<void> {
  // a statement is cancelled by Kysely, a commit only by us
  let cancellation: Promise<void> | undefined
  const cancel = () => { if (held.client !== undefined) cancellation = requestCancel(held.client) }
  stop.deadline?.addEventListener('abort', cancel, { once: true })
  try {
    await transaction.commit().execute()
    if (demands !== undefined) demands.final = true
  } catch (error) {
    if (isRefusal(error) || readOnly === true) throw error
    throw new OutcomeUnknownError(undefined, { cause: error })
  } finally {
    stop.deadline?.removeEventListener('abort', cancel)
    // the next statement on the connection is somebody else's
    await cancellation
  }
}

/** Whether it is certain that nothing was committed: the server has said so and kept the connection, or was never asked. */
function isRefusal (error: unknown): boolean {
  return (isServerError(error) && (error as { severity?: unknown }).severity === 'ERROR') || wasNeverSent(error)
}

async function nest<Result> (em: EntityManager, connection: Connection, outer: Transaction, work: Work<Result>, settings: TransactionSettings, stop: Stop): Promise<Result> {
  const held = await hold(outer, em)
  const level = await enter(held, outer)
  const { deadline } = held
  const watchdog = settings.deadline && watch(held, settings.deadline)
  try {
    await idle(outer)
    assertOpen(outer, level)
    return await nestOn(held, level, em, connection, outer, work, settings, stop)
  } finally {
    clearTimeout(watchdog)
    if (!level.orphaned) held.deadline = deadline
    leave(held, level)
  }
}

async function nestOn<Result> (held: HeldConnection, level: Level, em: EntityManager, connection: Connection, outer: Transaction, work: Work<Result>, settings: TransactionSettings, stop: Stop): Promise<Result> {
  const fork = forkOf(em, stop)
  const events = new TransactionEventBroadcaster(fork as never)
  await isolate(held, level, outer, settings)
  const savepointName = `crud_kit_${++held.savepoints}`
  await events.dispatchEvent(EventType.beforeTransactionStart, outer as never)
  assertOpen(outer, level)
  const transaction = await withoutGuard(outer).savepoint(savepointName).execute() as unknown as Transaction
  log(connection, fork, `savepoint ${savepointName}`)
  // a savepoint is proof that nothing has failed: what is noted is older
  held.failure = undefined
  // what MikroORM needs for savepoints of its own inside of this one
  Object.defineProperties(transaction, { index: { value: (outer.index ?? 0) + 1 }, savepointName: { value: savepointName } })
  const rollBack = async () => {
    // it may have gone meanwhile, with what it is inside of
    if (!level.orphaned) await withoutGuard(transaction).rollbackToSavepoint(savepointName).execute()
    if (!level.orphaned) await withoutGuard(transaction).releaseSavepoint(savepointName).execute()
  }
  guard(transaction, held, level)
  let released = false
  try {
    // it ends with the savepoint, whichever way that does
    if (settings.readOnly === true) await send(transaction, 'set local transaction_read_only = on')
    const outerDeadline = held.deadline
    if (settings.deadline !== undefined) await limit(held, settings.deadline, (sql) => send(transaction, sql))
    await events.dispatchEvent(EventType.afterTransactionStart, transaction as never)
    const result = await perform(em, fork, transaction, level, work, stop)
    await events.dispatchEvent(EventType.beforeTransactionCommit, transaction as never)
    if (hasFailed(held)) throw failureOf(held)
    if (settings.deadline !== undefined) await unlimit(held, outerDeadline, (sql) => send(transaction, sql))
    await settle(held, level, transaction)
    // undone with what it is inside of: the server would not know the savepoint, and refuse everything from then on
    assertOpen(outer, level)
    await withoutGuard(transaction).releaseSavepoint(savepointName).execute()
    released = true
    log(connection, fork, `release savepoint ${savepointName}`)
    merge(em, fork)
    await events.dispatchEvent(EventType.afterTransactionCommit, transaction as never)
    return result
  } catch (error) {
    // gone already: into what it is inside of, or with it
    if (released || level.orphaned) throw error
    level.ended = true
    endInner(held, level)
    await undo(events, transaction, connection, fork, rollBack, `rollback to savepoint ${savepointName}`)
    throw error
  }
}

/** @throws {ConfigError} when a stricter isolation level is asked for than there is, and it is too late to have it */
async function isolate (held: HeldConnection, level: Level, outer: Transaction, { isolationLevel }: TransactionSettings): Promise<void> {
  if (isolationLevel === undefined) return
  const ask = async (sql: string) => await runInside(level, () => send(outer, sql))
  held.isolation ??= String((await ask('show transaction_isolation'))[0]?.['transaction_isolation'])
  if (ISOLATION_LEVELS.indexOf(held.isolation as IsolationLevel) >= ISOLATION_LEVELS.indexOf(isolationLevel)) return
  const fixed = held.queried || level.below !== undefined || outer.savepointName !== undefined || held.demands === undefined
  if (fixed) throw new ConfigError(`The transaction is '${held.isolation}' already: '${isolationLevel}' has to be asked for where it begins, before its first statement.`)
  await ask(`set transaction isolation level ${isolationLevel}`)
  held.isolation = isolationLevel
}

/** Waits for what the function has not waited for. Afterwards all of it has succeeded, or was undone. */
async function settle (held: HeldConnection, level: Level, transaction: Transaction): Promise<void> {
  await end(held, level, () => idle(transaction))
  if (hasFailed(held)) throw failureOf(held)
}

/** Runs the function, but no longer than until it is stopped: its statements are refused from then on. */
async function perform<Result> (em: EntityManager, fork: EntityManager, transaction: Transaction, level: Level, work: Work<Result>, stop: Stop): Promise<Result> {
  const flow = TransactionContext.create(fork as never, () => runInside(level, async () => {
    fork.setTransactionContext(transaction)
    if (propagates(em)) managerOf(em).registerDeletionHandler(fork, em)
    const result = await work(fork)
    await fork.flush()
    return result
  }))
  const result = await stop.race(flow)
  // where a statement blocks the process no timer can tell
  if (stop.isLate()) throw stop.reason()
  return result
}

/** The EntityManager of the function: nothing of what another attempt has loaded is left in it. */
function forkOf (em: EntityManager, { signal }: Stop): EntityManager {
  return em.fork({
    clear: true, cloneEventManager: true, ...(signal !== undefined && { signal }), ...(signal !== undefined && !isPglite(em) && { inflightQueryAbortStrategy: 'cancel query' as const }),
  }) as EntityManager
}

const isPglite = (em: EntityManager): boolean => em.getDriver().constructor.name === 'PgliteDriver'

interface Manager {
  registerDeletionHandler (fork: EntityManager, parent: EntityManager): void
  mergeEntitiesToParent (fork: EntityManager, parent: EntityManager): void
}

const managerOf = (em: EntityManager): Manager => new TransactionManager(em as never) as unknown as Manager

/** As `em.transactional` has it: entities move to the EntityManager that the function was called with, but to no global one. */
const propagates = (em: EntityManager): boolean => !em.global || em.config.get('allowGlobalContext')

function merge (em: EntityManager, fork: EntityManager): void {
  if (propagates(em)) managerOf(em).mergeEntitiesToParent(fork, em)
}

async function undo (events: TransactionEventBroadcaster, transaction: Transaction, connection: Connection, fork: EntityManager, rollBack: () => Promise<unknown>, sql: string): Promise<void> {
  try {
    await events.dispatchEvent(EventType.beforeTransactionRollback, transaction as never)
    await idle(transaction)
    await rollBack()
    log(connection, fork, sql)
    await events.dispatchEvent(EventType.afterTransactionRollback, transaction as never)
  } catch (error) {
    // the connection is gone, and its transaction with it: what has made it fail is what matters
    fork.config.getLogger().warn('query', `Failed to roll back: ${(error as Error).message}`)
  }
}

function log (connection: Connection, fork: EntityManager, sql: string): void {
  connection.logQuery(sql, (fork as unknown as { loggerContext: unknown }).loggerContext)
}

/** Waits for statements that are under way, or being cancelled. */
async function idle (transaction: Transaction): Promise<void> {
  await withoutGuard(transaction).executor.provideConnection(async () => {})
}

async function send (transaction: Transaction, sql: string): Promise<readonly Record<string, unknown>[]> {
  return (await transaction.executeQuery<Record<string, unknown>>(CompiledQuery.raw(sql))).rows
}

/** Why the server takes nothing but a rollback, though nobody said so: the commit would be one, in silence. */
function failureOf ({ failure }: HeldConnection): unknown {
  return failure ?? new DatabaseError('A statement has failed, so that nothing of the transaction could be kept.')
}
