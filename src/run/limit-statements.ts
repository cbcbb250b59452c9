/** A limit of statements on connections that the application has configured. */
import type { MikroORM } from '@mikro-orm/postgresql'
import type { Client, Pool } from 'pg'
import { connectionsOf } from '../borrowed/mikro-orm.ts'
import { onConnections } from '../borrowed/pg.ts'
import { clientOf } from './session.ts'

/**
 * Lets the server end each statement of an ORM after some time. It is a setting of the session, made on the connections
 * that the pools of the ORM have, and on others when they are new.
 *
 * @param millis a whole number, at least 1
 */
export async function limitStatements ({ driver }: MikroORM, millis: number): Promise<void> {
  const setting = `set statement_timeout = ${Math.trunc(millis)}`
  const { writer, replicas } = connectionsOf(driver)
  for (const one of [writer, ...replicas]) {
    const pool = await clientOf(one)
    // PGlite can't end a statement
    if ('waitReady' in pool || limited.has(pool)) continue
    limited.add(pool)
    // no statement runs on a connection that is lost before it has the setting
    onConnections(pool, (client: Client) => {
      client.query(setting).catch(() => {})
    })
  }
}

const limited = new WeakSet<Pool>()
