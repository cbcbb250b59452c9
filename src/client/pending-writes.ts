/** Idempotency keys for writes that are asked for again: the same write has its key until its outcome is known. */
import { isCrudError } from './error.ts'

/** Makes a key of 128 random bits. `crypto.randomUUID` exists on secure pages only. */
export const newWriteKey = (): string => crypto.getRandomValues(new BigUint64Array(2)).join('-')

/** The keys of writes whose outcome is not known. */
export class PendingWrites {
  readonly #keys: Map<string, readonly string[]>
  readonly #onChange: () => void
  /** The keys of writes that wait for an answer. */
  readonly #running = new Set<string>()

  /**
   * @param keys the keys by the texts of their writes, those under way included
   * @param onChange called when the map has changed, to store it
   */
  constructor (keys: Map<string, readonly string[]> = new Map(), onChange: () => void = () => {}) {
    this.#keys = keys
    this.#onChange = onChange
  }

  /**
   * Sends a write with a key. If its outcome stays unknown, the next write with the same text has the same key. Equal
   * writes at the same time have different keys.
   *
   * @param write the text of the write: all that makes it differ from others
   */
  async send<Result> (write: string, work: (key: string) => Promise<Result>): Promise<Result> {
    const all = this.#keysOf(write)
    const key = all.find((known) => !this.#running.has(known)) ?? newWriteKey()
    this.#running.add(key)
    if (!all.includes(key)) this.#set(write, [...all, key])
    let isKnown = true
    try {
      return await work(key)
    } catch (error) {
      isKnown = !isUnknown(error)
      throw error
    } finally {
      this.#running.delete(key)
      if (isKnown) this.#set(write, this.#keysOf(write).filter((other) => other !== key))
    }
  }

  #keysOf (write: string): readonly string[] {
    return this.#keys.get(write) ?? []
  }

  #set (write: string, keys: readonly string[]): void {
    if (keys.length === 0) this.#keys.delete(write)
    else this.#keys.set(write, keys)
    this.#onChange()
  }
}

/** Whether a write may have been done, or is still being done. */
function isUnknown (error: unknown): boolean {
  if (!isCrudError(error)) return true
  const { status, code } = error
  return status < 400 || status >= 500 || code === 'FST_CRUD_IDEMPOTENCY_RUNNING'
}
