/** What ends a transaction from outside: its deadline, and the signal of its EntityManager. */
import { DriverException } from '@mikro-orm/core'
import type { EntityManager } from '@mikro-orm/postgresql'
import { abortOptionsOf } from '../borrowed/mikro-orm.ts'
import { AbortedError, UnavailableError } from '../errors.ts'
import { ownErrorIn, ThroughDriver } from './convert-error.ts'
import { abandon, isServerError, type HeldConnection } from './held-connection.ts'

export interface Deadline {
  /** When all has to be over, in milliseconds of `performance.now()`. */
  readonly at: number
  /** Says that it wasn't. */
  readonly error: UnavailableError
}

/** Says when nobody waits any more. An AbortSignal does, and less will do. */
export interface Cancellation {
  readonly aborted: boolean
  readonly reason: unknown
  addEventListener(type: 'abort', listener: () => void): void
  removeEventListener(type: 'abort', listener: () => void): void
}

/** Time that the server has to answer after a deadline, in milliseconds, before its connection is given up. */
const GRACE = 1_000

/** What has to be asked about stopping. */
export interface Stop {
  /** Of both. */
  readonly signal: AbortSignal | undefined
  readonly deadline: AbortSignal | undefined
  readonly reason: () => Error
  readonly isLate: () => boolean
  readonly race: <Result>(flow: Promise<Result>) => Promise<Result>
  readonly release: () => void
}

export const signalOf = (em: EntityManager): AbortSignal | undefined => abortOptionsOf(em)?.signal

export function stopOf (em: EntityManager, deadline: Deadline | undefined): Stop {
  const outer = signalOf(em)
  const controller = deadline && new AbortController()
  const timer = deadline &&
    setTimeout(() => controller!.abort(new ThroughDriver(deadline.error)), deadline.at - performance.now())
  const own = controller?.signal
  const signal = outer !== undefined && own !== undefined ? AbortSignal.any([outer, own]) : own ?? outer
  return {
    signal,
    deadline: own,
    reason: () => signal!.aborted ? reasonOf(signal!) : deadline!.error,
    isLate: () => deadline !== undefined && performance.now() >= deadline.at,
    release: () => clearTimeout(timer),
    race: async (flow) => {
      if (signal === undefined) return await flow
      const { promise, reject } = Promise.withResolvers<never>()
      const abort = () => reject(reasonOf(signal))
      signal.addEventListener('abort', abort, { once: true })
      if (signal.aborted) abort()
      try {
        return await Promise.race([flow, promise])
      } finally {
        signal.removeEventListener('abort', abort)
      }
    },
  }
}

/** The error for what was stopped: that of a deadline, else the client has gone away. */
export function reasonOf (signal: Cancellation, cause: unknown = signal.reason): Error {
  const reason: unknown = ownErrorIn(signal.reason) ?? signal.reason
  return reason instanceof UnavailableError || reason instanceof AbortedError
    ? reason
    : new AbortedError(undefined, { cause })
}

/** Whether an error can have come of stopping: those of the driver, and ours for them. What the application has thrown before can't. */
export function isConsequence (error: unknown): boolean {
  return error instanceof ThroughDriver || error instanceof UnavailableError || error instanceof AbortedError ||
    error instanceof DriverException || (error as Error | null)?.name === 'AbortError' || isServerError(error)
}

/** Gives the connection up when the server does not answer in time after a deadline: the network may be dead. */
export function watch (held: HeldConnection, { at }: Deadline): NodeJS.Timeout {
  return setTimeout(() => abandon(held), Math.max(0, at - performance.now()) + GRACE)
}
