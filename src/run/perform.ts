/** What a transaction and a savepoint have in common: the function's part of them, its end, and what it leaves. */
import { EventType, TransactionContext, type TransactionEventBroadcaster } from '@mikro-orm/core'
import type { EntityManager } from '@mikro-orm/postgresql'
import { CompiledQuery, type IsolationLevel as KyselyIsolationLevel, type Kysely } from 'kysely'
import { onConnection, type Transaction } from '../borrowed/kysely.ts'
import { forgetRemoved, logQuery, takeEntities } from '../borrowed/mikro-orm.ts'
import { DatabaseError } from '../errors.ts'
import { hasFailed, heldBy, type Demands, type HeldConnection } from './held-connection.ts'
import { end, runInside, withoutGuard, type Level } from './level.ts'
import type { Deadline, Stop } from './stop.ts'

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

export type { Transaction }

/** What a transaction needs of a connection of MikroORM's. */
export interface Connection {
  ensureConnection(): Promise<void>
  getClient(): Kysely<any>
  getNativeClient(): Promise<unknown>
}

/** Lets what runs in a transaction of anybody's be cancelled as we do it. */
export async function hold (
  transaction: unknown,
  connection: Pick<Connection, 'getNativeClient'>
): Promise<HeldConnection> {
  const { executor } = withoutGuard(transaction as Transaction)
  let held = heldConnections.get(executor)
  if (held === undefined) heldConnections.set(executor, held = await heldBy(executor, await poolOf(connection)))
  return held
}

const heldConnections = new WeakMap<object, HeldConnection>()

/** A connection of the pool, for as long as it is wanted. */
export interface Occupied {
  readonly single: Kysely<any>
  readonly giveBack: () => void
}

/**
 * Takes a connection from the pool. A transaction on it doesn't have to give it back: one of Kysely's own keeps a
 * connection for ever on which its `begin` or its end has failed.
 */
export async function occupy (connection: Connection): Promise<Occupied> {
  await connection.ensureConnection()
  const taken = Promise.withResolvers<Kysely<any>>()
  const left = Promise.withResolvers<void>()
  connection.getClient().connection().execute(async (single) => {
    taken.resolve(single)
    await left.promise
  }).catch(taken.reject)
  return { single: await taken.promise, giveBack: left.resolve }
}

export function startOf (single: Kysely<any>, { isolationLevel, readOnly }: TransactionSettings) {
  let builder = single.startTransaction()
  if (isolationLevel !== undefined) builder = builder.setIsolationLevel(isolationLevel as KyselyIsolationLevel)
  if (readOnly === true) builder = builder.setAccessMode('read only')
  return builder
}

/** Says what a transaction of ours holds, so that nobody has to wait for its statements to ask. */
export function holds (transaction: Transaction, held: HeldConnection): void {
  heldConnections.set(withoutGuard(transaction).executor, held)
}

/** What the transactions inside may ask of the outermost one, where it is one of ours. */
export function demandsOf (em: EntityManager): Demands | undefined {
  const transaction = em.getTransactionContext() as Transaction | undefined
  return transaction && heldConnections.get(withoutGuard(transaction).executor)?.demands
}

export async function poolOf (connection: Pick<Connection, 'getNativeClient'>): Promise<unknown> {
  return await connection.getNativeClient().catch(() => undefined)
}

/** Waits for what the function has not waited for. Afterwards all of it has succeeded, or was undone. */
export async function settle (held: HeldConnection, level: Level, transaction: Transaction): Promise<void> {
  await end(held, level, () => idle(transaction))
  if (hasFailed(held)) throw failureOf(held)
}

/** Runs the function, but no longer than until it is stopped: its statements are refused from then on. */
export async function perform<Result> (
  em: EntityManager,
  fork: EntityManager,
  transaction: Transaction,
  level: Level,
  work: Work<Result>,
  stop: Stop
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
  // where a statement blocks the process no timer can tell
  if (stop.isLate()) throw stop.reason()
  return result
}

/** The EntityManager of the function: nothing of what another attempt has loaded is left in it. */
export function forkOf (em: EntityManager, { signal }: Stop): EntityManager {
  return em.fork({
    clear: true,
    cloneEventManager: true,
    ...(signal !== undefined && { signal }),
    ...(signal !== undefined && !isPglite(em) && { inflightQueryAbortStrategy: 'cancel query' as const }),
  }) as EntityManager
}

export const isPglite = (em: EntityManager): boolean => em.getDriver().constructor.name === 'PgliteDriver'

/** As `em.transactional` has it: entities move to the EntityManager that the function was called with, but to no global one. */
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
    // the connection is gone, and its transaction with it: what has made it fail is what matters
    fork.config.getLogger().warn('query', `Failed to roll back: ${(error as Error).message}`)
  }
}

export function log (connection: Connection, fork: EntityManager, sql: string): void {
  logQuery(connection, sql, fork.getLoggerContext())
}

/** Waits for statements that are under way, or being cancelled. */
export async function idle (transaction: Transaction): Promise<void> {
  await onConnection(withoutGuard(transaction).executor, async () => {})
}

export async function send (transaction: Transaction, sql: string): Promise<readonly Record<string, unknown>[]> {
  return (await transaction.executeQuery<Record<string, unknown>>(CompiledQuery.raw(sql))).rows
}

/** Why the server takes nothing but a rollback, though nobody said so: the commit would be one, in silence. */
export function failureOf ({ failure }: HeldConnection): unknown {
  return failure ?? new DatabaseError('A statement has failed, so that nothing of the transaction could be kept.')
}

/** What a function fails with: where a statement was only refused because another had been before, that one's error. */
export function causeOf ({ failure }: HeldConnection, error: unknown): unknown {
  const { code, cause } = Object(error) as { code?: unknown, cause?: { code?: unknown } }
  return failure !== undefined && (code === ABORTED || cause?.code === ABORTED) ? failure : error
}

/** in_failed_sql_transaction (manual, appendix A) */
const ABORTED = '25P02'
