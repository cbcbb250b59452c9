import type { EntityManager } from '@mikro-orm/postgresql'
import { runOrWrap, type Policy, type TransactionFunction, type TransactionWrapper } from './run-transaction.ts'
import { REPETITION, type TransactionOptions } from './transaction-options.ts'

const POLICY: Policy = {
  name: 'withTransaction',
  usage: 'withTransaction(em, async (em) => ...)',
  unavailable: false,
  ...REPETITION,
}

/**
 * Runs a function in a transaction. If the function throws, all its changes are undone. Inside another transaction, the
 * function runs in a savepoint.
 *
 * When the database refuses a statement because of concurrent transactions (a serialization failure, a deadlock), the
 * outermost transaction is run again from its beginning, with a new EntityManager. The function may therefore run more
 * than once, and must use the EntityManager that it is given. After success, the entities that it has loaded or created
 * move to `em`.
 *
 * @param em the EntityManager to run on. Its filters, schema and signal also apply inside the transaction
 * @throws the errors of the function, with database errors converted to this package's
 * @throws {UnavailableError} when all repetitions failed or the time is over
 * @throws {OutcomeUnknownError} when the connection was lost during the commit, which is not repeated
 * @example
 * const order = await withTransaction(em, async (em) => {
 *   await shelves.update(em, shelf, { stock: 0 })
 *   return await orders.create(em, { shelf })
 * }, { isolationLevel: 'serializable', retries: 5 })
 */
export function withTransaction<Result> (
  em: EntityManager,
  fn: TransactionFunction<[], Result>,
  options?: TransactionOptions
): Promise<Result>
/**
 * Returns a wrapper: the functions that it wraps run in a transaction on every call.
 *
 * @example
 * const sell = withTransaction({ isolationLevel: 'serializable' })(async (em, shelf: number) => { ... })
 * await sell(request.em, 7)
 */
export function withTransaction (options?: TransactionOptions): TransactionWrapper
export function withTransaction (
  first?: EntityManager | TransactionOptions,
  fn?: TransactionFunction<[], unknown>,
  options?: TransactionOptions
): Promise<unknown> | TransactionWrapper {
  return runOrWrap(POLICY, first, fn, fn === undefined ? first as TransactionOptions ?? {} : options)
}
