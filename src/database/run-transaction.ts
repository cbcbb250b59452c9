/** Runs transactions, and repeats them if that can help. */
import type { EntityManager } from '@mikro-orm/postgresql'
import { ConfigError, UnavailableError } from '../base/errors.ts'
import { shown } from '../base/option-checks.ts'
import { convertError, demandsOf, isDriverError, signalOf, transact, transienceOf, type Demands } from '../run/index.ts'
import { delayOf, pause, type Backoff } from './backoff.ts'
import { checkTransactionOptions, type TransactionOptions } from './transaction-options.ts'

/**
 * A function that runs in a transaction. It must use the EntityManager that it is given, and may run more than once.
 */
export type TransactionFunction<Args extends readonly unknown[], Result> = (
  em: EntityManager,
  ...args: Args
) => Result | Promise<Result>

/**
 * Makes a function run in a transaction. The result takes the EntityManager to run on, and the function's other
 * arguments.
 */
export type TransactionWrapper = <Args extends readonly unknown[], Result>(
  fn: TransactionFunction<Args, Result>
) => (em: EntityManager, ...args: Args) => Promise<Result>

/** The defaults of a wrapper such as `withRetry`. */
export interface Policy extends Backoff {
  /** The name of the wrapper, for messages. */
  readonly name: string
  /** An example of a call, for messages. */
  readonly usage: string
  readonly retries: number
  /** Whether the transaction is also repeated when the database was unavailable. */
  readonly unavailable: boolean
}

/**
 * Runs a function in a transaction, or without one returns a wrapper for functions.
 *
 * @param first the EntityManager to run on, or the first argument of a call without a function
 * @param options those of the call. They are checked now
 */
export function runOrWrap (
  policy: Policy,
  first: unknown,
  fn: TransactionFunction<[], unknown> | undefined,
  options: TransactionOptions | undefined
): Promise<unknown> | TransactionWrapper {
  return fn === undefined
    ? wrapperOf(first, options, policy)
    : runTransaction(first as EntityManager, fn, withChecked(policy.name, options), policy)
}

/** Runs a function with options that have been checked. */
async function runTransaction<Result> (
  em: EntityManager,
  fn: TransactionFunction<[], Result>,
  options: TransactionOptions,
  policy: Policy
): Promise<Result> {
  if (typeof fn !== 'function') throw new ConfigError(`${policy.name}: expected a function to run.`)
  if (!isEntityManager(em)) {
    throw new ConfigError(
      `${policy.name}: the first argument must be an EntityManager, such as request.em, got ${shown(em)}.`
    )
  }
  const { isolationLevel, readOnly, timeout } = options
  const { retries = policy.retries, baseDelay = policy.baseDelay, maxDelay = policy.maxDelay } = options
  const { unavailable } = policy
  const settings = {
    ...(isolationLevel !== undefined && { isolationLevel }),
    ...(readOnly !== undefined && { readOnly }),
    ...(timeout !== undefined &&
      {
        deadline: {
          at: performance.now() + timeout,
          error: new UnavailableError(`The database needed more than ${timeout} ms.`),
        },
      }),
  }
  if (em.isInTransaction()) {
    const demands = demandsOf(em)
    if (demands !== undefined) raise(demands, { retries, unavailable, baseDelay, maxDelay })
    return await converted(transact(em, fn, settings))
  }
  const demands: Demands = { retries, unavailable, baseDelay, maxDelay, final: false }
  for (let attempt = 0; ; attempt++) {
    try {
      return await transact(em, fn, { ...settings, demands })
    } catch (error) {
      const transience = transienceOf(error)
      const useful = transience === 'conflict' || (transience === 'unavailable' && demands.unavailable)
      const delay = delayOf(attempt, demands)
      const late = settings.deadline !== undefined && performance.now() + delay >= settings.deadline.at
      if (!useful || demands.final || attempt >= demands.retries || late) throw ours(error)
      await pause(delay, signalOf(em))
    }
  }
}

/** Whether a value is an EntityManager, of any installed copy of MikroORM. Sessions of `useAsync: false` are not. */
export const isEntityManager = (value: unknown): value is EntityManager =>
  typeof (value as Partial<EntityManager> | null | undefined)?.isInTransaction === 'function'

/**
 * Merges the demands of a nested transaction into the outermost one, which is repeated in its place: the larger value
 * of each counts.
 */
function raise (demands: Demands, asked: Omit<Demands, 'final'>): void {
  demands.retries = Math.max(demands.retries, asked.retries)
  demands.unavailable ||= asked.unavailable
  demands.baseDelay = Math.max(demands.baseDelay, asked.baseDelay)
  demands.maxDelay = Math.max(demands.maxDelay, asked.maxDelay)
}

const ours = (error: unknown): unknown => isDriverError(error) ? convertError(error) : error

async function converted<Result> (promise: Promise<Result>): Promise<Result> {
  try {
    return await promise
  } catch (error) {
    throw ours(error)
  }
}

const checked = new WeakSet<object>()

/** Checks options, only once for each object. */
function withChecked (name: string, options: TransactionOptions = {}): TransactionOptions {
  if (typeof options !== 'object' || options === null || !checked.has(options)) {
    checkTransactionOptions(name, options)
    checked.add(options)
  }
  return options
}

/**
 * Returns a wrapper for functions. Its options are checked now.
 *
 * @param given the first argument of the call: an EntityManager if the caller forgot the function, a function if the
 *   caller forgot the EntityManager
 */
function wrapperOf (given: unknown, options: TransactionOptions | undefined, policy: Policy): TransactionWrapper {
  const missing = isEntityManager(given) ? 'function to run' : typeof given === 'function' ? 'EntityManager' : undefined
  if (missing !== undefined) throw new ConfigError(`${policy.name}: the ${missing} is missing. Write ${policy.usage}.`)
  const own = { ...withChecked(policy.name, options) }
  return (fn) => {
    if (typeof fn !== 'function') throw new ConfigError(`${policy.name}: expected a function to run.`)
    return async (em, ...args) => await runTransaction(em, (em) => fn(em, ...args), own, policy)
  }
}
