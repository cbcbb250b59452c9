/** Sets a time limit for statements on connections that the application has configured. */
import type { MikroORM } from '@mikro-orm/postgresql'
import type { Client, Pool } from 'pg'
import { connectionsOf } from '../../borrowed/mikro-orm.ts'
import { onConnections } from '../../borrowed/pg.ts'
import { isConnectionLost } from '../errors/driver-errors.ts'
import { clientOf } from './client.ts'

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

const limited = new WeakSet<Pool>()
