/**
 * Handles answers of the server that cannot be read. pg reads them in a listener of its socket, where no caller can
 * catch an error. A text of more than 512 MiB, which no JavaScript string can hold, would end the process. Here the
 * connection is closed instead, and the waiting statement gets the error.
 */
import type { Client, Pool } from 'pg'
import { onConnections, socketOf } from '../../borrowed/pg.ts'
import { isTooLong } from '../errors/driver-errors.ts'

const survived = new WeakSet<object>()

/** Makes the process survive unreadable answers on the connections of a pool. */
export function surviveUnreadable (pool: Pool): void {
  if (survived.has(pool)) return
  survived.add(pool)
  onConnections(pool, survive)
}

function survive (client: Client): void {
  if (survived.has(client)) return
  survived.add(client)
  const socket = socketOf(client)
  // a connection in use has no other listener for this event, so its error would end the process. The statement gets
  // the error as well
  client.on('error', () => {})
  for (const read of socket.listeners('data') as Array<(chunk: Buffer) => void>) {
    socket.removeListener('data', read)
    socket.on('data', (chunk) => {
      try {
        read(chunk)
      } catch (error) {
        socket.destroy(unreadable(error))
      }
    })
  }
}

/** The error that closes the connection: the rest of the answer would be read as the beginning of the next one. */
function unreadable (cause: unknown): Error {
  if (isTooLong(cause)) return cause as Error
  return Object.assign(new Error('Connection terminated: the answer of the server cannot be read', { cause }), {
    code: 'ERR_UNREADABLE_ANSWER',
  })
}
