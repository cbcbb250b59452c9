/**
 * Runs a function once in a transaction, or in a savepoint of the transaction that an EntityManager is in.
 *
 * MikroORM's `em.transactional` does the same with three weaknesses. If the connection breaks inside the transaction,
 * it is never released. If the server answers a commit with a rollback, no error is thrown. Savepoints that are open at
 * the same time get mixed up.
 */
import { EventType, TransactionEventBroadcaster } from '@mikro-orm/core'
import type { EntityManager } from '@mikro-orm/postgresql'
import { executorOf, type Transaction, type UntypedKysely } from '../../borrowed/kysely.ts'
import { applySessionContext, contextOf, sessionContextOf } from '../../borrowed/mikro-orm.ts'
import { OutcomeUnknownError } from '../../base/errors.ts'
import { isCommitUnknown, isServerError, sqlStateOf, wasNeverSent } from '../errors/driver-errors.ts'
import { isPglite } from '../pg/client.ts'
import { requestCancel } from '../pg/server-socket.ts'
import type { Deferred } from './deferred.ts'
import { readOnlyFailure, resetHeld, watchConnection, type HeldConnection } from './held-connection.ts'
import { endInner, bindToLevel, newLevel } from './level.ts'
import {
  causeOf, forkOf, storeHeldConnection, log, merge, performTransaction, poolOf, sendOn, settle, startOf, undo,
  type Task, type TransactionSettings, type Work,
} from './perform.ts'
import { nest } from './savepoint.ts'
import { closeWhenOverdue, isConsequence, limit, stopOf, type Stop } from './stop.ts'

/**
 * Runs `work` in a transaction: a new one, or a savepoint of the one that `em` is in. If `work` throws, everything that
 * it did is rolled back. `work` gets a separate EntityManager with an empty identity map. After success, the entities
 * that it has loaded or created move to `em`.
 *
 * @throws the error of `work` unchanged; {OutcomeUnknownError}, {UnavailableError}, {AbortedError}
 */
export async function transact<Result> (
  em: EntityManager,
  work: Work<Result>,
  settings: TransactionSettings = {}
): Promise<Result> {
  const context = contextOf(em)
  const transaction = context.getTransactionContext() as Transaction | undefined
  const connection = context.getConnection()
  const stop = stopOf(context, settings.deadline)
  const task: Task<Result> = { em: context, connection, work, settings, stop }
  try {
    if (stop.signal?.aborted === true) throw stop.reason()
    return transaction === undefined
      ? await begin(task)
      : await nest(task, transaction)
  } catch (error) {
    throw (stop.signal?.aborted === true || stop.isLate()) && (error === stop.signal?.reason || isConsequence(error))
      ? stop.reason()
      : error
  } finally {
    stop.release()
  }
}

async function begin<Result> (task: Task<Result>): Promise<Result> {
  const { connection, settings, stop } = task
  await connection.ensureConnection()
  const pool = await poolOf(connection)
  let deferred: Deferred | undefined
  try {
    // the connection is always released here: Kysely's own transactions do not release a broken one
    return await connection.getClient().connection().execute(async (single) => {
      const held = await watchConnection(executorOf(single), pool)
      resetHeld(held)
      held.own = true
      held.demands = settings.demands
      const watchdog = settings.deadline && closeWhenOverdue(held, settings.deadline)
      try {
        return await beginOn(single, held, task)
      } catch (error) {
        throw readOnlyFailure(held, error) ?? error
      } finally {
        clearTimeout(watchdog)
        deferred = held.deferred
        resetHeld(held)
      }
    }, { ...(stop.signal !== undefined && { signal: stop.signal }) })
  } finally {
    await deferred?.run()
  }
}

async function beginOn<Result> (
  single: UntypedKysely,
  held: HeldConnection,
  task: Task<Result>
): Promise<Result> {
  const { em, connection, settings, stop } = task
  const fork = forkOf(em, stop)
  const events = new TransactionEventBroadcaster(fork as never)
  const sessionContext = sessionContextOf(fork)
  // PGlite ignores the settings of `begin`, so they are sent as separate statements
  const says = held.client !== undefined || !isPglite(em)
  await events.dispatchEvent(EventType.beforeTransactionStart)
  const transaction = await startOf(single, says ? settings : {}).execute() as unknown as Transaction
  log(connection, fork, 'begin')
  const level = newLevel(undefined)
  try {
    if (!says) { for (const sql of characteristics(settings)) await sendOn(transaction, sql) }
    held.isolation = settings.isolationLevel
    if (sessionContext !== undefined) await applySessionContext(connection, transaction, sessionContext)
    if (settings.deadline !== undefined) await limit(held, settings.deadline, (sql) => sendOn(transaction, sql))
    await events.dispatchEvent(EventType.afterTransactionStart, transaction as never)
    storeHeldConnection(transaction, held)
    bindToLevel(transaction, held, level)
    const result = await performTransaction(task, fork, transaction, level)
    await events.dispatchEvent(EventType.beforeTransactionCommit, transaction as never)
    await settle(held, level, transaction)
    await commit(transaction, held, settings, stop)
    held.deferred?.commit()
    log(connection, fork, 'commit')
    merge(em, fork)
    await events.dispatchEvent(EventType.afterTransactionCommit, transaction as never)
    return result
  } catch (error) {
    const cause = causeOf(held, error)
    level.ended = true
    endInner(held, undefined)
    if (!transaction.isCommitted) {
      await undo(events, transaction, connection, fork, () => transaction.rollback().execute(), 'rollback')
    }
    throw cause
  }
}

function characteristics ({ isolationLevel, readOnly }: TransactionSettings): string[] {
  return [
    ...(isolationLevel === undefined ? [] : [`set transaction isolation level ${isolationLevel}`]),
    ...(readOnly === true ? ['set transaction read only'] : []),
  ]
}

/**
 * Commits. If no answer comes, the rows may have been written or not. Then the error is an OutcomeUnknownError, and
 * nothing is repeated.
 */
async function commit (
  transaction: Transaction,
  held: HeldConnection,
  { readOnly, demands }: TransactionSettings,
  stop: Stop
): Promise<void> {
  // Kysely cancels statements, but not a commit
  let cancellation: Promise<void> | undefined
  const cancel = () => {
    if (held.client !== undefined) cancellation = requestCancel(held.client)
  }
  stop.deadline?.addEventListener('abort', cancel, { once: true })
  try {
    await transaction.commit().execute()
    if (demands !== undefined) demands.final = true
  } catch (error) {
    if (committedNothing(error) || readOnly === true) throw error
    throw new OutcomeUnknownError(undefined, { cause: error })
  } finally {
    stop.deadline?.removeEventListener('abort', cancel)
    // the next statement on the connection belongs to another caller
    await cancellation
  }
}

/**
 * Whether certainly nothing was committed: the server refused the commit and kept the connection, or the commit was
 * never sent. A server that commits on other servers may report a lost connection to one of them (08).
 */
function committedNothing (error: unknown): boolean {
  if (!(error instanceof Error)) return false
  if (wasNeverSent(error)) return true
  return isServerError(error) && (error as { severity?: unknown }).severity === 'ERROR' && !isCommitUnknown(error) &&
    !sqlStateOf(error).startsWith('08')
}
