/**
 * Where a statement runs: on the connection of the transaction that an EntityManager is in, else on a connection of
 * its pool, or on PGlite. Text and values are sent apart, in the extended query protocol.
 */
import type { PGlite } from '@electric-sql/pglite'
import type { EntityManager } from '@mikro-orm/postgresql'
import { CompiledQuery, type Transaction } from 'kysely'
import type { Pool } from 'pg'
import { UnavailableError } from '../errors.ts'
import type { EntityModel } from '../model/index.ts'
import { convertError, isReadOnlyServer } from './convert-error.ts'
import { readOnlyFailure } from './held-connection.ts'
import { hold } from './perform.ts'
import { runOnPool } from './pool.ts'
import { replicasOf } from './replicas/routing.ts'
import { abortOptionsOf, reasonOf, signalOf } from './stop.ts'

/** A row as the driver reads it, by column name. */
export type Row = Record<string, unknown>

/** Text with `$1`, `$2`, ... and the values they stand for. */
export interface BoundStatement {
  readonly text: string
  readonly values: readonly unknown[]
  /** It changes nothing: it may be run again, and on a server that only reads. Default false. */
  readonly readOnly?: boolean
}

type Client = Pool | PGlite

const clients = new WeakMap<object, Promise<Client>>()

/** The driver's own client, asked for once for each connection. */
export function clientOf (connection: Connection): Promise<Client> {
  let client = clients.get(connection)
  if (client === undefined) {
    client = connection.getNativeClient() as unknown as Promise<Client>
    clients.set(connection, client)
    // a failed connection is tried again by the next statement
    client.catch(() => clients.delete(connection))
  }
  return client
}

/** Whether the database is PGlite, which runs inside of this process and has one connection. */
export async function isEmbedded (em: EntityManager): Promise<boolean> {
  return 'waitReady' in await clientOf(em.getConnection('read'))
}

/**
 * Runs a statement.
 *
 * @param em says where: in its transaction if it has one, and until its signal aborts
 * @param model whose rows it writes, so that errors can name properties
 * @returns the rows
 * @throws what `convertError` makes of the driver's error: never SQL or names of the database's objects
 */
export function run (em: EntityManager, statement: BoundStatement, model?: EntityModel): Promise<Row[]> {
  return runOn(em, em.getConnection(), statement, model)
}

/** Runs a statement that only reads: outside of transactions on a replica, where there is one that `em` may read from. */
export function read (em: EntityManager, statement: BoundStatement): Promise<Row[]> {
  const replicas = replicasOf(em)
  if (replicas === undefined || em.isInTransaction()) return run(em, statement)
  return replicas.read((connection) => runOn(em, connection, statement))
}

export type Connection = ReturnType<EntityManager['getConnection']>

/** Runs a statement on a connection, or in the transaction on it that `em` is in. */
export async function runOn (em: EntityManager, connection: Connection, statement: BoundStatement, model?: EntityModel): Promise<Row[]> {
  const started = performance.now()
  try {
    const rows = await send(em, connection, statement)
    logStatement(connection, statement, started, { results: rows.length })
    return rows
  } catch (error) {
    logStatement(connection, statement, started, { level: 'error' })
    const signal = signalOf(em)
    // what an abort gives as its reason may be anything, and the server calls it a cancelled statement
    if (signal?.aborted === true && (error === signal.reason || (error as { code?: unknown } | null)?.code === '57014')) throw reasonOf(signal, error)
    throw (isReadOnlyServer(error) ? await refusedWrite(em, connection, error) : undefined) ?? convertError(error, model)
  }
}

/** The error for a write that the server has refused to do, unless somebody has declared that nothing is written. */
async function refusedWrite (em: EntityManager, connection: Connection, error: unknown): Promise<UnavailableError | undefined> {
  const transaction = em.getTransactionContext()
  return transaction === undefined ? new UnavailableError(undefined, { cause: error }) : readOnlyFailure(await hold(transaction, connection), error)
}

async function send (em: EntityManager, connection: Connection, statement: BoundStatement): Promise<Row[]> {
  const { text, values } = statement
  const transaction = em.getTransactionContext() as Transaction<unknown> | undefined
  if (transaction !== undefined) {
    const options = abortOptionsOf(em)
    if (options?.signal !== undefined) await hold(transaction, connection)
    return (await transaction.executeQuery<Row>(CompiledQuery.raw(text, [...values]), options)).rows
  }
  const signal = signalOf(em)
  signal?.throwIfAborted()
  const client = await clientOf(connection)
  if ('waitReady' in client) return (await client.query<Row>(text, [...values])).rows
  return await runOnPool(client, statement, signal)
}

interface QueryLog {
  logQuery (query: string, context: Record<string, unknown>): void
}

/** Tells MikroORM's logger, so that `debug: true` and slow query logs show these statements, too. */
export function logStatement (connection: unknown, { text, values }: BoundStatement, started: number, context: Record<string, unknown>): void {
  (connection as QueryLog).logQuery(text, { ...context, params: values, took: Math.round(performance.now() - started) })
}
