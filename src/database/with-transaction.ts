import type { EntityManager } from '@mikro-orm/postgresql'
import {
  runTransaction,
  withChecked,
  wrapperOf,
  type Policy,
  type TransactionFunction,
  type TransactionWrapper,
} from './run-transaction.ts'
import { DEFAULT_BACKOFF, DEFAULT_RETRIES, type TransactionOptions } from './transaction-options.ts'

const POLICY: Policy = {
  name: 'withTransaction',
  usage: 'withTransaction(em, async (em) => ...)',
  retries: DEFAULT_RETRIES,
  unavailable: false,
  ...DEFAULT_BACKOFF,
}

/**
 * Runs a function in a transaction: all that it does is kept, or, when it throws, nothing. Inside of a transaction it is
 * a savepoint of that.
 *
 * When the database refuses because of what others did at the same time (a serialization failure, a deadlock), the
 * outermost transaction is run again from its beginning, with a new EntityManager. The function may therefore run more
 * than once, and must use the EntityManager that it is given. Entities that it has loaded or created move to `em` when
 * all has gone well.
 *
 * @param em where: its filters, schema and signal hold inside, too
 * @throws what the function throws, errors of the database as ours; {UnavailableError} when repeating was of no use, or
 *   the time is over; {OutcomeUnknownError} when the connection was lost during the commit, which is not repeated
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
 * Makes a function run so whenever it is called.
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
  return fn === undefined
    ? wrapperOf(first, first as TransactionOptions ?? {}, POLICY)
    : runTransaction(first as EntityManager, fn, withChecked(POLICY.name, options), POLICY)
}
