/**
 * Measures how long the stages of a request take. Times belong to an asynchronous context. So they include statements
 * that the application's own methods run for a request, also inside transactions.
 */
import { AsyncLocalStorage } from 'node:async_hooks'

/** The stages, in the order in which a request passes them. */
export const STAGES = ['parse', 'plan', 'compile', 'run'] as const
type Stage = typeof STAGES[number]

const timesOfRequest = new AsyncLocalStorage<StageTimes>()

/** The times of one request. */
export class StageTimes {
  readonly #millis: Record<Stage, number> = { parse: 0, plan: 0, compile: 0, run: 0 }
  #stage: Stage | undefined
  #since = 0

  /** Ends the current stage, begins the given one if there is one, and returns the ended one. */
  enter (stage?: Stage): Stage | undefined {
    const now = performance.now()
    const before = this.#stage
    if (before !== undefined) this.#millis[before] += now - this.#since
    this.#stage = stage
    this.#since = now
    return before
  }

  /** Adds a time that was measured elsewhere. The times of concurrent statements add up. */
  add (stage: Stage, millis: number): void {
    this.#millis[stage] += millis
  }

  /** How long a stage has taken so far, in milliseconds. */
  of (stage: Stage): number {
    return this.#millis[stage]
  }

  /** Runs work and measures it, including everything that it starts in its asynchronous context. */
  async measure<Result> (work: () => Promise<Result>): Promise<Result> {
    try {
      return await timesOfRequest.run(this, work)
    } finally {
      this.enter()
    }
  }
}

/** Begins a stage of the current request, if the request is measured. */
export function enterStage (stage?: Stage): void {
  timesOfRequest.getStore()?.enter(stage)
}

/** Adds a statement to the times of the current request, if the request is measured. */
export function addRun (millis: number): void {
  timesOfRequest.getStore()?.add('run', millis)
}

/**
 * Runs work inside something that waits for the database before and after it, such as a transaction. Everything but the
 * work counts as running statements.
 */
export async function runAround<Args extends unknown[], Inner, Result> (
  outer: (work: (...args: Args) => Promise<Inner>) => Promise<Result>,
  work: (...args: Args) => Promise<Inner>
): Promise<Result> {
  const times = timesOfRequest.getStore()
  if (times === undefined) return await outer(work)
  const started = performance.now()
  let inside = 0
  times.enter()
  try {
    return await outer(async (...args) => {
      const began = performance.now()
      try {
        return await work(...args)
      } finally {
        times.enter()
        inside += performance.now() - began
      }
    })
  } finally {
    times.add('run', performance.now() - started - inside)
  }
}
