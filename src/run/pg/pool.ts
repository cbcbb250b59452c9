/**
 * Runs statements on connections of a pool. It takes a statement and the signal of its request, and returns rows. When
 * the request is aborted, the server cancels the statement. When it is safe, a failed statement is sent again.
 *
 * The steps use callbacks, so that a statement costs one promise and not one for each step.
 */
import type { Pool, PoolClient } from 'pg'
import type { Row } from '../../sql/index.ts'
import { isStale, isStaleName, wasNeverSent } from '../errors/driver-errors.ts'
import { isShareable, joinBatch, timeRun } from './batch.ts'
import { acquire, nameOf, pooled, release, type Cancellation } from './connections.ts'
import { sendQuery, type QueryCallback } from './query.ts'
import { cancelUntilOver, type Cancelling } from './server-socket.ts'
import type { BoundStatement } from './statement.ts'

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
  const shareable = isShareable(statement)
  return new Promise((resolve, reject) => {
    const attempt = (again: boolean, nameless = false): void =>
      acquire(pool, signal, (error, client) => {
        if (client === undefined) return reject(error)
        const wasIdle = pooled.has(client)
        const name = nameless ? undefined : nameOf(pool, statement)
        const ended = shareable ? timeRun(statement) : undefined
        query(client, statement, name, signal, (error, rows) => {
          ended?.(rows !== undefined)
          if (rows !== undefined) resolve(rows)
          else failed(error, wasIdle, name, again)
        })
      })
    const failed = (error: unknown, wasIdle: boolean, name: string | undefined, again = false): void => {
      if (signal?.aborted === true) return reject(error)
      if (isStaleName(error) && name !== undefined) {
        statement.prepared!.restNaming()
        return attempt(again, true)
      }
      if (
        !again && wasIdle && isStale(error) && (statement.readOnly === true || wasNeverSent(error))
      ) return attempt(true)
      reject(error)
    }
    const alone = () => attempt(false)
    if (!shareable || !statement.prepared.isQuick) return alone()
    joinBatch(pool, { statement, signal, resolve, reject, alone, failed })
  })
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
    release(client, error)
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
