/** Limits how many streams are open at once, so that they leave a connection of the pool to other requests. */
import type { Pool } from 'pg'
import type { Connection } from '../../borrowed/mikro-orm.ts'
import { convertError } from '../errors/convert-error.ts'
import { clientOf } from '../pg/client.ts'

/** The open streams of each pool. */
const open = new WeakMap<Pool, Set<symbol>>()
/** PostgreSQL's code for too many connections: another replica may have a free one. */
const TOO_MANY = '53300'

/**
 * Reserves a place for a stream, and returns a function that frees it. A client may read arbitrarily slowly, so one
 * connection is kept free for other requests.
 *
 * @throws {UnavailableError} when no more streams may be open
 */
export async function takePlace (connection: Connection): Promise<() => void> {
  const pool = await clientOf(connection).catch((error: unknown) => {
    throw convertError(error)
  }) as Pool
  const streams = open.get(pool) ?? new Set()
  open.set(pool, streams)
  if (streams.size >= Math.max(1, pool.options.max - 1)) {
    throw convertError(
      Object.assign(
        new Error(
          `${streams.size} streams are open, and pool.max is ${pool.options.max}, for them and for all other requests`
        ),
        { code: TOO_MANY }
      )
    )
  }
  const stream = Symbol('stream')
  streams.add(stream)
  return () => {
    streams.delete(stream)
  }
}
