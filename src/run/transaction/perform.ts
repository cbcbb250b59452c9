/** The shared parts of transactions and savepoints: running the function, ending it, and passing on its entities. */
import { EventType, TransactionContext, type TransactionEventBroadcaster } from '@mikro-orm/core'
import type { EntityManager } from '@mikro-orm/postgresql'
import { CompiledQuery, type IsolationLevel as KyselyIsolationLevel } from 'kysely'
import { onConnection, type Transaction, type UntypedKysely } from '../../borrowed/kysely.ts'
import { forgetRemoved, logQuery, takeEntities, type Connection } from '../../borrowed/mikro-orm.ts'
import { DatabaseError } from '../../base/errors.ts'
import { isPglite } from '../pg/client.ts'
import { hasFailed, watchConnection, watchedState, type Demands, type HeldConnection } from './held-connection.ts'
import { end, runInside, originalMethods, type Level } from './level.ts'
import type { Deadline, Stop } from './stop.ts'

export const ISOLATION_LEVELS = ['read uncommitted', 'read committed', 'repeatable read', 'serializable'] as const
export type IsolationLevel = typeof ISOLATION_LEVELS[number]

export interface TransactionSettings {
  readonly isolationLevel?: IsolationLevel
  readonly readOnly?: boolean
  readonly deadline?: Deadline
  /** Collects the requests of nested transactions. */
  readonly demands?: Demands
}

export type Work<Result> = (em: EntityManager) => Result | Promise<Result>

/** What to run in a transaction or a savepoint, and how. */
export interface Task<Result> {
  /** The EntityManager of the caller. */
  readonly em: EntityManager
  readonly connection: Connection
  readonly work: Work<Result>
  readonly settings: TransactionSettings
  readonly stop: Stop
}

/** The connection of any transaction. It is watched from now on, so that its statements can be cancelled here. */
export async function heldConnectionOf (
  transaction: unknown,
  connection: Pick<Connection, 'getNativeClient'>
): Promise<HeldConnection> {
  const { executor } = originalMethods(transaction as Transaction)
  const known = heldConnections.get(executor)
  if (known !== undefined) return known
  const held = await watchConnection(executor, await poolOf(connection))
  heldConnections.set(executor, held)
  return held
}

const heldConnections = new WeakMap<object, HeldConnection>()

/** The connection of an open transaction, if it is watched. */
export async function watchedConnectionOf (transaction: object): Promise<HeldConnection | undefined> {
  const { executor } = originalMethods(transaction as Transaction)
  return heldConnections.get(executor) ?? await onConnection(executor, async (connection) => watchedState(connection))
}

/** A connection taken from the pool. */
export interface Occupied {
  readonly single: UntypedKysely
  readonly giveBack: () => void
}

/**
 * Takes a connection from the pool. A transaction on it is not responsible for releasing it: Kysely's own transactions
 * never release a connection on which their `begin`, commit or rollback has failed.
 */
export async function occupy (connection: Connection): Promise<Occupied> {
  await connection.ensureConnection()
  const taken = Promise.withResolvers<UntypedKysely>()
  const left = Promise.withResolvers<void>()
  connection.getClient().connection().execute(async (single) => {
    taken.resolve(single)
    await left.promise
  }).catch(taken.reject)
  return { single: await taken.promise, giveBack: left.resolve }
}

export function startOf (single: UntypedKysely, { isolationLevel, readOnly }: TransactionSettings) {
  let builder = single.startTransaction()
  if (isolationLevel !== undefined) builder = builder.setIsolationLevel(isolationLevel as KyselyIsolationLevel)
  if (readOnly === true) builder = builder.setAccessMode('read only')
  return builder
}

/** Stores the connection of a transaction, so that `heldConnectionOf` need not wait for its statements. */
export function storeHeldConnection (transaction: Transaction, held: HeldConnection): void {
  heldConnections.set(originalMethods(transaction).executor, held)
}

