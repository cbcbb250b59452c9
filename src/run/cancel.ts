/** Statements that end in the server when nobody waits for their answer any more. */
import type { Pool } from 'pg'
import type { Row } from './session.ts'

/**
 * Runs a statement on a connection of the pool; when the signal aborts, the server cancels it.
 *
 * The connection goes back to the pool only after a cancellation has been answered: it would hit the next statement
 * otherwise.
 *
 * @throws the driver's error; for a cancelled statement `57014`
 */
export async function runCancellable (pool: Pool, text: string, values: readonly unknown[], signal: AbortSignal): Promise<Row[]> {
  const client = await pool.connect()
  let cancellation: Promise<unknown> | undefined
  const cancel = (): void => {
    const { processID } = client as unknown as { processID: number }
    cancellation = Promise.allSettled([pool.query('select pg_cancel_backend($1)', [processID])])
  }
  signal.addEventListener('abort', cancel, { once: true })
  let broken: Error | undefined
  try {
    // aborted while it waited for a connection: there is nothing to ask any more
    signal.throwIfAborted()
    return (await client.query<Row>(text, [...values])).rows
  } catch (error) {
    // an error without a code of the server's is one of the connection
    if (!signal.aborted && (error as { code?: unknown }).code === undefined) broken = error as Error
    throw error
  } finally {
    signal.removeEventListener('abort', cancel)
    await cancellation
    client.release(broken)
  }
}
