/**
 * Statements on a connection of the pool. In: a statement, and the signal of the request that it is for. Out: rows. It
 * ends in the server when nobody waits for its answer any more, and is asked again where that costs nobody anything.
 *
 * What has to be waited for calls back: a statement is one promise, not one for each step.
 */
import type { Pool, PoolClient } from 'pg'
import { isConnectionLost, isReadOnlyServer, isStale, isStaleName, wasNeverSent } from './convert-error.ts'
import { sendQuery, type QueryCallback } from './query.ts'
import { cancelUntilOver, type Cancelling } from './server-socket.ts'
import type { BoundStatement, Row } from './statement.ts'
import type { Cancellation } from './stop.ts'

/** Connections that have been in their pool: the server may have closed them since. */
export const pooled = new WeakSet<PoolClient>()

/** Pools on whose connections statements have no names. */
const nameless = new WeakSet<Pool>()

/** Requests that have left a queue, in which pg keeps their places. */
const left = new WeakMap<Pool, number>()

/** Lets no statement on the pool's connections have a name: they may not be the same connections the next time. */
export function useNoNames (pool: Pool): void {
  nameless.add(pool)
}

/**
 * Runs a statement on a connection of the pool; when the signal aborts, the server cancels it.
 *
 * A connection that has been idle may be dead without anybody having noticed. A statement that finds out is run once
 * more: one that changes nothing, or that was never sent. So is one whose name the server does not know, or knows for
 * what the table was before: it has not begun.
 *
 * @throws the driver's error; for a cancelled statement `57014`, or the signal's reason when it was not sent yet
 */
export function runOnPool (pool: Pool, statement: BoundStatement, signal: Cancellation | undefined): Promise<Row[]> {
  return new Promise((resolve, reject) => {
    const attempt = (again: boolean): void =>
      acquire(pool, signal, (error, client) => {
        if (client === undefined) return reject(error)
        const wasIdle = pooled.has(client)
        query(client, statement, !nameless.has(pool), signal, (error, rows) => {
          if (rows !== undefined) return resolve(rows)
          if (signal?.aborted === true) return reject(error)
          if (isStaleName(error) && statement.prepared?.forgetName() === true) return attempt(again)
          if (
            !again && wasIdle && isStale(error) && (statement.readOnly === true || wasNeverSent(error))
          ) return attempt(true)
          reject(error)
        })
      })
    attempt(false)
  })
}

/** A connection of the pool, to be released; or the pool's error, or the signal's reason: then its place in the queue goes to the next. */
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
    left.set(pool, (left.get(pool) ?? 0) + 1)
    done(signal.reason)
  }
  signal.addEventListener('abort', leave)
  pool.connect((error, client) => {
    // pg can't take anybody out of its queue: when it is the turn of one who has left, the next has it
    if (gone) {
      left.set(pool, left.get(pool)! - 1)
      client?.release()
    } else {
      signal.removeEventListener('abort', leave)
      done(error, client)
    }
  })
}

/** Requests that wait for a connection of the pool. */
export function waitingFor (pool: Pool): number {
  return Math.max(0, pool.waitingCount - (left.get(pool) ?? 0))
}

/**
 * Runs a statement and gives its connection back: only after a cancellation has been answered, which would hit the next
 * statement otherwise.
 */
function query (
  client: PoolClient,
  statement: BoundStatement,
  named: boolean,
  signal: Cancellation | undefined,
  done: QueryCallback
): void {
  let cancelling: Cancelling | undefined
  const cancel = (): void => {
    cancelling = cancelUntilOver(client)
  }
  const finish = (error: unknown, rows: Row[] | undefined): void => {
    pooled.add(client)
    // outside of transactions nobody but the server says that it is read-only: another one may be there by now
    client.release(
      error !== undefined && (isConnectionLost(error) || isReadOnlyServer(error)) ? error as Error : undefined
    )
    done(error, rows)
  }
  // aborted while it waited for a connection: there is nothing to ask any more
  if (signal?.aborted === true) return finish(signal.reason, undefined)
  signal?.addEventListener('abort', cancel)
  sendQuery(client, statement, named, (error, rows) => {
    signal?.removeEventListener('abort', cancel)
    if (cancelling === undefined) finish(error, rows)
    else cancelling.end().then(() => finish(error, rows), done)
  })
}
