/** The options of transactions, and the check of them. */
import * as Type from '@sinclair/typebox'
import type { Static } from '@sinclair/typebox'
import { checkSchema, closed, defaultsOf, oneOf, withDefault } from '../base/option-checks.ts'
import { ISOLATION_LEVELS } from '../run/index.ts'

/** The longest delay of Node's timers. */
const LONGEST = 2 ** 31 - 1

export const TransactionOptionsSchema = Type.Object({
  /**
   * Which changes of other transactions are visible: `'read committed'`, `'repeatable read'`, `'serializable'`.
   * Default: the server's, which is `'read committed'` unless configured.
   */
  isolationLevel: Type.Optional(oneOf(ISOLATION_LEVELS)),
  /** Refuse writes. Default: false. */
  readOnly: withDefault(Type.Boolean(), false),
  /** Milliseconds for the whole transaction, repetitions included. Default: no limit. */
  timeout: Type.Optional(Type.Integer({ minimum: 1, maximum: LONGEST })),
  /** Maximum number of repetitions after a serialization failure or a deadlock. Default: 3. */
  retries: withDefault(Type.Integer({ minimum: 0 }), 3),
  /** Longest wait before the first repetition, in milliseconds. It doubles with each one. Default: 20. */
  baseDelay: withDefault(Type.Integer({ minimum: 0, maximum: LONGEST }), 20),
  /** Longest wait before any repetition, in milliseconds. Default: 1 000. */
  maxDelay: withDefault(Type.Integer({ minimum: 0, maximum: LONGEST }), 1_000),
}, closed)

/** How a function runs in a transaction. */
export interface TransactionOptions extends Readonly<Static<typeof TransactionOptionsSchema>> {}

const { retries, baseDelay, maxDelay } = defaultsOf(TransactionOptionsSchema)
/** The defaults of repetitions. */
export const REPETITION = { retries, baseDelay, maxDelay }

/**
 * Refuses invalid options.
 *
 * @throws {ConfigError} names the first invalid option and suggests the one that was probably meant
 */
export function checkTransactionOptions (what: string, options: unknown): asserts options is TransactionOptions {
  checkSchema(what, TransactionOptionsSchema, options)
}
