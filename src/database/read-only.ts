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
  name: 'readOnly',
  usage: 'readOnly(em, async (em) => ...)',
  retries: DEFAULT_RETRIES,
  unavailable: false,
  ...DEFAULT_BACKOFF,
}

/**
 * `withTransaction` that can't write: the database refuses it before it has done anything, whoever asks, CrudBase,
 * MikroORM's unit of work or SQL. Inside of a transaction that may write, it holds until the function ends.
 *
 * @throws {ReadOnlyViolationError} for a write, and what `withTransaction` throws
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
/** Makes a function run so whenever it is called. */
export function readOnly (options?: Omit<TransactionOptions, 'readOnly'>): TransactionWrapper
export function readOnly (
  first?: EntityManager | object,
  fn?: TransactionFunction<[], unknown>,
  options?: object
): Promise<unknown> | TransactionWrapper {
  return fn === undefined
    ? wrapperOf(first, { ...first, readOnly: true }, POLICY)
    : runTransaction(first as EntityManager, fn, withChecked(POLICY.name, { ...options, readOnly: true }), POLICY)
}
