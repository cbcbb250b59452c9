/** What is done to connections of pg's that it has no methods for. */
import type { Client } from 'pg'

interface Internals {
  /** Cursors have a state. */
  readonly _activeQuery?: { readonly state?: string, handleReadyForQuery?(): void } | null
  readonly connection: {
    readonly stream: { destroy(): void },
    close(...args: unknown[]): void,
    prependListener(event: 'error' | 'errorMessage' | 'end', listener: () => void): void,
    once(event: 'end', listener: () => void): void,
    emit(event: 'readyForQuery', message: object): void,
  }
}

/** Closes a connection without a word to the server, which may not listen any more. What waits for its answer fails now. */
export function cut (client: object): void {
  ;(client as Internals).connection.stream.destroy()
}

/**
 * Lets a stream end whose connection is lost. The cursor behind it goes on waiting for the server to say that it is ready,
 * and its connection would never go back to the pool.
 */
export function endCursorsWith (client: Client): void {
  const internals = client as unknown as Internals
  const { connection } = internals
  const answer = (): void => {
    setImmediate(() => connection.emit('readyForQuery', {}))
  }
  const finish = (): void => {
    // it has all of its rows, and the server's last word for it was about to come
    const query = internals._activeQuery
    if (query?.state === 'done') query.handleReadyForQuery?.()
  }
  for (const event of ['error', 'errorMessage', 'end'] as const) connection.prependListener(event, finish)
  connection.once('end', () => {
    answer()
    connection.close = answer
  })
}
