/** Calculates the wait before a repetition, and waits. */
import { setTimeout as sleep } from 'node:timers/promises'

export interface Backoff {
  /** Longest wait before the first repetition, in milliseconds. It doubles with each one. */
  readonly baseDelay: number
  /** Longest wait before any repetition, in milliseconds. */
  readonly maxDelay: number
}

/**
 * A random wait in milliseconds, between 0 and a bound that doubles with each attempt (full jitter). If callers that
 * met in a conflict or after an outage all waited equally long, they would meet again.
 *
 * @param attempt number of attempts that failed before the last one
 * @param random returns a number from 0 to less than 1
 */
export function delayOf (
  attempt: number,
  { baseDelay, maxDelay }: Backoff,
  random: () => number = Math.random
): number {
  // a larger exponent cannot change the minimum, and could overflow to Infinity
  return Math.floor(random() * Math.min(maxDelay, baseDelay * 2 ** Math.min(attempt, 40)))
}

/** Waits. Resolves early if the signal is aborted, because the caller no longer needs the result. */
export async function pause (milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  try {
    await sleep(milliseconds, undefined, signal && { signal })
  } catch {
    // only the signal can end a wait early, and the caller checks it next
  }
}
