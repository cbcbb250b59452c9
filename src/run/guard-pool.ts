/**
 * What a pool of pg's lacks on a bad day: an end to its queue, no trust in connections that are older than the last
 * one that broke, and a question to a server that has gone silent. It holds for all users of the pool, MikroORM and its
 * transactions included.
 */
import type { Client, Pool } from 'pg'
import { endCursorsWith, isBusy, replaceConnect, socketOf } from '../borrowed/pg.ts'
import { pooled, useNoNames, waitingFor } from './pool.ts'
import { isThere } from './server-socket.ts'
import { surviveUnreadable } from './unreadable.ts'

export interface GuardOptions {
  /** Requests that may wait for a connection; more are refused at once. */
  readonly queueLimit: number
  /** Milliseconds without an answer after which the server is asked whether it is still there; 0 never. */
  readonly probeAfterMillis: number
  /** Whether the server may keep statements by name. Default true. */
  readonly preparedStatements?: boolean
}

/** Time to wait for the server to say that it is there, where connecting may take for ever. */
const PATIENCE = 10_000
/** The server's own code for too many connections. */
const TOO_MANY = '53300'

export function guardPool (
  pool: Pool,
  { queueLimit, probeAfterMillis, preparedStatements = true }: GuardOptions
): void {
  if (!preparedStatements) useNoNames(pool)
  surviveUnreadable(pool)
  const patience = pool.options.connectionTimeoutMillis || PATIENCE
  let broken = 0
  /** How many connections had broken when this one was made. A server that has closed one may have closed all. */
  const madeAfter = new WeakMap<Client, number>()

  pool.on('connect', (client) => {
    madeAfter.set(client, broken)
    client.on('error', () => {
      broken++
    })
    endCursorsWith(client)
    if (probeAfterMillis > 0) watch(client, probeAfterMillis, patience)
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
        { code: TOO_MANY }
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

/** Ends a connection on which a statement waits for the answer of a server that is not there any more. */
function watch (client: Client, after: number, patience: number): void {
  const stream = socketOf(client)
  stream.setTimeout(after)
  stream.on('timeout', () => {
    if (!isBusy(client)) return
    isThere(client, patience).then((there) => {
      // a timeout comes once; the next needs another start
      if (there) stream.setTimeout(after)
      else if (isBusy(client)) {
        stream.destroy(
          Object.assign(new Error('Connection terminated: the server does not answer'), { code: 'ETIMEDOUT' })
        )
      }
    }, (error: Error) => stream.destroy(error))
  })
}
