/**
 * The statements that reached the server. They are recorded at the driver's client, so that the sender does not matter:
 * the ORM, its query builder, Kysely, or the run stage on the pool.
 */
import type { MikroORM } from '@mikro-orm/postgresql'
import type { PGlite } from '@electric-sql/pglite'
import type { Pool, PoolClient } from 'pg'
import type { Test } from 'tap'
import { clientOf } from '../../src/run/index.ts'
import { replace, restore } from './replace.ts'
import { watchPglite } from './watched-pglite.ts'

export interface RecordedStatement {
  readonly sql: string
  readonly params: readonly unknown[]
  /** Name of the prepared statement, on PostgreSQL. */
  readonly name?: string
}

export interface StatementRecorder {
  /** In the order of sending, including transaction control. */
  readonly statements: RecordedStatement[]
  /** Forgets the recorded statements and returns them. */
  readonly take: () => RecordedStatement[]
  /** The same as texts. */
  readonly texts: () => string[]
  /** The same as their first words: `begin insert commit`. */
  readonly words: () => string
  readonly stop: () => void
}

/**
 * Records from now on. On PostgreSQL, a connection is watched from the next time it is taken from the pool, so that one
 * in use is not.
 *
 * @param t the test with whose end the recording stops
 * @example const recorder = await recordStatements(orm, t)
 *   await crud.list(em, params)
 *   t.equal(recorder.take().length, 1)
 */
export async function recordStatements (orm: MikroORM, t?: Pick<Test, 'teardown'>): Promise<StatementRecorder> {
  const statements: RecordedStatement[] = []
  // crudKit connects in the background, and its statements do not belong to a request
  const client: unknown = await clientOf(orm.em.getConnection())
  const record: Record = (statement) => {
    statements.push(statement)
  }
  const stop = isPool(client) ? watchPool(client, record) : listenTo(client as PGlite, record)
  t?.teardown(stop)
  const take = () => statements.splice(0)
  const texts = () => take().map(({ sql }) => sql)
  const words = () => texts().map((sql) => sql.split(/[\s(;]/, 1)[0]!.toLowerCase()).join(' ')
  return { statements, take, texts, words, stop }
}

type Record = (statement: RecordedStatement) => void

function isPool (client: unknown): client is Pool {
  return typeof client === 'object' && client !== null && 'totalCount' in client
}

function watchPool (pool: Pool, record: Record): () => void {
  const watched = new Set<PoolClient>()
  const watch = (client: PoolClient) => {
    if (watched.has(client)) return
    watched.add(client)
    replace(client, 'query', (query) => (first: unknown, ...rest: unknown[]) => {
      const statement = readQuery(first, rest[0])
      // a query without a text is not sent
      if (statement.sql !== '') record(statement)
      return query(first, ...rest)
    })
  }
  pool.on('acquire', watch)
  return () => {
    pool.off('acquire', watch)
    for (const client of watched) restore(client, 'query')
  }
}

/** pg takes text and values, an object with both, or a cursor made from them. */
function readQuery (query: unknown, values: unknown): RecordedStatement {
  if (typeof query === 'string') return { sql: query, params: Array.isArray(values) ? values : [] }
  const { text, values: own, name, cursor } = query as {
    text?: string,
    values?: unknown[],
    name?: string,
    cursor?: { text: string, values: unknown[] },
  }
  return {
    sql: text ?? cursor?.text ?? '',
    params: own ?? cursor?.values ?? (Array.isArray(values) ? values : []),
    ...(name !== undefined && { name }),
  }
}

function listenTo (pglite: PGlite, record: Record): () => void {
  const listeners = watchPglite(pglite)
  listeners.add(record)
  return () => listeners.delete(record)
}
