/**
 * Statements on a connection of the pool. In: a statement, and the signal of the request that it is for. Out: rows. It
 * ends in the server when nobody waits for its answer any more, and is asked again where that costs nobody anything.
 */
import type { Pool, PoolClient } from 'pg'
import { isConnectionLost, isReadOnlyServer, isStale, wasNeverSent } from './convert-error.ts'
import { requestCancel } from './server-socket.ts'
import type { BoundStatement, Row } from './session.ts'

/** Connections that have been in their pool: the server may have closed them since. */
export const pooled = new WeakSet<PoolClient>()

/** Requests that have left a queue, in which pg keeps their places. */
const left = new WeakMap<Pool, number>()

/**
 * Runs a statement on a connection of the pool; when the signal aborts, the server cancels it.
 *
 * A connection that has been idle may be dead without anybody having noticed. A statement that finds out is run once
 * more: one that changes nothing, or that was never sent.
 *
 * @throws the driver's error; for a cancelled statement `57014`, or the signal's reason when it was not sent yet
 */
export async function runOnPool (pool: Pool, statement: BoundStatement, signal: AbortSignal | undefined): Promise<Row[]> {
  const client = await acquire(pool, signal)
  const wasIdle = pooled.has(client)
  try {
    return await query(client, statement, signal)
  } catch (error) {
    const again = wasIdle && signal?.aborted !== true && isStale(error) && (statement.readOnly === true || wasNeverSent(error))
    if (!again) throw error
  }
  return await query(await acquire(pool, signal), statement, signal)
}

/**
 * A connection of the pool, to be released.
 *
 * @throws the pool's error, or the signal's reason: then its place in the queue goes to the next
 */
async function acquire (pool: Pool, signal: AbortSignal | undefined): Promise<PoolClient> {
  if (signal === undefined) return await pool.connect()
  signal.throwIfAborted()
  return await new Promise((resolve, reject) => {
    let gone = false
    const leave = (): void => {
      gone = true
      left.set(pool, (left.get(pool) ?? 0) + 1)
      reject(signal.reason)
    }
    // pg can't take anybody out of its queue: when it is the turn of one who has left, the next has it
    const done = (): boolean => {
      if (gone) left.set(pool, left.get(pool)! - 1)
      else signal.removeEventListener('abort', leave)
      return !gone
    }
    signal.addEventListener('abort', leave, { once: true })
    pool.connect().then(
      (client) => done() ? resolve(client) : client.release(),
      (error: unknown) => { if (done()) reject(error) }
    )
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
async function query (client: PoolClient, { text, values }: BoundStatement, signal: AbortSignal | undefined): Promise<Row[]> {
  let cancellation: Promise<void> | undefined
  const cancel = (): void => { cancellation = requestCancel(client) }
  let broken: Error | undefined
  try {
    // aborted while it waited for a connection: there is nothing to ask any more
    signal?.throwIfAborted()
    signal?.addEventListener('abort', cancel, { once: true })
    return (await client.query<Row>(text, [...values])).rows
  } catch (error) {
    // outside of transactions nobody but the server says that it is read-only: another one may be there by now
    if (isConnectionLost(error) || isReadOnlyServer(error)) broken = error as Error
    throw error
  } finally {
    signal?.removeEventListener('abort', cancel)
    await cancellation
    pooled.add(client)
    client.release(broken)
  }
}
