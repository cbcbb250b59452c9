/** Rows of one statement, in batches: a cursor in the server holds the rest. */
import { TransactionEventBroadcaster } from '@mikro-orm/core'
import type { EntityManager } from '@mikro-orm/postgresql'
import type { Pool } from 'pg'
import { convertError } from './convert-error.ts'
import { replicasOf } from './replicas/routing.ts'
import { clientOf, run, runOn, type Connection } from './session.ts'
import { enterStage } from './stage-times.ts'
import type { BoundStatement, Row } from './statement.ts'
import { hold } from './perform.ts'

let lastCursor = 0

/**
 * Reads the rows of a statement batch by batch, as they are in the moment of the first one. A cursor lives in a
 * transaction: that of the EntityManager if it has one, else one of its own, on a connection that is occupied until the
 * last batch, or until the caller stops asking. Its own is on a replica, where there is one to read from; until the first
 * batch is there, another one can take over.
 *
 * @param size of a batch, in rows
 */
export async function * streamRows (em: EntityManager, statement: BoundStatement, size: number): AsyncGenerator<Row[], void, undefined> {
  const { first, fetch, end } = await openCursor(em, statement, size)
  let failed = false
  try {
    for (let rows = first; ; rows = await fetch()) {
      if (rows.length > 0) yield rows
      if (rows.length < size) return
    }
  } catch (error) {
    failed = true
    throw error
  } finally {
    await end(failed)
  }
}

interface Cursor {
  readonly first: Row[]
  readonly fetch: () => Promise<Row[]>
  /** @param failed whether the transaction is over anyway */
  readonly end: (failed: boolean) => Promise<unknown>
}

async function openCursor (em: EntityManager, statement: BoundStatement, size: number): Promise<Cursor> {
  if (em.isInTransaction()) {
    const cursor = cursorOf((statement) => run(em, statement), statement, size)
    return { first: await cursor.open(), fetch: cursor.fetch, end: async (failed) => failed ? undefined : await cursor.close() }
  }
  const replicas = replicasOf(em)
  return replicas === undefined
    ? await openOn(em.getConnection(), em, statement, size)
    : await replicas.read((connection) => openOn(connection, em, statement, size), ({ end }) => end(false))
}

/** A cursor in a transaction of its own. */
async function openOn (connection: Connection, em: EntityManager, statement: BoundStatement, size: number): Promise<Cursor> {
  const leave = await takePlace(connection)
  try {
    const cursor = await beginOn(connection, em, statement, size)
    return { ...cursor, end: (failed) => cursor.end(failed).finally(leave) }
  } catch (error) {
    leave()
    throw error
  }
}

async function beginOn (connection: Connection, em: EntityManager, statement: BoundStatement, size: number): Promise<Cursor> {
  const session = em.fork()
  const events = new TransactionEventBroadcaster(session as never)
  const sessionContext = session.getTransactionSessionContext()
  enterStage('run')
  const transaction = await connection.begin({ eventBroadcaster: events, ...(sessionContext !== undefined && { sessionContext }) }).catch((error: unknown) => { throw convertError(error) })
  session.setTransactionContext(transaction)
  const { client } = await hold(transaction, connection)
  enterStage()
  // a connection that has broken is kept by the transaction on it
  const end = () => connection.rollback(transaction, events).catch(() => client?.release(true))
  const cursor = cursorOf((statement) => runOn(session, connection, statement), statement, size)
  try {
    return { first: await cursor.open(), fetch: cursor.fetch, end }
  } catch (error) {
    await end()
    throw error
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
  const pool = await clientOf(connection).catch((error: unknown) => { throw convertError(error) }) as Pool
  const streams = open.get(pool) ?? new Set()
  open.set(pool, streams)
  if (streams.size >= Math.max(1, pool.options.max - 1)) {
    throw convertError(Object.assign(new Error(`${streams.size} streams are open, and pool.max is ${pool.options.max}, for them and for all other requests`), { code: TOO_MANY }))
  }
  const stream = Symbol('stream')
  streams.add(stream)
  return () => { streams.delete(stream) }
}

function cursorOf (send: (statement: BoundStatement) => Promise<Row[]>, statement: BoundStatement, size: number) {
  const { text, values, call } = statement
  const name = `crud_stream_${++lastCursor}`
  const fetch = () => send({ text: `fetch ${size} from ${name}`, values: [], call, fetches: statement })
  return {
    open: async () => {
      await send({ text: `declare ${name} no scroll cursor for ${text}`, values })
      return await fetch()
    },
    fetch,
    close: () => send({ text: `close ${name}`, values: [] }),
  }
}
