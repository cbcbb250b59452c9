/** The options of transactions, their schema, and the check against it. */
import { Type, type Static } from '@sinclair/typebox'
import { checkSchema } from '../options.ts'
import { ISOLATION_LEVELS } from '../run/index.ts'

/** Timers of Node can't be longer. */
const LONGEST = 2 ** 31 - 1

export const DEFAULT_RETRIES = 3
export const DEFAULT_BACKOFF = { baseDelay: 20, maxDelay: 1_000 } as const

export const TransactionOptionsSchema = Type.Object({
  isolationLevel: Type.Optional(Type.Union(ISOLATION_LEVELS.map((level) => Type.Literal(level)), {
    description:
      "What the transaction sees of others. Default: the server's, which is 'read committed' unless configured.",
  })),
  readOnly: Type.Optional(Type.Boolean({ default: false, description: 'Refuse writes.' })),
  timeout: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: LONGEST,
      description: 'Milliseconds for all of it, repetitions included. Default: no limit.',
    })
  ),
  retries: Type.Optional(
    Type.Integer({
      minimum: 0,
      default: DEFAULT_RETRIES,
      description: 'Times that the whole is repeated after a serialization failure or a deadlock, at most.',
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
      description: 'Longest wait of all, in milliseconds.',
    })
  ),
}, { additionalProperties: false })

/**
 * How a function runs in a transaction.
 *
 * | Option | What it does | Default |
 * |---|---|---|
 * | `isolationLevel` | what the transaction sees of others: `'read committed'`, `'repeatable read'`, `'serializable'` | the server's |
 * | `readOnly` | refuse writes | `false` |
 * | `timeout` | milliseconds for all of it, repetitions included | no limit |
 * | `retries` | times that the whole is repeated after a serialization failure or a deadlock | 3 |
 * | `baseDelay`, `maxDelay` | longest wait before the first repetition, and of all, in milliseconds | 20, 1 000 |
 */
export type TransactionOptions = Readonly<Static<typeof TransactionOptionsSchema>>

/**
 * Refuses options that can't work.
 *
 * @throws {ConfigError} names the first one, and the option that was probably meant
 */
export function checkTransactionOptions (what: string, options: unknown): asserts options is TransactionOptions {
  checkSchema(what, TransactionOptionsSchema, options)
}
