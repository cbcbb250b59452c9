import type { EntityManager } from '@mikro-orm/postgresql'
import { runOrWrap, type Policy, type TransactionFunction, type TransactionWrapper } from './run-transaction.ts'
import { REPETITION, type TransactionOptions } from './transaction-options.ts'

const POLICY: Policy = {
  name: 'readOnly',
  usage: 'readOnly(em, async (em) => ...)',
  unavailable: false,
  ...REPETITION,
}

/**
 * Runs a function in a transaction that can't write. The database refuses every write, from CrudBase, MikroORM's unit
 * of work or SQL. Inside a transaction that may write, the restriction holds until the function ends.
 *
 * @throws {ReadOnlyViolationError} for a write, and the errors of `withTransaction`
 * @example
 * const [page, total] = await readOnly(em, async (em) => [
 *   await categories.list(em, params), await products.count(em),
 * ], { isolationLevel: 'repeatable read' })
 */
export function readOnly<Result> (
  em: EntityManager,
  fn: TransactionFunction<[], Result>,
  options?: Omit<TransactionOptions, 'readOnly'>
): Promise<Result>
/** Returns a wrapper: the functions that it wraps run this way on every call. */
export function readOnly (options?: Omit<TransactionOptions, 'readOnly'>): TransactionWrapper
export function readOnly (
  first?: EntityManager | object,
  fn?: TransactionFunction<[], unknown>,
  options?: object
): Promise<unknown> | TransactionWrapper {
  return runOrWrap(POLICY, first, fn, { ...fn === undefined ? first : options, readOnly: true })
}
