import type { EntityManager } from '@mikro-orm/postgresql'
import { runOrWrap, type Policy, type TransactionFunction, type TransactionWrapper } from './run-transaction.ts'
import type { TransactionOptions } from './transaction-options.ts'

/** Long enough for a server to restart, or for a standby to take over. */
const POLICY: Policy = {
  name: 'withRetry',
  usage: 'withRetry(em, async (em) => ...)',
  retries: 5,
  unavailable: true,
  baseDelay: 100,
  maxDelay: 2_000,
}

/**
 * Runs a function like `withTransaction`, and also repeats it when the database was unavailable: unreachable, shutting
 * down or starting up, out of connections, or lost during the transaction.
 *
 * The function runs in a transaction because only a whole transaction can be repeated safely: if the connection is lost
 * before the commit, nothing has been written. If the connection is lost during the commit, it is unknown whether the
 * changes were made. Then an `OutcomeUnknownError` is thrown and nothing is repeated, unless the transaction is
 * `readOnly`. Timeouts are not repeated either. Inside another transaction, the outermost one is repeated.
 *
 * Defaults: 5 `retries`, `baseDelay` 100 ms, `maxDelay` 2 000 ms.
 *
 * @throws the errors of `withTransaction`
 * @example
 * const page = await withRetry(em, (em) => categories.list(em, params), { readOnly: true })
 */
export function withRetry<Result> (
  em: EntityManager,
  fn: TransactionFunction<[], Result>,
  options?: TransactionOptions
): Promise<Result>
/** Returns a wrapper: the functions that it wraps run this way on every call. */
export function withRetry (options?: TransactionOptions): TransactionWrapper
export function withRetry (
  first?: EntityManager | TransactionOptions,
  fn?: TransactionFunction<[], unknown>,
  options?: TransactionOptions
): Promise<unknown> | TransactionWrapper {
  return runOrWrap(POLICY, first, fn, fn === undefined ? first as TransactionOptions ?? {} : options)
}
