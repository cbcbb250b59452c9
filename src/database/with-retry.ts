import type { EntityManager } from '@mikro-orm/postgresql'
import {
  runTransaction,
  withChecked,
  wrapperOf,
  type Policy,
  type TransactionFunction,
  type TransactionWrapper,
} from './run-transaction.ts'
import type { TransactionOptions } from './transaction-options.ts'

/** Patient enough for a server that restarts, or a standby that takes over. */
const POLICY: Policy = {
  name: 'withRetry',
  usage: 'withRetry(em, async (em) => ...)',
  retries: 5,
  unavailable: true,
  baseDelay: 100,
  maxDelay: 2_000,
}

/**
 * `withTransaction` that is also repeated when the database was not available: not reached, shutting down or starting
 * up, out of connections, or lost in the middle.
 *
 * Only a whole transaction can be repeated in safety: one that was lost before its commit has left nothing. That is why
 * the function runs in one. When the connection is lost during the commit, nobody knows whether the changes were made:
 * that is an `OutcomeUnknownError` and not repeated, unless the transaction is `readOnly`. Neither is anything that ran
 * into a timeout. Inside of another transaction, the outermost one is repeated.
 *
 * Defaults: 5 `retries`, `baseDelay` 100 ms, `maxDelay` 2 000 ms.
 *
 * @throws what `withTransaction` throws
 * @example
 * const page = await withRetry(em, (em) => categories.list(em, params), { readOnly: true })
 */
export function withRetry<Result> (
  em: EntityManager,
  fn: TransactionFunction<[], Result>,
  options?: TransactionOptions
): Promise<Result>
/** Makes a function run so whenever it is called. */
export function withRetry (options?: TransactionOptions): TransactionWrapper
export function withRetry (
  first?: EntityManager | TransactionOptions,
  fn?: TransactionFunction<[], unknown>,
  options?: TransactionOptions
): Promise<unknown> | TransactionWrapper {
  return fn === undefined
    ? wrapperOf(first, first as TransactionOptions ?? {}, POLICY)
    : runTransaction(first as EntityManager, fn, withChecked(POLICY.name, options), POLICY)
}
