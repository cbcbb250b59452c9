/**
 * Chooses where a statement runs: on the connection of the EntityManager's transaction, or on a connection of its pool,
 * or on PGlite. Text and values are sent separately, in the extended query protocol.
 */
import type { EntityManager } from '@mikro-orm/postgresql'
import { CompiledQuery, type Transaction } from 'kysely'
import {
  abortOptionsOf, logQuery, sessionContextOf, type AbortOptions, type Connection,
} from '../borrowed/mikro-orm.ts'
import { UnavailableError } from '../base/errors.ts'
import type { EntityModel } from '../model/index.ts'
import type { Row } from '../sql/index.ts'
import { convertError } from './errors/convert-error.ts'
import { CANCELLED, isDriverError, isReadOnlyServer } from './errors/driver-errors.ts'
import { clientOf, knownClientOf, preparesConnections } from './pg/client.ts'
import type { Cancellation } from './pg/connections.ts'
import { runOnPool } from './pg/pool.ts'
import { preparedValues, type BoundStatement } from './pg/statement.ts'
import { publishQuery, record } from './query-channel.ts'
import { replicasOf } from './replicas/routing.ts'
import { addRun } from './stage-times.ts'
import { readOnlyFailure } from './transaction/held-connection.ts'
import { heldConnectionOf } from './transaction/perform.ts'
import { reasonOf } from './transaction/stop.ts'
import { transact } from './transaction/transaction.ts'

/**
 * Runs a statement.
 *
 * @param em runs the statement, in its transaction if it has one. Its signal aborts the statement
 * @param model of the written rows, so that errors can name properties
 * @returns the rows
 * @throws the error that `convertError` makes of the driver's. It contains no SQL and no names of database objects
 */
export function run (em: EntityManager, statement: BoundStatement, model?: EntityModel): Promise<Row[]> {
  return runOn(em, em.getConnection(), statement, model)
}

/**
 * Runs a statement that only reads. Outside of transactions it runs on a replica, if there is one that `em` may read
 * from. With a session context it runs in its own transaction on the writer.
 */
export function read (em: EntityManager, statement: BoundStatement): Promise<Row[]> {
  const replicas = replicasOf(em)
  if (replicas === undefined || em.isInTransaction() || sessionContextOf(em) !== undefined) {
    return run(em, statement)
  }
  return replicas.read((connection) => runOn(em, connection, statement))
}

/** Runs a statement on a connection, or in the transaction on that connection that `em` is in. */
export function runOn (
  em: EntityManager,
  connection: Connection,
  statement: BoundStatement,
  model?: EntityModel
): Promise<Row[]> {
  const transaction = em.getTransactionContext() as Transaction<unknown> | undefined
  // the variables and the role of row level security hold only in a transaction
  if (transaction === undefined && sessionContextOf(em) !== undefined) {
    return transact(em, (inner) => run(inner, statement, model), { readOnly: statement.readOnly === true })
      // errors of the transaction itself are still the driver's
      .catch((error: unknown) => {
        throw isDriverError(error) ? convertError(error, model) : error
      })
  }
  const options = abortOptionsOf(em)
  if (transaction === undefined) return runOutside(connection, statement, options?.signal, model)
  return observed(connection, statement, options?.signal, model, {
    send: () => sendInside(transaction, options, connection, statement),
    refused: async (error) => readOnlyFailure(await heldConnectionOf(transaction, connection), error),
  })
}

/**
 * Runs a statement on a connection, outside of transactions.
 *
 * @param signal cancels it in the server
 */
export function runOutside (
  connection: Connection,
  statement: BoundStatement,
  signal: Cancellation | undefined,
  model?: EntityModel
): Promise<Row[]> {
  return observed(connection, statement, signal, model, {
    send: () => sendOutside(connection, statement, signal),
    refused: (error) => new UnavailableError(undefined, { cause: error }),
  })
}

interface Attempt {
  readonly send: () => Promise<Row[]>
  /** The error for a write that a read-only server refused; `undefined` if the transaction was declared read-only. */
  readonly refused: (error: unknown) => Promise<Error | undefined> | Error
}

/** Reports a statement to logs and subscribers, and converts its error. */
async function observed (
  connection: Connection,
  statement: BoundStatement,
  signal: Cancellation | undefined,
  model: EntityModel | undefined,
  { send, refused }: Attempt
): Promise<Row[]> {
  const started = performance.now()
  try {
    const rows = await send()
    tellOf(statement, connection, started, rows.length)
    return rows
  } catch (error) {
    // an abort may have any value as its reason, and the server reports a cancelled statement
    const stopped = signal?.aborted === true &&
      (error === signal.reason || (error as { code?: unknown } | null)?.code === CANCELLED)
    const reason = stopped
      ? reasonOf(signal, error)
      : (isReadOnlyServer(error) ? await refused(error) : undefined) ?? convertError(error, model)
    tellOf(statement, connection, started, reason)
    throw reason
  }
}

async function sendInside (
  transaction: Transaction<unknown>,
  options: AbortOptions | undefined,
  connection: Connection,
  { text, values }: BoundStatement
): Promise<Row[]> {
  if (options?.signal !== undefined) await heldConnectionOf(transaction, connection)
  return (await transaction.executeQuery<Row>(CompiledQuery.raw(text, preparedValues(values)), options)).rows
}

function sendOutside (
  connection: Connection,
  statement: BoundStatement,
  signal: Cancellation | undefined
): Promise<Row[]> {
  if (signal?.aborted === true) throw signal.reason
  const client = knownClientOf(connection)
  return client === undefined || 'waitReady' in client || preparesConnections(connection)
    ? sendBy(connection, statement, signal)
    : runOnPool(client, statement, signal)
}

async function sendBy (
  connection: Connection,
  statement: BoundStatement,
  signal: Cancellation | undefined
): Promise<Row[]> {
  const client = await clientOf(connection)
  if ('waitReady' in client) return (await client.query<Row>(statement.text, preparedValues(statement.values))).rows
  return preparesConnections(connection)
    ? await sendByKysely(connection, statement, signal)
    : await runOnPool(client, statement, signal)
}

async function sendByKysely (
  connection: Connection,
  { text, values }: BoundStatement,
  signal: Cancellation | undefined
): Promise<Row[]> {
  const options = signal instanceof AbortSignal
    ? { signal, inflightQueryAbortStrategy: 'cancel query' as const }
    : undefined
  return (await connection.getClient().executeQuery<Row>(CompiledQuery.raw(text, [...values]), options)).rows
}

/**
 * Reports a statement that has run: to MikroORM's logger, so that `debug: true` and slow query logs include it, to the
 * subscribers of queries, and to the times of the request.
 *
 * @param outcome the number of its rows, or its error
 */
export function tellOf (
  statement: BoundStatement,
  connection: object,
  started: number,
  outcome: number | Error
): void {
  const { text, values } = statement
  const duration = performance.now() - started
  const failed = typeof outcome !== 'number'
  const took = Math.round(duration)
  logQuery(
    connection,
    text,
    failed ? { level: 'error', params: values, took } : { results: outcome, params: values, took }
  )
  addRun(duration)
  record(statement, duration)
  publishQuery(statement, duration, failed ? 0 : outcome, failed ? outcome : undefined)
}
