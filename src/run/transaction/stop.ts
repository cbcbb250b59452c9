/**
 * Stops transactions from outside, at their deadline or by the signal of their EntityManager. The server also enforces
 * the deadline: each statement may take the remaining time.
 */
import { DriverException } from '@mikro-orm/core'
import type { EntityManager } from '@mikro-orm/postgresql'
import { abortOptionsOf } from '../../borrowed/mikro-orm.ts'
import { AbortedError, UnavailableError } from '../../base/errors.ts'
import { isServerError, ownErrorIn, ThroughDriver } from '../errors/driver-errors.ts'
import type { Cancellation } from '../pg/connections.ts'
import { abandon, type HeldConnection } from './held-connection.ts'

export interface Deadline {
  /** The deadline, in milliseconds of `performance.now()`. */
  readonly at: number
  /** The error when the deadline has passed. */
  readonly error: UnavailableError
}

/** Milliseconds that the server has to answer after a deadline before its connection is closed. */
const GRACE = 1_000

/** The signals that stop a transaction, and helpers for them. */
export interface Stop {
  /** Aborts at the deadline, and when the signal of the EntityManager does. */
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

/** The error for a stopped operation: that of the deadline, or an AbortedError because the client has disconnected. */
export function reasonOf (signal: Cancellation, cause: unknown = signal.reason): Error {
  const reason: unknown = ownErrorIn(signal.reason) ?? signal.reason
  return reason instanceof UnavailableError || reason instanceof AbortedError
    ? reason
    : new AbortedError(undefined, { cause })
}

/** @throws the error of the stop, if the signal has aborted */
export function throwIfStopped (signal: AbortSignal | undefined): void {
  if (signal?.aborted === true) throw reasonOf(signal)
}

/**
 * Whether an error may result from stopping: errors of the driver, and this package's errors for them. Errors that the
 * application has thrown may not.
 */
export function isConsequence (error: unknown): boolean {
  return error instanceof ThroughDriver || error instanceof UnavailableError || error instanceof AbortedError ||
    error instanceof DriverException || (error as Error | null)?.name === 'AbortError' || isServerError(error)
}

/** Closes the connection if the server does not answer soon after the deadline, since the network may have failed. */
export function closeWhenOverdue (held: HeldConnection, { at }: Deadline): NodeJS.Timeout {
  return setTimeout(() => abandon(held), Math.max(0, at - performance.now()) + GRACE)
}

type Send = (sql: string) => Promise<readonly Record<string, unknown>[]>

/** Sets a deadline. An earlier deadline stays in force, and so does a shorter `statement_timeout`. */
export async function limit (held: HeldConnection, { at }: Deadline, send: Send): Promise<void> {
  if (held.client !== undefined) {
    held.configured ??= toMilliseconds(String((await send('show statement_timeout'))[0]?.['statement_timeout']))
  }
  held.deadline = Math.min(at, held.deadline ?? Infinity)
  held.limit = undefined
}

/**
 * Removes the deadline of a savepoint. `set local` lasts until the whole transaction ends. Without this reset, the
 * remaining time would apply to the next savepoint, which has no deadline.
 */
export async function unlimit (held: HeldConnection, outer: number | undefined, send: Send): Promise<void> {
  held.deadline = outer
  held.limit = undefined
  // with an outer deadline, any statement sends the outer limit first
  if (held.client !== undefined) {
    await send(outer === undefined ? `set local statement_timeout = ${held.configured!}` : 'show statement_timeout')
  }
}

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, min: 60_000, h: 3_600_000, d: 86_400_000 }

/** A duration in the format of `show`: `0`, `50ms`, `5s`, ... */
function toMilliseconds (text: string): number {
  const [, number = '0', unit = 'ms'] = /^(\d+)([a-z]*)$/.exec(text) ?? []
  return Number(number) * (UNITS[unit] ?? 1)
}
