/** Transactions that are repeated when that is of use. */
import type { EntityManager } from '@mikro-orm/postgresql'
import { ConfigError, UnavailableError } from '../errors.ts'
import { shown } from '../options.ts'
import { convertError, demandsOf, isDriverError, signalOf, transact, transienceOf, type Demands } from '../run/index.ts'
import { delayOf, wait, type Backoff } from './backoff.ts'
import { checkTransactionOptions, type TransactionOptions } from './transaction-options.ts'

/** What runs in a transaction. It has to use the EntityManager that it is given, and may run more than once. */
export type TransactionFunction<Args extends readonly unknown[], Result> = (
  em: EntityManager,
  ...args: Args
) => Result | Promise<Result>

/** Makes a function run in a transaction: the same arguments, the first of which says where. */
export type TransactionWrapper = <Args extends readonly unknown[], Result>(
  fn: TransactionFunction<Args, Result>
) => (em: EntityManager, ...args: Args) => Promise<Result>

/** What a wrapper does where its options say nothing. */
export interface Policy extends Backoff {
  /** Its name, for errors. */
  readonly name: string
  /** How it is called, for errors. */
  readonly usage: string
  readonly retries: number
  /** Whether the whole is repeated also after the database was not available. */
  readonly unavailable: boolean
}

/** Runs a function by options that have been checked. */
export async function runTransaction<Result> (
  em: EntityManager,
  fn: TransactionFunction<[], Result>,
  options: TransactionOptions,
  policy: Policy
): Promise<Result> {
  if (typeof fn !== 'function') throw new ConfigError(`${policy.name}: what is to run must be a function.`)
  if (!isEntityManager(em)) {
    throw new ConfigError(
      `${policy.name}: where it is to run must be an EntityManager, such as request.em, got ${shown(em)}.`
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
      await wait(delay, signalOf(em))
    }
  }
}

/** Of any copy of MikroORM's, and no session of `useAsync: false`. */
/** Whether a value is an EntityManager, of whatever copy of MikroORM. */
export const isEntityManager = (value: unknown): value is EntityManager =>
  typeof (value as Partial<EntityManager> | null | undefined)?.isInTransaction === 'function'

/** A transaction inside of another can't be repeated alone: the outermost one is, as often as the most insistent wants it. */
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

/** Checks options, once for each object. */
export function withChecked (name: string, options: TransactionOptions = {}): TransactionOptions {
  if (typeof options !== 'object' || options === null || !checked.has(options)) {
    checkTransactionOptions(name, options)
    checked.add(options)
  }
  return options
}

/**
 * A wrapper of functions, its options checked now.
 *
 * @param given the first argument, which is no EntityManager unless the function behind it was forgotten
 */
export function wrapperOf (given: unknown, options: TransactionOptions, policy: Policy): TransactionWrapper {
  if (isEntityManager(given)) throw new ConfigError(`${policy.name}: what is to run is missing. Write ${policy.usage}.`)
  const own = { ...withChecked(policy.name, options) }
  return (fn) => {
    if (typeof fn !== 'function') throw new ConfigError(`${policy.name}: what is to run must be a function.`)
    return async (em, ...args) => await runTransaction(em, (em) => fn(em, ...args), own, policy)
  }
}
