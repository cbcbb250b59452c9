/** Reads the rows of one statement in parts, from a cursor in the server. */
import type { EntityManager } from '@mikro-orm/postgresql'
import type { Connection } from '../../borrowed/mikro-orm.ts'
import type { Row } from '../../sql/index.ts'
import type { BoundStatement } from '../pg/statement.ts'
import { replicasOf } from '../replicas/routing.ts'
import { run } from '../session.ts'
import { signalOf, throwIfStopped } from '../transaction/stop.ts'
import { batches, newCursorName, partOfRows, type CursorOptions, type OpenCursor, type Send } from './read-cursor.ts'
import { openOn } from './own-transaction.ts'

/**
 * Reads the rows of a statement part by part, from the snapshot of the first part. A cursor needs a transaction: that
 * of the EntityManager if it has one, else a new one. The new one occupies a connection until the last part, or until
 * the caller stops reading. It runs on a replica if there is one to read from. If that replica fails before the first
 * part, another one is tried.
 *
 * A part has about a mebibyte, or one larger row. In a new transaction this holds for all rows, because the server
 * waits in the middle of a batch. In the caller's transaction, the caller may use the connection between two parts.
 * There a part is a batch, whose size depends on the rows before.
 */
export async function * streamRows (
  em: EntityManager,
  statement: BoundStatement,
  options: CursorOptions
): AsyncGenerator<Row[], void, undefined> {
  const { first, rest, end } = await openStream(em, statement, options)
  try {
    if (first.done === true) return
    yield first.value
    yield * rest
  } finally {
    await end()
  }
}

async function openStream (em: EntityManager, statement: BoundStatement, options: CursorOptions): Promise<OpenCursor> {
  const own = signalOf(em)
  const signal = own !== undefined && options.signal !== undefined
    ? AbortSignal.any([own, options.signal])
    : own ?? options.signal
  if (em.isInTransaction()) return await openInside(em, statement, { ...options, signal })
  const replicas = replicasOf(em)
  const open = (connection: Connection) => openOn(connection, em, statement, { ...options, signal })
  return replicas === undefined ? await open(em.getConnection()) : await replicas.read(open, ({ end }) => end())
}

/** Opens a cursor in the caller's transaction. */
async function openInside (em: EntityManager, statement: BoundStatement, options: CursorOptions): Promise<OpenCursor> {
  const name = newCursorName()
  let failed = false
  const send: Send = async function * (statement) {
    throwIfStopped(options.signal)
    yield partOfRows(
      await run(em, statement).catch((error: unknown) => {
        failed = true
        throw error
      })
    )
  }
  const rest = batches(send, name, statement, options)
  const end = async () => {
    await rest.return()
    // a failed transaction accepts only a rollback
    if (!failed) await run(em, { text: `close ${name}`, values: [] })
  }
  return { first: await rest.next(), rest, end }
}
