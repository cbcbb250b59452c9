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
  name: 'withTimeout',
  usage: 'withTimeout(em, ms, async (em) => ...)',
  retries: DEFAULT_RETRIES,
  unavailable: false,
  ...DEFAULT_BACKOFF,
}

/**
 * `withTransaction` that ends in time: for the sum of all that the function does, repetitions included. When the time
 * is over, the running statement is cancelled in the server, the transaction is rolled back, and the function can't
 * send another one.
 *
 * The server knows the time, too (`statement_timeout`, what is left of the time for each statement), so that nothing
 * goes on when this process is gone. And should the server not answer, because the network is dead, its connection is
 * given up a second later. Inside of another timeout the earlier one holds.
 *
 * PGlite runs in this process and can't be stopped in a statement: there the time is looked at between statements.
 *
 * @param ms milliseconds
 * @throws {UnavailableError} when the time is over, and what `withTransaction` throws
 * @example
 * const report = await withTimeout(em, 2_000, (em) => categories.list(em, params))
 */
export function withTimeout<Result> (
  em: EntityManager,
  ms: number,
  fn: TransactionFunction<[], Result>,
  options?: Omit<TransactionOptions, 'timeout'>
): Promise<Result>
/** Makes a function run so whenever it is called: `withTimeout(2_000)(fn)`. */
export function withTimeout (ms: number, options?: Omit<TransactionOptions, 'timeout'>): TransactionWrapper
export function withTimeout (
  first: EntityManager | number,
  second?: number | object,
  fn?: TransactionFunction<[], unknown>,
  options?: object
): Promise<unknown> | TransactionWrapper {
  return fn === undefined
    ? wrapperOf(first, { ...second as object, timeout: first as number }, POLICY)
    : runTransaction(
      first as EntityManager,
      fn,
      withChecked(POLICY.name, { ...options, timeout: second as number }),
      POLICY
    )
}
