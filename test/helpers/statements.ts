/**
 * The statements that reached the server. They are recorded at the driver's client, so that the sender does not matter:
 * the ORM, its query builder, Kysely, or the run stage on the pool.
 */
import type { MikroORM } from '@mikro-orm/postgresql'
import type { PGlite, Transaction } from '@electric-sql/pglite'
import type { Pool, PoolClient } from 'pg'
import { clientOf } from '../../src/run/index.ts'

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
  readonly stop: () => void
}

/**
 * Records from now on. On PostgreSQL, a connection is watched from the next time it is taken from the pool, so that one
 * in use is not.
 *
 * @example const recorder = await recordStatements(orm) await crud.list(em, params) t.equal(recorder.take().length, 1)
 */
export async function recordStatements (orm: MikroORM): Promise<StatementRecorder> {
  const statements: RecordedStatement[] = []
  // crudKit connects in the background, and its statements do not belong to a request
  const client: unknown = await clientOf(orm.em.getConnection())
  const stop = isPool(client)
    ? watchPool(client, (statement) => statements.push(statement))
    : watchPglite(client as PGlite, (statement) => statements.push(statement))
  return { statements, take: () => statements.splice(0), stop }
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

function watchPglite (pglite: PGlite, record: Record): () => void {
  const watchQueries = (target: PGlite | Transaction) => {
    replace(target, 'query', (query) => (sql: string, params?: unknown[], ...rest: unknown[]) => {
      record({ sql, params: params ?? [] })
      return query(sql, params, ...rest)
    })
    replace(target, 'exec', (exec) => (sql: string, ...rest: unknown[]) => {
      record({ sql, params: [] })
      return exec(sql, ...rest)
    })
  }
  watchQueries(pglite)
  // PGlite sends begin, commit and rollback itself
  replace(pglite, 'transaction', (transaction) => async (fn: (tx: Transaction) => unknown) => {
    record({ sql: 'begin', params: [] })
    try {
      const result = await transaction((tx: Transaction) => {
        watchQueries(tx)
        return fn(tx)
      })
      record({ sql: 'commit', params: [] })
      return result
    } catch (error) {
      record({ sql: 'rollback', params: [] })
      throw error
    }
  })
  return () => {
    for (const method of ['query', 'exec', 'transaction']) restore(pglite, method)
  }
}

type Method = (...args: any[]) => any

/** Overrides a method on the object itself. */
function replace (object: object, name: string, wrap: (original: Method) => Method): void {
  const original: Method = Reflect.get(object, name).bind(object)
  Object.defineProperty(object, name, { value: wrap(original), configurable: true, writable: true })
}

function restore (object: object, name: string): void {
  Reflect.deleteProperty(object, name)
}
