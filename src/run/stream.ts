/** Rows of one statement, in parts: a cursor in the server holds the rest. */
import { EventType, TransactionEventBroadcaster } from '@mikro-orm/core'
import type { EntityManager } from '@mikro-orm/postgresql'
import type { Kysely } from 'kysely'
import type { Pool } from 'pg'
import { executorOf } from '../borrowed/kysely.ts'
import { applySessionContext, sessionContextOf } from '../borrowed/mikro-orm.ts'
import { MAX_STREAM_BATCH } from '../plan/index.ts'
import { convertError, isReadOnlyServer } from './convert-error.ts'
import { discard, heldBy, letGo, readOnlyFailure, type HeldConnection } from './held-connection.ts'
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
} from './perform.ts'
import { replicasOf } from './replicas/routing.ts'
import { RowReader, type RowPart } from './row-reader.ts'
import { clientOf, run, runOn, tellOf, type Connection } from './session.ts'
import { enterStage } from './stage-times.ts'
import type { BoundStatement, Row } from './statement.ts'
import { reasonOf, signalOf } from './stop.ts'

/** Bytes of rows that are read at a time: what a stream needs of memory is a small multiple of it. */
export const PART_BYTES = 2 ** 20
/** Rows of the first batch, and how much larger than the one before a batch may be: what rows are like is found out. */
const FIRST_BATCH = 16
const GROWTH = 4
/** How much larger batches become again after one that was too large. */
const RECOVERY = 1.2

/** How many rows to ask for next, so that they have about the bytes of a part. */
export class BatchSize {
  rows = FIRST_BATCH
  /** Rows that were not too large together, and somewhat more. */
  #most = MAX_STREAM_BATCH

  /** Rows to ask for together, of those there are. */
  of (count: number): number {
    return Math.min(count, this.#most)
  }

  /** These rows are too large together. */
  refuse (rows: number): void {
    this.#most = Math.ceil(rows / 2)
    this.rows = this.#most
  }

  /** These rows are not. */
  accept (): void {
    this.#most = Math.min(MAX_STREAM_BATCH, Math.ceil(this.#most * RECOVERY))
  }

  /** Learns from a batch that has been read. */
  learn (rows: number, bytes: number): void {
    if (rows === 0) return
    const fitting = Math.floor(PART_BYTES / Math.max(1, bytes / rows))
    this.rows = Math.max(1, Math.min(fitting, this.rows * GROWTH, this.#most))
  }
}

/** How rows that are keys become records. */
export interface Completion {
  /**
   * Makes the statement that reads the records of some keys. It runs in the snapshot of the keys, unless the
   * EntityManager is in a transaction with another isolation level.
   */
  readonly read: (keys: readonly Row[]) => BoundStatement | Promise<BoundStatement>
  /** What records have too much of, according to a row: instead of them. */
  readonly excessOf: (row: Row) => string | undefined
  /** The error for a single record that is too large. */
  readonly refusal: (excess: string) => Error
}

export interface StreamOptions {
  /** Where the rows of the statement are keys. */
  readonly complete?: Completion | undefined
  /** Cancels the statement in the server, as the signal of the EntityManager does. */
  readonly signal?: AbortSignal | undefined
}

let lastCursor = 0

/**
 * Reads the rows of a statement part by part, as they are in the moment of the first one. A cursor lives in a
 * transaction: that of the EntityManager if it has one, else one of its own, on a connection that is occupied until the
 * last part, or until the caller stops asking. Its own is on a replica, where there is one to read from; until the first
 * part is there, another one can take over.
 *
 * A part has about a mebibyte, or one row that is larger. In a transaction of its own that is so for any rows, since the
 * server waits in the middle of a batch; in one of the caller's, who may use the connection between two parts, a part is
 * a batch, whose size is chosen by the rows before.
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
  /** Ends a statement in the middle of its rows, the cursor and its transaction, whatever has become of them. */
  readonly end: () => Promise<unknown>
}

/** Sends a statement; its rows come in parts. */
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

/** A cursor in the transaction of the caller. */
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
    // a transaction that has failed takes nothing but a rollback
    if (!failed) await run(em, { text: `close ${name}`, values: [] })
  }
  return { first: await rest.next(), rest, end }
}

/** Rows that have come all at once. */
function partOf (rows: Row[]): RowPart {
  let bytes = 0
  for (const row of rows) for (const value of Object.values(row)) if (typeof value === 'string') bytes += value.length
  return { rows, bytes }
}

/** A cursor in a transaction of its own. */
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

/** A stream may take as long as its reader: the limit of a single statement would end it in the middle. */
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

/** A cursor in a transaction on a connection that is given back at its end; the caller gives it back if there is none. */
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
  // all statements see what the first one sees
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
    // a connection on which a transaction may still be open is of no use to others
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

/** Begins a transaction as MikroORM does, on a connection that is not the transaction's to give back. */
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

/** Reads the rows of a statement on a connection that is this stream's alone. */
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
    // also of a statement whose reader has left in the middle of its rows
    tellOf(statement, connection, performance.now() - waited, failure ?? count)
  }
}

/** @throws the error for what was stopped */
export function throwIfStopped (signal: AbortSignal | undefined): void {
  if (signal?.aborted === true) throw reasonOf(signal)
}

const nameOf = (): string => `crud_stream_${++lastCursor}`

/** The rows of a cursor, or the records that they are the keys of. */
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

/** The records of some keys: those of half of them where all together are too large. */
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

/** Streams that occupy a connection, by pool. */
const open = new WeakMap<Pool, Set<symbol>>()
/** The server's own code for too many connections: another replica may have one. */
const TOO_MANY = '53300'

/**
 * Lets a stream in; returns what lets it out. A client may read as slowly as it likes, so one connection is left for
 * everybody else.
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
