/** Controls the load: starts the workers, counts their answers, pauses all of them, and stops them. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Client, Method, Outcome, SendOptions } from './client.ts'
import type { Ledger } from './ledger.ts'

/** The answers of one kind of request. */
export interface Tally {
  success: number
  refused: number
  unavailable: number
  cut: number
}

export type Worker = (load: Load, number: number) => Promise<void>

/** Number of surprises that are kept. The first ones are the most informative. */
const SURPRISES = 20

export class Load {
  readonly client: Client
  readonly ledger: Ledger
  readonly tallies = new Map<string, Tally>()
  /** Descriptions of unexpected answers. */
  readonly surprises: string[] = []
  surprising = 0
  #stopped = false
  #pause: Promise<void> | undefined
  #resume = (): void => {}
  #busy = 0
  readonly #running: Promise<void>[] = []
  #failure: unknown

  constructor (client: Client, ledger: Ledger) {
    this.client = client
    this.ledger = ledger
  }

  start (worker: Worker, count: number): void {
    for (let number = 0; number < count; number++) {
      this.#running.push(
        this.#repeat(worker, number).catch((error: unknown) => {
          this.#failure ??= error
        })
      )
    }
  }

  /** Sends a request whose answer may have one of these statuses, or 503. */
  async send (
    what: string,
    allowed: readonly number[],
    method: Method,
    path: string,
    options?: SendOptions
  ): Promise<Outcome> {
    const outcome = await this.client.send(method, path, options)
    const tally = this.tally(what)
    if (outcome.kind === 'answer') {
      const { status, text } = outcome
      if (status === 503) tally.unavailable++
      else if (status < 400) tally.success++
      else tally.refused++
      if (status !== 503 && !allowed.includes(status)) {
        this.surprise(`${method} ${path} ${JSON.stringify(options?.body) ?? ''}: ${status} ${text}`)
      }
    } else {
      tally.cut++
      if (outcome.kind === 'broken') this.surprise(`${method} ${path}: the connection broke, ${outcome.reason}`)
    }
    // after a refusal, a client waits before its next request
    if (outcome.kind === 'answer' && outcome.status === 503) await sleep(20)
    return outcome
  }

  tally (what: string): Tally {
    let tally = this.tallies.get(what)
    if (tally === undefined) this.tallies.set(what, tally = { success: 0, refused: 0, unavailable: 0, cut: 0 })
    return tally
  }

  surprise (sentence: string): void {
    if (++this.surprising <= SURPRISES) this.surprises.push(sentence.slice(0, 500))
  }

  /** Runs a function while all workers are paused. */
  async quietly<Result> (fn: () => Promise<Result>): Promise<Result> {
    this.#pause = new Promise((resolve) => {
      this.#resume = resolve
    })
    while (this.#busy > 0) await sleep(20)
    try {
      return await fn()
    } finally {
      this.#pause = undefined
      this.#resume()
    }
  }

  /** Lets the workers finish their current work. Throws the error of a failed worker. */
  async stop (): Promise<void> {
    this.#stopped = true
    await Promise.all(this.#running)
    if (this.#failure !== undefined) throw this.#failure
  }

  async #repeat (worker: Worker, number: number): Promise<void> {
    while (!this.#stopped) {
      await this.#pause
      this.#busy++
      try {
        await worker(this, number)
      } finally {
        this.#busy--
      }
    }
  }
}
