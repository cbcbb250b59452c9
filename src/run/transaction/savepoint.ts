/** Runs a function in a savepoint of the transaction that its EntityManager is in. */
import { EventType, TransactionEventBroadcaster } from '@mikro-orm/core'
import type { Transaction } from '../../borrowed/kysely.ts'
import { noteSavepoint, savepointOf } from '../../borrowed/mikro-orm.ts'
import { ConfigError } from '../../base/errors.ts'
import { SAVEPOINT_PREFIX } from './deferred.ts'
import { hasFailed, readOnlyFailure, type HeldConnection } from './held-connection.ts'
import { assertOpen, endInner, enter, bindToLevel, leave, runInside, originalMethods, type Level } from './level.ts'
import {
  causeOf, failureOf, forkOf, heldConnectionOf, idle, ISOLATION_LEVELS, log, merge, performTransaction, sendOn, settle,
  storeHeldConnection, undo, type IsolationLevel, type Task, type TransactionSettings,
} from './perform.ts'
import { closeWhenOverdue, limit, unlimit, type Stop } from './stop.ts'

/** Runs a task in a savepoint of `outer`, after the savepoints of other callers have ended. */
export async function nest<Result> (task: Task<Result>, outer: Transaction): Promise<Result> {
  const { connection, settings, stop } = task
  const held = await stop.race(heldConnectionOf(outer, connection))
  const level = await turn(held, outer, settings, stop)
  const { deadline } = held
  const watchdog = settings.deadline && closeWhenOverdue(held, settings.deadline)
  try {
    // a savepoint whose connection is closed would end the outer transaction as well
    if (stop.isLate()) throw stop.reason()
    return await nestOn(held, level, task, outer)
  } catch (error) {
    throw readOnlyFailure(held, error) ?? error
  } finally {
    clearTimeout(watchdog)
    if (!level.orphaned) held.deadline = deadline
    leave(held, level)
  }
}

/** Waits for its turn until it is stopped. A stop does not affect the savepoints that it waits for. */
async function turn (
  held: HeldConnection,
  outer: Transaction,
  { readOnly }: TransactionSettings,
  stop: Stop
): Promise<Level> {
  const entered = enter(held, outer, readOnly).then(async (level) => {
    try {
      await idle(outer)
      assertOpen(outer, level)
      return level
    } catch (error) {
      leave(held, level)
      throw error
    }
  })
  try {
    return await stop.race(entered)
  } catch (error) {
    entered.then((level) => leave(held, level), () => {})
    throw error
  }
}

async function nestOn<Result> (
  held: HeldConnection,
  level: Level,
  task: Task<Result>,
  outer: Transaction
): Promise<Result> {
  const { em, connection, settings, stop } = task
  const fork = forkOf(em, stop)
  const events = new TransactionEventBroadcaster(fork as never)
  await isolate(held, level, outer, settings)
  const savepointName = `${SAVEPOINT_PREFIX}${++held.savepoints}`
  await events.dispatchEvent(EventType.beforeTransactionStart, outer as never)
  assertOpen(outer, level)
  const transaction = await originalMethods(outer).savepoint(savepointName).execute() as unknown as Transaction
  log(connection, fork, `savepoint ${savepointName}`)
  // the server accepts a savepoint only if nothing has failed: a noted error belongs to an earlier savepoint
  held.failure = undefined
  noteSavepoint(transaction, savepointName, outer)
  const rollBack = async () => {
    // it may have ended in the meantime, with the enclosing level
    if (!level.orphaned) await originalMethods(transaction).rollbackToSavepoint(savepointName).execute()
    if (!level.orphaned) await originalMethods(transaction).releaseSavepoint(savepointName).execute()
  }
  storeHeldConnection(transaction, held)
  bindToLevel(transaction, held, level)
  let released = false
  try {
    // the setting ends with the savepoint, on release and on rollback
    if (settings.readOnly === true) await sendOn(transaction, 'set local transaction_read_only = on')
    const outerDeadline = held.deadline
    if (settings.deadline !== undefined) await limit(held, settings.deadline, (sql) => sendOn(transaction, sql))
    await events.dispatchEvent(EventType.afterTransactionStart, transaction as never)
    const result = await performTransaction(task, fork, transaction, level)
    await events.dispatchEvent(EventType.beforeTransactionCommit, transaction as never)
    if (hasFailed(held)) throw failureOf(held)
    if (settings.deadline !== undefined) await unlimit(held, outerDeadline, (sql) => sendOn(transaction, sql))
    await settle(held, level, transaction)
    // after a rollback of the enclosing level, the server does not know the savepoint, and its error would fail the
    // transaction
    assertOpen(outer, level)
    await originalMethods(transaction).releaseSavepoint(savepointName).execute()
    released = true
    log(connection, fork, `release savepoint ${savepointName}`)
    merge(em, fork)
    await events.dispatchEvent(EventType.afterTransactionCommit, transaction as never)
    return result
  } catch (error) {
    // already released, or rolled back with the enclosing level
    if (released || level.orphaned) throw error
    const cause = causeOf(held, error)
    level.ended = true
    endInner(held, level)
    await undo(events, transaction, connection, fork, rollBack, `rollback to savepoint ${savepointName}`)
    throw cause
  }
}

/** @throws {ConfigError} when a stricter isolation level is requested after the current one is fixed */
async function isolate (
  held: HeldConnection,
  level: Level,
  outer: Transaction,
  { isolationLevel }: TransactionSettings
): Promise<void> {
  if (isolationLevel === undefined) return
  const ask = async (sql: string) => await runInside(level, () => sendOn(outer, sql))
  held.isolation ??= String((await ask('show transaction_isolation'))[0]?.['transaction_isolation'])
  if (ISOLATION_LEVELS.indexOf(held.isolation as IsolationLevel) >= ISOLATION_LEVELS.indexOf(isolationLevel)) return
  const fixed = held.queried || level.below !== undefined || savepointOf(outer) !== undefined ||
    held.demands === undefined
  if (fixed) {
    throw new ConfigError(
      `The transaction is '${held.isolation}' already. ` +
        `Ask for '${isolationLevel}' when the transaction begins, before its first statement.`
    )
  }
  await ask(`set transaction isolation level ${isolationLevel}`)
  held.isolation = isolationLevel
}
