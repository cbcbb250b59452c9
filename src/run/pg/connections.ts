/** Takes connections from the pools of pg, and returns them. */
import type { Pool, PoolClient } from 'pg'
import { isConnectionLost, isReadOnlyServer, isStaleName } from '../errors/driver-errors.ts'
import { parseAgain } from './named-statements.ts'
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

/** The name by which the servers of a pool may keep a statement. */
export function nameOf (pool: Pool, { prepared }: BoundStatement): string | undefined {
  return nameless.has(pool) ? undefined : prepared?.nameForRun()
}

/**
 * Takes a connection from the pool. Fails with the pool's error, or with the signal's reason. After an abort, the place
 * in the queue goes to the next request.
 */
export function acquire (
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

/** Returns a connection to its pool, after the error of a statement if there was one. */
export function release (client: PoolClient, error: unknown): void {
  pooled.add(client)
  if (error !== undefined && isStaleName(error)) parseAgain(client)
  // outside of transactions only the server can be read-only: a new connection may lead to another server
  client.release(
    error !== undefined && (isConnectionLost(error) || isReadOnlyServer(error)) ? error as Error : undefined
  )
}
