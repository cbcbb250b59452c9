/**
 * Kysely's internal and replaced members. No other file of this package uses them. The list gives the reason for each.
 * The tests in test/borrowed fail when one changes.
 */
import {
  CompiledQuery, type ControlledTransaction, type DatabaseConnection, type Kysely, type QueryExecutor,
} from 'kysely'
import type { PoolClient } from 'pg'
import { borrowedMembers } from './borrowed-member.ts'
import { clientWith } from './pg.ts'

export const KYSELY_MEMBERS = borrowedMembers('kysely', '0.29.6', [
  ['Kysely', 'getExecutor', 'gives the connection of a transaction, and waits until it is idle'],
  ['QueryExecutor', 'provideConnection', 'the same'],
  ['DatabaseConnection', 'executeQuery', 'replaced: all statements of a transaction are watched'],
  ['DatabaseConnection', 'cancelQuery', 'replaced: it would take another connection of a pool that may be full'],
  ['PostgresConnection', 'client.query', "takes a query object for a text, which finds pg's client"],
  ['ControlledTransaction', 'savepoint', 'replaced: statements that come after the end of a transaction are refused'],
  ['ControlledTransaction', 'rollbackToSavepoint', 'the same'],
  ['ControlledTransaction', 'releaseSavepoint', 'the same'],
])

// any: MikroORM's connection does not declare the tables of its database
export type UntypedKysely = Kysely<any>
export type Transaction = ControlledTransaction<any, any[]>
export type Executor = Pick<QueryExecutor, 'provideConnection'>

/** The executor that sends all of Kysely's statements, including those of MikroORM. */
export function executorOf (kysely: Pick<Transaction, 'getExecutor'>): QueryExecutor {
  return kysely.getExecutor()
}

/**
 * Calls a function with the connection behind an executor. In a transaction, it waits until the statements are
 * answered.
 */
export function onConnection<Result> (
  executor: Executor,
  use: (connection: DatabaseConnection) => Promise<Result>
): Promise<Result> {
  return executor.provideConnection(use)
}

/** Replaces methods of a connection, for all its users. */
export function replaceOnConnection (
  connection: DatabaseConnection,
  methods: Partial<Pick<DatabaseConnection, 'executeQuery' | 'cancelQuery'>>
): void {
  Object.assign(connection, methods)
}

/** A transaction's original methods, before `replaceOnTransaction`. */
export interface OwnMethods extends Pick<Transaction, 'savepoint' | 'rollbackToSavepoint' | 'releaseSavepoint'> {
  readonly executor: QueryExecutor
}

export function methodsOf (transaction: Transaction): OwnMethods {
  return {
    executor: executorOf(transaction),
    savepoint: transaction.savepoint.bind(transaction),
    rollbackToSavepoint: transaction.rollbackToSavepoint.bind(transaction),
    releaseSavepoint: transaction.releaseSavepoint.bind(transaction),
  }
}

/** Replaces methods of one transaction, for MikroORM and the application as well. */
export function replaceOnTransaction (
  transaction: Transaction,
  methods: {
    readonly [name in 'executeQuery' | 'getExecutor' | 'savepoint' | 'rollbackToSavepoint' | 'releaseSavepoint']: (
      ...args: never[]
    ) => unknown
  }
): void {
  for (const [name, value] of Object.entries(methods)) Object.defineProperty(transaction, name, { value })
}

/**
 * Finds pg's client behind a connection of Kysely. It passes a query object that reads the client's connection and then
 * refuses to be sent, so nothing goes over the network. Returns `undefined` for PGlite.
 */
export async function clientBehind (connection: DatabaseConnection, pool: unknown): Promise<PoolClient | undefined> {
  if (connection.cancelQuery === undefined) return undefined
  const { promise: refused, resolve } = Promise.withResolvers<unknown>()
  let seen: unknown
  const probe = {
    callback: undefined as (() => void) | undefined,
    submit (connection: unknown) {
      seen = connection
      return new Error('not to be sent')
    },
    handleError () {
      this.callback?.()
      resolve(seen)
    },
  }
  await connection.executeQuery({ ...CompiledQuery.raw(''), sql: probe as unknown as string })
  // pg reports an error before the server is ready for the next statement. Until then, the probe waits in pg's queue
  return clientWith(pool, await refused)
}
