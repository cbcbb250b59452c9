/** Opens a cursor in a transaction on a connection that only this stream uses. */
import { EventType, TransactionEventBroadcaster } from '@mikro-orm/core'
import type { EntityManager } from '@mikro-orm/postgresql'
import type { Pool } from 'pg'
import { madeOnce } from '../../base/made-once.ts'
import { executorOf, type Transaction, type UntypedKysely } from '../../borrowed/kysely.ts'
import { applySessionContext, sessionContextOf, type Connection } from '../../borrowed/mikro-orm.ts'
import { convertError } from '../errors/convert-error.ts'
import { isReadOnlyServer, TOO_MANY_CONNECTIONS } from '../errors/driver-errors.ts'
import { RowReader, type RowPart } from '../pg/row-reader.ts'
import type { BoundStatement } from '../pg/statement.ts'
import { runOn, tellOf } from '../session.ts'
import { enterStage } from '../stage-times.ts'
import {
  discard, readOnlyFailure, resetHeld, watchConnection, type HeldConnection,
} from '../transaction/held-connection.ts'
import {
  log, occupy, poolOf, startOf, storeHeldConnection, undo, type Occupied, type TransactionSettings,
} from '../transaction/perform.ts'
import { reasonOf, throwIfStopped } from '../transaction/stop.ts'
import { clientOf } from '../pg/client.ts'
import {
  batches, newCursorName, PART_BYTES, partOfRows, type CursorOptions, type OpenCursor, type Send,
} from './read-cursor.ts'

/** Opens a cursor in a new transaction. */
export async function openOn (
  connection: Connection,
  em: EntityManager,
  statement: BoundStatement,
  options: CursorOptions
): Promise<OpenCursor> {
  const leave = await takePlace(connection)
  try {
    const opened = await openInTurn(connection, em, statement, options)
    return { ...opened, end: () => opened.end().finally(leave) }
  } catch (error) {
    leave()
    throw error
  }
}

/** Removes the time limit of single statements: a stream lasts as long as its reader needs. */
const NO_LIMIT: BoundStatement = {
  text: "select set_config('statement_timeout', '0', true) where current_setting('statement_timeout') <> '0'",
  values: [],
}

async function openInTurn (
  connection: Connection,
  em: EntityManager,
  statement: BoundStatement,
  options: CursorOptions
): Promise<OpenCursor> {
  enterStage('run')
  const occupied = await occupy(connection).catch((error: unknown) => {
    throw convertError(error)
  })
  enterStage()
  try {
    return await openHeld(occupied, connection, em, statement, options)
  } catch (error) {
    occupied.giveBack()
    throw error
  }
}

/**
 * Opens a cursor in a transaction on a taken connection. The end of the stream gives the connection back. If opening
 * fails, the caller does.
 */
async function openHeld (
  { single, giveBack }: Occupied,
  connection: Connection,
  em: EntityManager,
  statement: BoundStatement,
  options: CursorOptions
): Promise<OpenCursor> {
  const held = await watchConnection(executorOf(single), await poolOf(connection))
  resetHeld(held)
  const session = em.fork()
  const events = new TransactionEventBroadcaster(session as never)
  enterStage('run')
  // all statements read from the snapshot of the first one
  const isolation = options.complete === undefined ? {} : { isolationLevel: 'repeatable read' } as const
  const transaction = await beginTransaction(single, connection, session, events, isolation).catch(
    (error: unknown) => {
      discard(held)
      throw convertError(error)
    }
  )
  enterStage()
  session.setTransactionContext(transaction as never)
  storeHeldConnection(transaction, held)
  const send: Send = held.client === undefined
    ? async function * (statement) {
      yield partOfRows(await runOn(session, connection, statement))
    }
    : (statement) => readParts(held, connection, statement, options.signal)
  const rest = batches(send, newCursorName(), statement, options)
  const end = async () => {
    await rest.return()
    // a connection that may still have an open transaction cannot be reused
    await connection.rollback(transaction as never, events).catch(() => discard(held))
    resetHeld(held)
  }
  try {
    await runOn(session, connection, NO_LIMIT)
    return { first: await rest.next(), rest, end: () => end().finally(giveBack) }
  } catch (error) {
    await end()
    throw error
  }
}

/** Begins a transaction as MikroORM does, but leaves it to the caller to release the connection. */
async function beginTransaction (
  single: UntypedKysely,
  connection: Connection,
  session: EntityManager,
  events: TransactionEventBroadcaster,
  settings: TransactionSettings
): Promise<Transaction> {
  await events.dispatchEvent(EventType.beforeTransactionStart)
  const transaction = await startOf(single, settings).execute() as unknown as Transaction
  log(connection, session, 'begin')
  const sessionContext = sessionContextOf(session)
  try {
    if (sessionContext !== undefined) await applySessionContext(connection, transaction, sessionContext)
    await events.dispatchEvent(EventType.afterTransactionStart, transaction as never)
  } catch (error) {
    await undo(events, transaction, connection, session, () => transaction.rollback().execute(), 'rollback')
    throw error
  }
  return transaction
}

/** Reads the rows of a statement on a connection that only this stream uses. */
async function * readParts (
  held: HeldConnection,
  connection: Connection,
  statement: BoundStatement,
  signal: AbortSignal | undefined
): AsyncGenerator<RowPart, void, undefined> {
  let waited = 0
  let count = 0
  let failure: Error | undefined
  throwIfStopped(signal)
  const reader = new RowReader(held.client!, statement, statement.columns ?? [], PART_BYTES)
  try {
    for (;;) {
      const started = performance.now()
      const part = await reader.next(signal).finally(() => {
        waited += performance.now() - started
      })
      if (part === undefined) break
      count += part.rows.length
      yield part
    }
  } catch (error) {
    failure = signal?.aborted === true
      ? reasonOf(signal, error)
      : (isReadOnlyServer(error) ? readOnlyFailure(held, error) : undefined) ?? convertError(error)
    throw failure
  } finally {
    await reader.end()
    // the statement is also reported if the caller stops in the middle of its rows
    tellOf(statement, connection, performance.now() - waited, failure ?? count)
  }
}

/** The open streams of each pool. */
const openStreams: (pool: Pool) => Set<symbol> = madeOnce(() => new Set())

/**
 * Reserves a place for a stream, and returns a function that frees it. A client may read arbitrarily slowly, so one
 * connection is kept free for other requests.
 *
 * @throws {UnavailableError} when no more streams may be open
 */
async function takePlace (connection: Connection): Promise<() => void> {
  const pool = await clientOf(connection).catch((error: unknown) => {
    throw convertError(error)
  }) as Pool
  const streams = openStreams(pool)
  if (streams.size >= Math.max(1, pool.options.max - 1)) {
    throw convertError(
      Object.assign(
        new Error(
          `${streams.size} streams are open, and pool.max is ${pool.options.max}, for them and for all other requests`
        ),
        // another replica may have a free one
        { code: TOO_MANY_CONNECTIONS }
      )
    )
  }
  const stream = Symbol('stream')
  streams.add(stream)
  return () => {
    streams.delete(stream)
  }
}
