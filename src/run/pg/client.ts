/** The driver's client behind a connection of MikroORM: a pool of pg, or PGlite. */
import type { EntityManager, MikroORM } from '@mikro-orm/postgresql'
import type { Client, Pool } from 'pg'
import { madeOnce } from '../../base/made-once.ts'
import { checkClient, type PgliteClient } from '../../borrowed/check-borrowed.ts'
import { connectionsOf, isPrepared, type Connection } from '../../borrowed/mikro-orm.ts'
import { onConnections } from '../../borrowed/pg.ts'
import { isConnectionLost } from '../errors/driver-errors.ts'
import { surviveUnreadable } from './guard-pool.ts'

type NativeClient = Pool | PgliteClient

/**
 * Whether the database is PGlite, which runs inside this process and has one connection. Bundlers may rename the class
 * of the driver, but not the package that it needs.
 */
export const isPglite = (em: EntityManager): boolean =>
  em.getDriver().getDependencies().includes('@electric-sql/pglite')

const clients = new WeakMap<object, Promise<NativeClient>>()

const known = new WeakMap<object, NativeClient>()

/** The driver's client of a connection, if it has been requested before. */
export const knownClientOf = (connection: Connection): NativeClient | undefined => known.get(connection)

/** The driver's client of a connection. It is requested only once. */
export function clientOf (connection: Connection): Promise<NativeClient> {
  let client = clients.get(connection)
  if (client === undefined) {
    client = prepareClient(connection)
    clients.set(connection, client)
    // after a failure the next statement connects again
    client.then((client) => known.set(connection, client), () => clients.delete(connection))
  }
  return client
}

async function prepareClient (connection: Connection): Promise<NativeClient> {
  const client = await connection.getNativeClient() as unknown as NativeClient
  checkClient(connection.getClient(), client)
  // PGlite has no pool
  if (!('waitReady' in client)) surviveUnreadable(client)
  return client
}

/**
 * Whether Kysely prepares connections, for example by setting a role or variables. It does so when they are opened, or
 * each time that they are taken from the pool.
 */
export const preparesConnections = madeOnce(isPrepared)

const limited = new WeakSet<Pool>()

/**
 * Sets the session's `statement_timeout` on the existing connections of an ORM's pools, and on each new one.
 *
 * @param millis a whole number, at least 1
 * @param report takes the error of a connection that works, but on which the limit could not be set
 */
export async function limitStatements (
  { driver }: MikroORM,
  millis: number,
  report: (error: unknown) => void
): Promise<void> {
  const setting = `set statement_timeout = ${Math.trunc(millis)}`
  const { writer, replicas } = connectionsOf(driver)
  for (const one of [writer, ...replicas]) {
    const pool = await clientOf(one)
    // PGlite cannot cancel a statement
    if ('waitReady' in pool || limited.has(pool)) continue
    limited.add(pool)
    onConnections(pool, (client: Client) => {
      client.query(setting).catch((error: unknown) => {
        // no other statement runs on a lost connection
        if (!isConnectionLost(error)) report(error)
      })
    })
  }
}
