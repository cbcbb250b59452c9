/**
 * Short questions to the server on a socket of their own, beside a connection that is busy: messages of the protocol
 * that come before authentication (PostgreSQL manual, sections 54.2.9 and 54.2.10).
 */
import { once } from 'node:events'
import net from 'node:net'
import tls from 'node:tls'
import type { ClientBase } from 'pg'
import { serverOf, type Connected } from '../borrowed/pg.ts'

/** Milliseconds after which a server that does not answer is left alone. */
const PATIENCE = 5_000
/** Milliseconds between questions. */
const REPEAT = 200
const CANCEL_REQUEST = 80_877_102
const SSL_REQUEST = 80_877_103

/**
 * Asks the server to cancel what a connection is doing. For one of the pool's connections it would have to wait until
 * the very statements are over that are to be cancelled.
 *
 * Settles when the server has closed the socket, which it does after it has sent the signal, or can't be reached.
 */
export async function requestCancel (client: ClientBase): Promise<void> {
  const connected = serverOf(client)
  const signal = AbortSignal.timeout(PATIENCE)
  const socket = openSocket(connected)
  try {
    const channel = connected.ssl ? await secure(socket, connected, signal) : socket
    const closed = once(channel, 'close', { signal })
    // the other side is who closes: PgBouncer takes an end of ours for a client that has gone, and 1.18 crashes
    channel.write(message(CANCEL_REQUEST, ...connected.key))
    channel.resume()
    await closed
  } catch {
    // a server that can't be asked can't be made to stop, either: the statement ends when it ends
  } finally {
    socket.destroy()
  }
}

/** What goes on asking the server to cancel a statement. */
export interface Cancelling {
  /** The statement is over. Settles when no question is under way that could hit the next one. */
  readonly end: () => Promise<void>
}

/**
 * Asks the server to cancel the statement that a connection has been given, until it is over: a server that has not
 * begun it yet when it is asked does nothing.
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
 * Whether a server is there: it answers the question for TLS, with yes or no.
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
  // what waits for an event hears of errors; they may also come when nothing does any more
  return socket.on('error', () => {})
}

/** The socket, encrypted as the connection is: the key that cancels it is a secret. */
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

/** A message without a type: its length, and 32-bit numbers. */
function message (...numbers: readonly number[]): Buffer {
  const buffer = Buffer.alloc(4 * (numbers.length + 1))
  for (const [index, part] of [buffer.length, ...numbers].entries()) buffer.writeInt32BE(part, index * 4)
  return buffer
}
