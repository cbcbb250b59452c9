/** Statements that end in the server when nobody waits for their answer any more. */
import net from 'node:net'
import type { Pool, PoolClient } from 'pg'
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
  let cancellation: Promise<void> | undefined
  const cancel = (): void => { cancellation = requestCancel(client) }
  signal.addEventListener('abort', cancel, { once: true })
  let broken: Error | undefined
  try {
    // aborted while it waited for a connection: there is nothing to ask any more
    signal.throwIfAborted()
    return (await client.query<Row>(text, [...values])).rows
  } catch (error) {
    // an error without a code of the server's is one of the connection, and so is one that ends it
    const { code, severity } = error as { code?: unknown, severity?: unknown }
    if (!signal.aborted && (code === undefined || severity === 'FATAL' || severity === 'PANIC')) broken = error as Error
    throw error
  } finally {
    signal.removeEventListener('abort', cancel)
    await cancellation
    client.release(broken)
  }
}

/** Milliseconds after which a server that does not answer a request to cancel is left alone. */
const PATIENCE = 5_000

/**
 * Asks the server to cancel what a connection is doing, by a message of the protocol's own (PostgreSQL manual,
 * section 54.2.9). It goes over a socket of its own: for one of the pool's connections it would have to wait until
 * the very statements are over that are to be cancelled. PgBouncer passes it on, too.
 *
 * Settles when the server has closed the socket, which it does after it has sent the signal, or can't be reached.
 */
function requestCancel (client: PoolClient): Promise<void> {
  // pg has the key that the server gave to this connection, but has no types for it
  const { host, port, processID, secretKey } = client as unknown as { host: string, port: number, processID: number, secretKey: number }
  const message = Buffer.alloc(16)
  for (const [index, part] of [message.length, CANCEL_REQUEST, processID, secretKey].entries()) message.writeInt32BE(part, index * 4)
  const socket = host.startsWith('/') ? net.connect(`${host}/.s.PGSQL.${port}`) : net.connect(port, host)
  return new Promise((resolve) => {
    socket.once('close', () => resolve())
    socket.on('error', () => {})
    socket.setTimeout(PATIENCE, () => socket.destroy())
    socket.end(message)
    socket.resume()
  })
}

const CANCEL_REQUEST = 80_877_102
