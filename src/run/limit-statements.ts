/** A limit of statements on connections that somebody else has configured. */
import type { MikroORM } from '@mikro-orm/postgresql'
import type { Client, Pool } from 'pg'
import { clientOf } from './session.ts'

/**
 * Lets the server end each statement of an ORM after some time, on connections that its pools have and those to come. It
 * is a setting of the session, made when a connection is new.
 *
 * @param millis a whole number, at least 1
 */
export async function limitStatements ({ em }: MikroORM, millis: number): Promise<void> {
  const setting = `set statement_timeout = ${Math.trunc(millis)}`
  for (const type of ['write', 'read'] as const) {
    const pool = await clientOf(em.getConnection(type))
    // PGlite can't end a statement
    if ('waitReady' in pool || limited.has(pool)) continue
    limited.add(pool)
    // a connection that is lost before it has the setting is none that a statement could run on
    const limit = (client: Client): void => { client.query(setting).catch(() => {}) }
    for (const client of (pool as unknown as { readonly _clients?: readonly Client[] })._clients ?? []) limit(client)
    pool.on('connect', limit)
  }
}

const limited = new WeakSet<Pool>()
