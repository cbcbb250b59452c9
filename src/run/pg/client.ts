/** The driver's client behind a connection of MikroORM: a pool of pg, or PGlite. */
import type { Pool } from 'pg'
import { checkClient, type PgliteClient } from '../../borrowed/check.ts'
import { isPrepared, type Connection } from '../../borrowed/mikro-orm.ts'
import { surviveUnreadable } from './unreadable.ts'

type Client = Pool | PgliteClient

const clients = new WeakMap<object, Promise<Client>>()

const known = new WeakMap<object, Client>()

/** The driver's client of a connection, if it has been requested before. */
export const knownClientOf = (connection: Connection): Client | undefined => known.get(connection)

/** The driver's client of a connection. It is requested only once. */
export function clientOf (connection: Connection): Promise<Client> {
  let client = clients.get(connection)
  if (client === undefined) {
    client = prepareClient(connection)
    clients.set(connection, client)
    // after a failure the next statement connects again
    client.then((client) => known.set(connection, client), () => clients.delete(connection))
  }
  return client
}

async function prepareClient (connection: Connection): Promise<Client> {
  const client = await connection.getNativeClient() as unknown as Client
  checkClient(connection.getClient(), client)
  // PGlite has no pool
  if (!('waitReady' in client)) surviveUnreadable(client)
  return client
}

const prepared = new WeakMap<Connection, boolean>()

/**
 * Whether Kysely prepares connections, for example by setting a role or variables. It does so when they are opened, or
 * each time that they are taken from the pool.
 */
export function preparesConnections (connection: Connection): boolean {
  let prepares = prepared.get(connection)
  if (prepares === undefined) prepared.set(connection, prepares = isPrepared(connection))
  return prepares
}
