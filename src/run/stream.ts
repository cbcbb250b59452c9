/** Reads the rows of one statement in parts, from a cursor in the server. */
import { EventType, TransactionEventBroadcaster } from '@mikro-orm/core'
import type { EntityManager } from '@mikro-orm/postgresql'
import type { Kysely } from 'kysely'
import type { Pool } from 'pg'
import { executorOf } from '../borrowed/kysely.ts'
import { applySessionContext, sessionContextOf } from '../borrowed/mikro-orm.ts'
import { MAX_STREAM_BATCH } from '../plan/index.ts'
import { convertError, isReadOnlyServer } from './errors/convert-error.ts'
import { discard, heldBy, letGo, readOnlyFailure, type HeldConnection } from './transaction/held-connection.ts'
import {
  holds,
  log,
  occupy,
  poolOf,
  startOf,
  undo,
  type Connection as OwnConnection,
  type Occupied,
  type Transaction,
  type TransactionSettings,
} from './transaction/perform.ts'
import { replicasOf } from './replicas/routing.ts'
import { RowReader, type RowPart } from './pg/row-reader.ts'
import { clientOf, run, runOn, tellOf, type Connection } from './session.ts'
import { enterStage } from './stage-times.ts'
import type { Row } from '../sql/index.ts'
import type { BoundStatement } from './pg/statement.ts'
import { reasonOf, signalOf } from './transaction/stop.ts'

/** Bytes of rows that are read at a time. The memory of a stream is a small multiple of this. */
export const PART_BYTES = 2 ** 20
/** Rows of the first batch, and the growth of each batch over the one before, until the size of rows is known. */
const FIRST_BATCH = 16
const GROWTH = 4
/** The growth of batches after one that was too large. */
const RECOVERY = 1.2

/** Chooses how many rows to fetch next, so that they have about the bytes of a part. */
export class BatchSize {
  rows = FIRST_BATCH
  /** The most rows to ask for together. Reduced after a batch that was too large, and then slowly increased. */
  #most = MAX_STREAM_BATCH

