/** The options of transactions, their schema, and the check against it. */
import { Type, type Static } from '@sinclair/typebox'
import { checkSchema } from '../base/option-checks.ts'
import { ISOLATION_LEVELS } from '../run/index.ts'

/** The longest delay of Node's timers. */
const LONGEST = 2 ** 31 - 1

export const DEFAULT_RETRIES = 3
export const DEFAULT_BACKOFF = { baseDelay: 20, maxDelay: 1_000 } as const

export const TransactionOptionsSchema = Type.Object({
  isolationLevel: Type.Optional(Type.Union(ISOLATION_LEVELS.map((level) => Type.Literal(level)), {
    description:
      "Which changes of other transactions are visible. Default: the server's, which is 'read committed' unless " +
      'configured.',
  })),
  readOnly: Type.Optional(Type.Boolean({ default: false, description: 'Refuse writes.' })),
  timeout: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: LONGEST,
      description: 'Milliseconds for the whole transaction, repetitions included. Default: no limit.',
    })
  ),
  retries: Type.Optional(
    Type.Integer({
      minimum: 0,
      default: DEFAULT_RETRIES,
      description: 'Largest number of repetitions after a serialization failure or a deadlock.',
    })
  ),
  baseDelay: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: LONGEST,
      default: DEFAULT_BACKOFF.baseDelay,
      description: 'Longest wait before the first repetition, in milliseconds. It doubles with each one.',
    })
  ),
  maxDelay: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: LONGEST,
      default: DEFAULT_BACKOFF.maxDelay,
      description: 'Longest wait before any repetition, in milliseconds.',
    })
  ),
}, { additionalProperties: false })

/** How a function runs in a transaction. */
export interface TransactionOptions extends Readonly<Static<typeof TransactionOptionsSchema>> {
  /**
   * Which changes of other transactions are visible: `'read committed'`, `'repeatable read'`, `'serializable'`.
   * Default: the server's, which is `'read committed'` unless configured.
   */
  readonly isolationLevel?: IsolationLevel
  /** Refuse writes. Default: false. */
  readonly readOnly?: boolean
  /** Milliseconds for the whole transaction, repetitions included. Default: no limit. */
  readonly timeout?: number
  /** Maximum number of repetitions after a serialization failure or a deadlock. Default: 3. */
  readonly retries?: number
  /** Longest wait before the first repetition, in milliseconds. It doubles with each one. Default: 20. */
  readonly baseDelay?: number
  /** Longest wait before any repetition, in milliseconds. Default: 1 000. */
  readonly maxDelay?: number
}

type IsolationLevel = NonNullable<Static<typeof TransactionOptionsSchema>['isolationLevel']>

/**
 * Refuses invalid options.
 *
 * @throws {ConfigError} names the first invalid option and suggests the one that was probably meant
 */
export function checkTransactionOptions (what: string, options: unknown): asserts options is TransactionOptions {
  checkSchema(what, TransactionOptionsSchema, options)
}