/** The demands on the outermost transaction, if this package has begun it. */
export function demandsOf (em: EntityManager): Demands | undefined {
  const transaction = em.getTransactionContext() as Transaction | undefined
  return transaction && heldConnections.get(originalMethods(transaction).executor)?.demands
}

export async function poolOf (connection: Pick<Connection, 'getNativeClient'>): Promise<unknown> {
  return await connection.getNativeClient().catch(() => undefined)
}

/** Waits for statements that the function did not wait for. Throws if any of them has failed. */
export async function settle (held: HeldConnection, level: Level, transaction: Transaction): Promise<void> {
  await end(held, level, () => idle(transaction))
  if (hasFailed(held)) throw failureOf(held)
}

/** Runs the function until it ends or is stopped. After a stop its statements are refused. */
export async function performTransaction<Result> (
  { em, work, stop }: Task<Result>,
  fork: EntityManager,
  transaction: Transaction,
  level: Level
): Promise<Result> {
  const flow = TransactionContext.create(fork as never, () =>
    runInside(level, async () => {
      fork.setTransactionContext(transaction)
      if (propagates(em)) forgetRemoved(em, fork)
      const result = await work(fork)
      await fork.flush()
      return result
    }))
  const result = await stop.race(flow)
  // a timer cannot fire while a statement blocks the process
  if (stop.isLate()) throw stop.reason()
  return result
}

/** A new EntityManager for the function, without entities that an earlier attempt has loaded. */
export function forkOf (em: EntityManager, { signal }: Stop): EntityManager {
  return em.fork({
    clear: true,
    cloneEventManager: true,
    ...(signal !== undefined && { signal }),
    ...(signal !== undefined && !isPglite(em) && { inflightQueryAbortStrategy: 'cancel query' as const }),
  }) as EntityManager
}

/** Whether entities move to the caller's EntityManager. As in `em.transactional`, they do not move to a global one. */
const propagates = (em: EntityManager): boolean => !em.global || em.config.get('allowGlobalContext')

export function merge (em: EntityManager, fork: EntityManager): void {
  if (propagates(em)) takeEntities(em, fork)
}

export async function undo (
  events: TransactionEventBroadcaster,
  transaction: Transaction,
  connection: Connection,
  fork: EntityManager,
  rollBack: () => Promise<unknown>,
  sql: string
): Promise<void> {
  try {
    await events.dispatchEvent(EventType.beforeTransactionRollback, transaction as never)
    await idle(transaction)
    await rollBack()
    log(connection, fork, sql)
    await events.dispatchEvent(EventType.afterTransactionRollback, transaction as never)
  } catch (error) {
    // the transaction is lost with its connection, and the caller throws the error that caused the rollback
    fork.config.getLogger().warn('query', `Failed to roll back: ${(error as Error).message}`)
  }
}

export function log (connection: Connection, fork: EntityManager, sql: string): void {
  logQuery(connection, sql, fork.getLoggerContext())
}

/** Waits for statements that are running or being cancelled. */
export async function idle (transaction: Transaction): Promise<void> {
  await onConnection(originalMethods(transaction).executor, async () => {})
}

export async function sendOn (transaction: Transaction, sql: string): Promise<readonly Record<string, unknown>[]> {
  return (await transaction.executeQuery<Record<string, unknown>>(CompiledQuery.raw(sql))).rows
}

/** Why the server accepts only a rollback. Without this error, it would answer the commit with a silent rollback. */
export function failureOf ({ failure }: HeldConnection): unknown {
  return failure ?? new DatabaseError('A statement has failed, so the transaction cannot be committed.')
}

/** The error of a function. If a statement failed only because an earlier one had, this is the earlier error. */
export function causeOf ({ failure }: HeldConnection, error: unknown): unknown {
  const { code, cause } = Object(error) as { code?: unknown, cause?: { code?: unknown } }
  return failure !== undefined && (code === ABORTED || cause?.code === ABORTED) ? failure : error
}

/** in_failed_sql_transaction (manual, appendix A) */
const ABORTED = '25P02'
