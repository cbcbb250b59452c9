/** The pool of connections: the same for all variants, with a time to wait for a connection as a server should have one. */
export const POOL = { idleTimeoutMillis: 0, connectionTimeoutMillis: 10_000 }

export interface StartOptions {
  readonly url: string
  readonly poolSize: number
}
