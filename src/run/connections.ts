/** The connections of pg's pools. */
import type { Client, Pool } from 'pg'

/** Does something with each connection of a pool: at once with those that it has, and with others when they are new. */
export function onConnections (pool: Pool, use: (client: Client) => void): void {
  for (const client of (pool as unknown as { readonly _clients?: readonly Client[] })._clients ?? []) use(client)
  pool.on('connect', use)
}
