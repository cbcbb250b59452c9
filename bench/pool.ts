/**
 * The options of the connection pool, the same for all variants. Like any server, it limits the wait for a connection.
 */
export const POOL = { idleTimeoutMillis: 0, connectionTimeoutMillis: 10_000 }

export interface StartOptions {
  readonly url: string
  readonly poolSize: number
}
