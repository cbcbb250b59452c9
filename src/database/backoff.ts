/** How long to wait before something is tried again. */
import { setTimeout as sleep } from 'node:timers/promises'

export interface Backoff {
  /** Longest wait before the first repetition, in milliseconds. It doubles with each one. */
  readonly baseDelay: number
  /** Longest wait of all, in milliseconds. */
  readonly maxDelay: number
}

/**
 * A wait in milliseconds: any time between none and a bound that doubles with each attempt (full jitter). Those who
 * have met once, in a conflict or after an outage, would meet again if they all waited equally long.
 *
 * @param attempt how many have failed before the last one
 * @param random from 0 to less than 1
 */
export function delayOf (
  attempt: number,
  { baseDelay, maxDelay }: Backoff,
  random: () => number = Math.random
): number {
  // more doublings are longer than any wait, and too many would be infinite
  return Math.floor(random() * Math.min(maxDelay, baseDelay * 2 ** Math.min(attempt, 40)))
}

/** Waits, unless nobody waits for the result any more: then it resolves at once. */
export async function wait (milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  try {
    await sleep(milliseconds, undefined, signal && { signal })
  } catch {
    // only the signal can end a wait early, and what comes next looks at it
  }
}