  /** How many of the given rows to ask for together. */
  of (count: number): number {
    return Math.min(count, this.#most)
  }

  /** Notes that these rows are too large together. */
  refuse (rows: number): void {
    this.#most = Math.ceil(rows / 2)
    this.rows = this.#most
  }

  /** Notes that a batch was not too large. */
  accept (): void {
    this.#most = Math.min(MAX_STREAM_BATCH, Math.ceil(this.#most * RECOVERY))
  }

  /** Adjusts the size to a batch that has been read. */
  learn (rows: number, bytes: number): void {
    if (rows === 0) return
    const fitting = Math.floor(PART_BYTES / Math.max(1, bytes / rows))
    this.rows = Math.max(1, Math.min(fitting, this.rows * GROWTH, this.#most))
  }
}

/** Turns rows that are keys into records. */
export interface Completion {
  /**
   * Makes the statement that reads the records of some keys. It runs in the snapshot of the keys, unless the
   * EntityManager is in a transaction with another isolation level.
   */
  readonly read: (keys: readonly Row[]) => BoundStatement | Promise<BoundStatement>
  /** The exceeded limit that a row reports instead of records. */
  readonly excessOf: (row: Row) => string | undefined
  /** The error for a single record that is too large. */
  readonly refusal: (excess: string) => Error
}

export interface StreamOptions {
  /** Set if the rows of the statement are keys. */
  readonly complete?: Completion | undefined
  /** Cancels the statement in the server, as the signal of the EntityManager does. */
  readonly signal?: AbortSignal | undefined
}

let lastCursor = 0

/**
 * Reads the rows of a statement part by part, from the snapshot of the first part. A cursor needs a transaction: that
 * of the EntityManager if it has one, else a new one. The new one occupies a connection until the last part, or until
 * the caller stops reading. It runs on a replica if there is one to read from. If that replica fails before the first
 * part, another one is tried.
 *
 * A part has about a mebibyte, or one larger row. In a new transaction this holds for all rows, because the server
 * waits in the middle of a batch. In the caller's transaction, the caller may use the connection between two parts.
 * There a part is a batch, whose size depends on the rows before.
 */
export async function * streamRows (
  em: EntityManager,
  statement: BoundStatement,
  options: StreamOptions = {}
): AsyncGenerator<Row[], void, undefined> {
  const { first, rest, end } = await openStream(em, statement, options)
  try {
    if (first.done === true) return
    yield first.value
    yield * rest
  } finally {
    await end()
  }
}

interface OpenStream {
  readonly first: IteratorResult<Row[], void>
  readonly rest: AsyncGenerator<Row[], void, undefined>
  /** Ends the statement, the cursor and its transaction, even in the middle of the rows. */
  readonly end: () => Promise<unknown>
}

/** Sends a statement and yields its rows in parts. */
type Send = (statement: BoundStatement) => AsyncGenerator<RowPart, void, undefined>

async function openStream (em: EntityManager, statement: BoundStatement, options: StreamOptions): Promise<OpenStream> {
  const own = signalOf(em)
  const signal = own !== undefined && options.signal !== undefined
    ? AbortSignal.any([own, options.signal])
    : own ?? options.signal
  if (em.isInTransaction()) return await openInside(em, statement, { ...options, signal })
  const replicas = replicasOf(em)
  const open = (connection: Connection) => openOn(connection, em, statement, { ...options, signal })
  return replicas === undefined ? await open(em.getConnection()) : await replicas.read(open, ({ end }) => end())
}

/** Opens a cursor in the caller's transaction. */
async function openInside (em: EntityManager, statement: BoundStatement, options: StreamOptions): Promise<OpenStream> {
  const name = nameOf()
  let failed = false
  const send: Send = async function * (statement) {
    throwIfStopped(options.signal)
    yield partOf(
      await run(em, statement).catch((error: unknown) => {
        failed = true
        throw error
      })
    )
  }
  const rest = batches(send, name, statement, options)
  const end = async () => {
    await rest.return()
    // a failed transaction accepts only a rollback
    if (!failed) await run(em, { text: `close ${name}`, values: [] })
  }
  return { first: await rest.next(), rest, end }
}

/** Makes a part of rows that were read all at once. */
function partOf (rows: Row[]): RowPart {
  let bytes = 0
  for (const row of rows) for (const value of Object.values(row)) if (typeof value === 'string') bytes += value.length
  return { rows, bytes }
}

/** Opens a cursor in a new transaction. */
async function openOn (
  connection: Connection,
  em: EntityManager,
  statement: BoundStatement,
  options: StreamOptions
): Promise<OpenStream> {
  const leave = await takePlace(connection)
  try {
    const opened = await beginOn(connection, em, statement, options)
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

async function beginOn (
  connection: Connection,
  em: EntityManager,
  statement: BoundStatement,
  options: StreamOptions
): Promise<OpenStream> {
  enterStage('run')
  const occupied = await occupy(connection as unknown as OwnConnection).catch((error: unknown) => {
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
  options: StreamOptions
): Promise<OpenStream> {
  const held = await heldBy(executorOf(single), await poolOf(connection))
  letGo(held)
  const session = em.fork()
  const events = new TransactionEventBroadcaster(session as never)
  enterStage('run')
  // all statements read from the snapshot of the first one
  const isolation = options.complete === undefined ? {} : { isolationLevel: 'repeatable read' } as const
  const transaction = await begin(single, connection as unknown as OwnConnection, session, events, isolation).catch(
    (error: unknown) => {
      discard(held)
      throw convertError(error)
    }
  )
  enterStage()
  session.setTransactionContext(transaction as never)
  holds(transaction, held)
  const send: Send = held.client === undefined
    ? async function * (statement) {
      yield partOf(await runOn(session, connection, statement))
    }
    : (statement) => readParts(held, connection, statement, options.signal)
  const rest = batches(send, nameOf(), statement, options)
  const end = async () => {
    await rest.return()
    // a connection that may still have an open transaction cannot be reused
    await connection.rollback(transaction as never, events).catch(() => discard(held))
    letGo(held)
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
async function begin (
  single: Kysely<any>,
  connection: OwnConnection,
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

/** @throws the error of the stop, if the signal has aborted */
export function throwIfStopped (signal: AbortSignal | undefined): void {
  if (signal?.aborted === true) throw reasonOf(signal)
}

const nameOf = (): string => `crud_stream_${++lastCursor}`

/** Reads the rows of a cursor, or the records of these rows if they are keys. */
async function * batches (
  send: Send,
  name: string,
  statement: BoundStatement,
  { complete }: StreamOptions
): AsyncGenerator<Row[], void, undefined> {
  const { text, values, call, columns } = statement
  const size = new BatchSize()
  const fetch = () => send({ text: `fetch ${size.rows} from ${name}`, values: [], call, columns, fetches: statement })
  for await (const part of send({ text: `declare ${name} no scroll cursor for ${text}`, values })) {
    if (part.rows.length > 0) yield part.rows
  }
  for (;;) {
    const wanted = size.rows
    let count = 0
    let bytes = 0
    if (complete === undefined) {
      for await (const part of fetch()) {
        count += part.rows.length
        bytes += part.bytes
        if (part.rows.length > 0) yield part.rows
      }
      size.learn(count, bytes)
    } else {
      const keys: Row[] = []
      for await (const { rows } of fetch()) keys.push(...rows)
      count = keys.length
      for await (const part of records(send, keys, complete, size)) {
        bytes += part.bytes
        yield part.rows
      }
      size.learn(count, bytes)
    }
    if (count < wanted) return
  }
}

/** Reads the records of some keys. If they are too large together, it reads those of half the keys. */
async function * records (
  send: Send,
  keys: readonly Row[],
  { read, excessOf, refusal }: Completion,
  size: BatchSize
): AsyncGenerator<RowPart, void, undefined> {
  for (let at = 0; at < keys.length;) {
    const some = keys.slice(at, at + size.of(keys.length))
    let excess: string | undefined
    for await (const part of send(await read(some))) {
      if (part.rows.length === 0) continue
      excess ??= excessOf(part.rows[0]!)
      if (excess === undefined) yield part
    }
    if (excess === undefined) {
      at += some.length
      size.accept()
    } else {
      if (some.length === 1) throw refusal(excess)
      size.refuse(some.length)
    }
  }
}

/** The open streams of each pool. */
const open = new WeakMap<Pool, Set<symbol>>()
/** PostgreSQL's code for too many connections: another replica may have a free one. */
const TOO_MANY = '53300'

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
  const streams = open.get(pool) ?? new Set()
  open.set(pool, streams)
  if (streams.size >= Math.max(1, pool.options.max - 1)) {
    throw convertError(
      Object.assign(
        new Error(
          `${streams.size} streams are open, and pool.max is ${pool.options.max}, for them and for all other requests`
        ),
        { code: TOO_MANY }
      )
    )
  }
  const stream = Symbol('stream')
  streams.add(stream)
  return () => {
    streams.delete(stream)
  }
}
