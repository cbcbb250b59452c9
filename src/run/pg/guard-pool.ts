/**
 * Adds guards to a pool of pg: a limit for its queue, the replacement of connections that are older than the last one
 * that broke, a check of servers that do not answer, and the survival of answers that cannot be read. They apply to all
 * users of the pool, including MikroORM and its transactions.
 */
import type { Client, Pool } from 'pg'
import { endCursorsWith, isBusy, onConnections, replaceConnect, socketOf } from '../../borrowed/pg.ts'
import { isTooLong, TOO_MANY_CONNECTIONS } from '../errors/driver-errors.ts'
import { pooled, useNoNames, waitingFor } from './connections.ts'
import { isThere } from './server-socket.ts'

interface GuardOptions {
  /** How many requests may wait for a connection. Further ones are refused at once. */
  readonly queueLimit: number
  /** Milliseconds without an answer after which the server is checked. 0 turns the check off. */
  readonly probeAfterMillis: number
  /** Whether the server may keep named statements. Default true. */
  readonly preparedStatements?: boolean
}

/** Milliseconds to wait for the answer to that check if the pool has no connectionTimeoutMillis. */
const PATIENCE = 10_000

export function guardPool (
  pool: Pool,
  { queueLimit, probeAfterMillis, preparedStatements = true }: GuardOptions
): void {
  if (!preparedStatements) useNoNames(pool)
  surviveUnreadable(pool)
  const patience = pool.options.connectionTimeoutMillis || PATIENCE
  let broken = 0
  /** How many connections had broken when this one was opened. A server that has closed one may have closed all. */
  const madeAfter = new WeakMap<Client, number>()

  pool.on('connect', (client) => {
    madeAfter.set(client, broken)
    client.on('error', () => {
      broken++
    })
    endCursorsWith(client)
    if (probeAfterMillis > 0) closeUnresponsive(client, probeAfterMillis, patience)
  })
  pool.on('release', (error, client) => {
    pooled.add(client)
    if (error && madeAfter.get(client) === broken) broken++
  })

  replaceConnect(pool, (connect) => (done) => {
    const full = pool.idleCount === 0 && pool.totalCount >= pool.options.max
    if (full && waitingFor(pool) >= queueLimit) {
      const error = Object.assign(
        new Error(`all ${pool.options.max} connections are in use, and ${queueLimit} requests wait for one`),
        { code: TOO_MANY_CONNECTIONS }
      )
      process.nextTick(done, error)
      return
    }
    const takeOne = (): void =>
      connect((error, client, release) => {
        if (client === undefined || madeAfter.get(client) === broken) return done(error, client, release)
        release(true)
        takeOne()
      })
    takeOne()
  })
}

/** Closes a connection when a statement waits for an answer and the server does not respond to the check. */
function closeUnresponsive (client: Client, after: number, patience: number): void {
  const stream = socketOf(client)
  stream.setTimeout(after)
  stream.on('timeout', () => {
    if (!isBusy(client)) return
    isThere(client, patience).then((there) => {
      // a socket's timeout fires once and has to be set again
      if (there) stream.setTimeout(after)
      else if (isBusy(client)) {
        stream.destroy(
          Object.assign(new Error('Connection terminated: the server does not answer'), { code: 'ETIMEDOUT' })
        )
      }
    }, (error: Error) => stream.destroy(error))
  })
}

const survived = new WeakSet<object>()

/**
 * Makes the process survive unreadable answers on the connections of a pool. pg reads answers in a listener of its
 * socket, where no caller can catch an error. A text of more than 512 MiB, which no JavaScript string can hold, would
 * end the process. Here the connection is closed instead, and the waiting statement gets the error.
 */
export function surviveUnreadable (pool: Pool): void {
  if (survived.has(pool)) return
  survived.add(pool)
  onConnections(pool, survive)
}

function survive (client: Client): void {
  if (survived.has(client)) return
  survived.add(client)
  const socket = socketOf(client)
  // a connection in use has no other listener for this event, so its error would end the process. The statement gets
  // the error as well
  client.on('error', () => {})
  for (const read of socket.listeners('data') as Array<(chunk: Buffer) => void>) {
    socket.removeListener('data', read)
    socket.on('data', (chunk) => {
      try {
        read(chunk)
      } catch (error) {
        socket.destroy(unreadable(error))
      }
    })
  }
}

/** The error that closes the connection: the rest of the answer would be read as the beginning of the next one. */
function unreadable (cause: unknown): Error {
  if (isTooLong(cause)) return cause as Error
  return Object.assign(new Error('Connection terminated: the answer of the server cannot be read', { cause }), {
    code: 'ERR_UNREADABLE_ANSWER',
  })
}
