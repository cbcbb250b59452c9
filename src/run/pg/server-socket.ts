/**
 * Sends short requests to the server on a separate socket while a connection is busy. The messages belong to the part
 * of the protocol before authentication (PostgreSQL manual, sections 54.2.9 and 54.2.10).
 */
import { once } from 'node:events'
import net from 'node:net'
import tls from 'node:tls'
import type { ClientBase } from 'pg'
import { serverOf, type Connected } from '../../borrowed/pg.ts'

/** Milliseconds to wait for the answer of a server. */
const PATIENCE = 5_000
/** Milliseconds between two cancel requests. */
const REPEAT = 200
const CANCEL_REQUEST = 80_877_102
const SSL_REQUEST = 80_877_103

/**
 * Asks the server to cancel the current statement of a connection. The request does not use the pool, where it would
 * wait for the statements that it should cancel.
 *
 * Settles when the server has closed the socket, which it does after it has sent the signal, or when the request fails.
 */
export async function requestCancel (client: ClientBase): Promise<void> {
  const connected = serverOf(client)
  const signal = AbortSignal.timeout(PATIENCE)
  const socket = openSocket(connected)
  try {
    const channel = connected.ssl ? await secure(socket, connected, signal) : socket
    const closed = once(channel, 'close', { signal })
    // the server closes the socket: PgBouncer takes a close by the client for a disconnect, and version 1.18 crashes
    channel.write(message(CANCEL_REQUEST, ...connected.key))
    channel.resume()
    await closed
  } catch {
    // the server cannot be reached, so the statement cannot be cancelled and runs until it ends
  } finally {
    socket.destroy()
  }
}

/** A cancellation in progress. */
export interface Cancelling {
  /** Call this when the statement is over. Settles when no request is left that could hit the next statement. */
  readonly end: () => Promise<void>
}

/**
 * Repeats the cancel request until the statement of a connection is over. A single request is not enough, because a
 * server that has not begun the statement yet ignores it.
 */
export function cancelUntilOver (client: ClientBase): Cancelling {
  let over = false
  let timer: NodeJS.Timeout | undefined
  let asking: Promise<void>
  const ask = (): void => {
    asking = requestCancel(client).then(() => {
      if (!over) timer = setTimeout(ask, REPEAT)
    })
  }
  ask()
  return {
    end: async () => {
      over = true
      clearTimeout(timer)
      await asking
    },
  }
}

/**
 * Whether the server responds: it answers the request for TLS, with yes or no.
 *
 * @param patience milliseconds to wait for the answer
 */
export async function isThere (client: ClientBase, patience: number): Promise<boolean> {
  const socket = openSocket(serverOf(client))
  try {
    socket.write(message(SSL_REQUEST))
    await once(socket, 'data', { signal: AbortSignal.timeout(patience) })
    return true
  } catch {
    return false
  } finally {
    socket.destroy()
  }
}

function openSocket ({ host, port }: Connected): net.Socket {
  const socket = host.startsWith('/') ? net.connect(`${host}/.s.PGSQL.${port}`) : net.connect(port, host)
  // an 'error' event without a listener would end the process, and `once` stops listening after the first event
  return socket.on('error', () => {})
}

/** Encrypts the socket if the connection is encrypted, because the key that cancels a statement is a secret. */
async function secure (
  socket: net.Socket,
  { host, ssl, sslNegotiation }: Connected,
  signal: AbortSignal
): Promise<tls.TLSSocket> {
  const direct = sslNegotiation === 'direct'
  if (!direct) {
    socket.write(message(SSL_REQUEST))
    const [answer] = await once(socket, 'data', { signal }) as [Buffer]
    if (answer.toString() !== 'S') throw new Error('the server does not encrypt')
  }
  const channel = tls.connect({
    socket,
    ...(typeof ssl === 'object' && ssl),
    ...(net.isIP(host) === 0 && { servername: host }),
    ...(direct && { ALPNProtocols: ['postgresql'] }),
  })
  channel.on('error', () => {})
  await once(channel, 'secureConnect', { signal })
  return channel
}

/** A message without a type: its length, followed by 32-bit numbers. */
function message (...numbers: readonly number[]): Buffer {
  const buffer = Buffer.alloc(4 * (numbers.length + 1))
  for (const [index, part] of [buffer.length, ...numbers].entries()) buffer.writeInt32BE(part, index * 4)
  return buffer
}
