/** Rows of one statement, in batches: a cursor in the server holds the rest. */
import type { EntityManager } from '@mikro-orm/postgresql'
import { run, type BoundStatement, type Row } from './session.ts'

let lastCursor = 0

/**
 * Reads the rows of a statement batch by batch, as they are in the moment of the first one. A cursor lives in a
 * transaction: that of the EntityManager if it has one, else one of its own, on a connection that is occupied until the
 * last batch, or until the caller stops asking.
 *
 * @param size of a batch, in rows
 */
export async function * streamRows (em: EntityManager, { text, values }: BoundStatement, size: number): AsyncGenerator<Row[], void, undefined> {
  const own = em.isInTransaction() ? undefined : em.fork()
  await own?.begin()
  const session = own ?? em
  const cursor = `crud_stream_${++lastCursor}`
  let failed = false
  try {
    await run(session, { text: `declare ${cursor} no scroll cursor for ${text}`, values })
    while (true) {
      const rows = await run(session, { text: `fetch ${size} from ${cursor}`, values: [] })
      if (rows.length > 0) yield rows
      if (rows.length < size) return
    }
  } catch (error) {
    failed = true
    throw error
  } finally {
    // after an error the transaction is over anyway, and what its end says of the connection is no news
    if (own !== undefined) await (failed ? own.rollback().catch(() => undefined) : own.rollback())
    else if (!failed) await run(session, { text: `close ${cursor}`, values: [] })
  }
}
