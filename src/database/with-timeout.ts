import type { EntityManager } from '@mikro-orm/postgresql'
import { runOrWrap, type Policy, type TransactionFunction, type TransactionWrapper } from './run-transaction.ts'
import { REPETITION, type TransactionOptions } from './transaction-options.ts'

const POLICY: Policy = {
  name: 'withTimeout',
  usage: 'withTimeout(em, ms, async (em) => ...)',
  unavailable: false,
  ...REPETITION,
}

/**
 * Runs a function like `withTransaction`, with a time limit for everything that it does, repetitions included. When the
 * time is over, the running statement is cancelled in the server, the transaction is rolled back, and the function can
 * send no further statement.
 *
 * Each statement also gets the remaining time as its `statement_timeout`, so the server stops it even if this process
 * is gone. If the server does not answer, e.g. because the network is down, the connection is dropped one second later.
 * If timeouts are nested, the earlier one applies.
 *
 * PGlite runs in this process, and a running statement can't be stopped. The time is checked between statements
 * instead.
 *
 * @param ms milliseconds
 * @throws {UnavailableError} when the time is over, and the errors of `withTransaction`
 * @example
 * const report = await withTimeout(em, 2_000, (em) => categories.list(em, params))
 */
export function withTimeout<Result> (
  em: EntityManager,
  ms: number,
  fn: TransactionFunction<[], Result>,
  options?: Omit<TransactionOptions, 'timeout'>
): Promise<Result>
/** Returns a wrapper: the functions that it wraps run this way on every call, e.g. `withTimeout(2_000)(fn)`. */
export function withTimeout (ms: number, options?: Omit<TransactionOptions, 'timeout'>): TransactionWrapper
export function withTimeout (
  first: EntityManager | number,
  second?: number | object,
  fn?: TransactionFunction<[], unknown>,
  options?: object
): Promise<unknown> | TransactionWrapper {
  const own = fn === undefined
    ? { ...second as object, timeout: first as number }
    : { ...options, timeout: second as number }
  return runOrWrap(POLICY, first, fn, own)
}
