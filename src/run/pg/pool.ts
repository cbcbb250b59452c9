/**
 * Runs statements on connections of a pool. It takes a statement and the signal of its request, and returns rows. When
 * the request is aborted, the server cancels the statement. When it is safe, a failed statement is sent again.
 *
 * The steps use callbacks, so that a statement costs one promise and not one for each step.
 */
import type { Pool, PoolClient } from 'pg'
import type { Row } from '../../sql/index.ts'
import { isConnectionLost, isReadOnlyServer, isStale, isStaleName, wasNeverSent } from '../errors/driver-errors.ts'
import { sendQuery, type QueryCallback } from './query.ts'
import { cancelUntilOver, type Cancelling } from './server-socket.ts'
import type { BoundStatement } from './statement.ts'

/** The part of an AbortSignal that is used here. */
export interface Cancellation {
  readonly aborted: boolean
  readonly reason: unknown
  addEventListener(type: 'abort', listener: () => void): void
  removeEventListener(type: 'abort', listener: () => void): void
}

/** Connections that have been idle in their pool. The server may have closed them since. */
export const pooled = new WeakSet<PoolClient>()

/** Pools on whose connections statements have no names. */
const nameless = new WeakSet<Pool>()

/** The number of requests that stopped waiting. pg still keeps their places in its queue. */
const abandoned = new WeakMap<Pool, number>()

/**
 * Turns off statement names on a pool whose connections may be other server connections each time, as with a pooler.
 */
export function useNoNames (pool: Pool): void {
  nameless.add(pool)
}

/**
 * Runs a statement on a connection of the pool. When the signal aborts, the server cancels the statement.
 *
 * A connection may have broken while it was idle. A statement that fails for this reason is sent once more if it only
 * reads, or if it was never sent. A statement is also sent again if the server does not know its name or has an
 * outdated plan for it, because then it has not begun.
 *
 * @throws the driver's error; for a cancelled statement `57014`, or the signal's reason if it was not sent yet
 */
export function runOnPool (pool: Pool, statement: BoundStatement, signal: Cancellation | undefined): Promise<Row[]> {
  return new Promise((resolve, reject) => {
    const attempt = (again: boolean): void =>
      acquire(pool, signal, (error, client) => {
        if (client === undefined) return reject(error)
        const wasIdle = pooled.has(client)
        const name = nameless.has(pool) ? undefined : statement.prepared?.nameForRun()
        query(client, statement, name, signal, (error, rows) => {
          if (rows !== undefined) return resolve(rows)
          if (signal?.aborted === true) return reject(error)
          // another request that failed at the same time may have removed the name
          if (isStaleName(error) && name !== undefined) {
            statement.prepared!.forgetName()
            return attempt(again)
          }
          if (
            !again && wasIdle && isStale(error) && (statement.readOnly === true || wasNeverSent(error))
          ) return attempt(true)
          reject(error)
        })
      })
    attempt(false)
  })
}

/**
 * Takes a connection from the pool. Fails with the pool's error, or with the signal's reason. After an abort, the place
 * in the queue goes to the next request.
 */
function acquire (
  pool: Pool,
  signal: Cancellation | undefined,
  done: (error: unknown, client?: PoolClient) => void
): void {
  if (signal === undefined) return pool.connect(done)
  if (signal.aborted) return done(signal.reason)
  let gone = false
  const leave = (): void => {
    gone = true
    abandoned.set(pool, (abandoned.get(pool) ?? 0) + 1)
    done(signal.reason)
  }
  signal.addEventListener('abort', leave)
  pool.connect((error, client) => {
    // pg cannot remove a request from its queue: a connection for an aborted one goes back to the pool
    if (gone) {
      abandoned.set(pool, abandoned.get(pool)! - 1)
      client?.release()
    } else {
      signal.removeEventListener('abort', leave)
      done(error, client)
    }
  })
}

/** The number of requests that wait for a connection of the pool. */
export function waitingFor (pool: Pool): number {
  return Math.max(0, pool.waitingCount - (abandoned.get(pool) ?? 0))
}

/**
 * Runs a statement and releases its connection. After a cancellation it waits for the server's answer to that, because
 * a late cancellation would hit the next statement.
 */
function query (
  client: PoolClient,
  statement: BoundStatement,
  name: string | undefined,
  signal: Cancellation | undefined,
  done: QueryCallback
): void {
  let cancelling: Cancelling | undefined
  const cancel = (): void => {
    cancelling = cancelUntilOver(client)
  }
  const finish = (error: unknown, rows: Row[] | undefined): void => {
    pooled.add(client)
    // outside of transactions only the server can be read-only: a new connection may lead to another server
    client.release(
      error !== undefined && (isConnectionLost(error) || isReadOnlyServer(error)) ? error as Error : undefined
    )
    done(error, rows)
  }
  // aborted while it waited for a connection
  if (signal?.aborted === true) return finish(signal.reason, undefined)
  signal?.addEventListener('abort', cancel)
  sendQuery(client, statement, name, (error, rows) => {
    signal?.removeEventListener('abort', cancel)
    if (cancelling === undefined) finish(error, rows)
    else cancelling.end().then(() => finish(error, rows), done)
  })
}
