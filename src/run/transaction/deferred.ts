/**
 * Work that is done once a transaction has committed. It follows savepoints, whoever makes them, and forgets the work
 * of those that are rolled back.
 */
import { madeOnce } from '../../base/made-once.ts'

/** Handles its errors itself. */
export type DeferredWork = () => void | Promise<void>

interface Savepoint {
  readonly name: string
  /** The number of works that were deferred before it. */
  before: number
}

/** The names that this package gives to its savepoints start with it. */
export const SAVEPOINT_PREFIX = 'crud_kit_'

/** The statements of savepoints, each with the name as its group. */
const SAVEPOINT = /^\s*savepoint\s+(.+?)\s*;?\s*$/i
const RELEASE = /^\s*release\s+(?:savepoint\s+)?(.+?)\s*;?\s*$/i
const ROLLBACK_TO = /^\s*rollback\s+(?:(?:work|transaction)\s+)?to\s+(?:savepoint\s+)?(.+?)\s*;?\s*$/i

export class Deferred {
  readonly #owner: object
  #isCommitted = false
  #works: DeferredWork[] = []
  /** The open savepoints that were made since the first work was expected, the outermost first. */
  readonly #savepoints: Savepoint[] = []

  /** @param owner whose work it is, for `workOf` */
  constructor (owner: object) {
    this.#owner = owner
  }

  /**
   * Defers work of a statement that has been answered. Savepoints that other callers have opened since then do not
   * contain the statement.
   *
   * @param savepoint the savepoint in which the statement ran, `undefined` if it ran in none
   */
  add (work: DeferredWork, savepoint: string | undefined): void {
    const own = this.#indexOf(savepoint)
    const next = this.#savepoints.findIndex(({ name }, index) => index > own && name.startsWith(SAVEPOINT_PREFIX))
    if (next < 0) {
      this.#works.push(work)
      return
    }
    this.#works.splice(this.#savepoints[next]!.before, 0, work)
    for (const later of this.#savepoints.slice(next)) later.before++
  }

  /** Follows a statement that has succeeded. */
  follow (text: string): void {
    const match = (statement: RegExp): string | undefined => statement.exec(text)?.[1]
    const made = match(SAVEPOINT)
    if (made !== undefined) this.#savepoints.push({ name: nameOf(made), before: this.#works.length })
    const released = match(RELEASE)
    if (released !== undefined) this.#release(nameOf(released))
    const undone = match(ROLLBACK_TO)
    if (undone !== undefined) this.#rollBackTo(nameOf(undone))
  }

  /** The transaction has committed. */
  commit (): void {
    this.#isCommitted = true
  }

  /** Does the work in the order of its statements, if the transaction has committed. */
  run (): Promise<void> {
    return tracked(this.#owner, this.#run())
  }

  async #run (): Promise<void> {
    for (const work of this.#taken()) await work()
  }

  /** Does the same work on a blocking session. */
  runNow (): void {
    for (const work of this.#taken()) work()
  }

  #taken (): readonly DeferredWork[] {
    const works = this.#isCommitted ? this.#works : []
    this.#works = []
    return works
  }

  /** The index of the innermost savepoint with a name; -1 for one that was made before the first work was expected. */
  #indexOf (name: string | undefined): number {
    return this.#savepoints.findLastIndex((savepoint) => savepoint.name === name)
  }

  /** Savepoints end with those that they are in. Their work then belongs to what is around them. */
  #release (name: string): void {
    this.#savepoints.length = Math.max(this.#indexOf(name), 0)
  }

  /** The savepoint itself stays. */
  #rollBackTo (name: string): void {
    const index = this.#indexOf(name)
    this.#works.length = this.#savepoints[index]?.before ?? 0
    this.#savepoints.length = index + 1
  }
}

/** A name in SQL is in lower case unless it is quoted. */
const nameOf = (name: string): string =>
  name.startsWith('"') ? name.slice(1, -1).replaceAll('""', '"') : name.toLowerCase()

const running: (owner: object) => Set<Promise<unknown>> = madeOnce(() => new Set())

/** Lets `workOf` wait for a promise. */
export function tracked<Result> (owner: object, work: Promise<Result>): Promise<Result> {
  const promises = running(owner)
  promises.add(work)
  const forget = () => promises.delete(work)
  work.then(forget, forget)
  return work
}

/** Resolves when the work that has begun is done, and the work that it has begun meanwhile. */
export async function workOf (owner: object): Promise<void> {
  const promises = running(owner)
  do await Promise.allSettled(promises)
  while (promises.size > 0)
}
