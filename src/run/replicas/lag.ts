/**
 * How old the data of a replica can be, from positions in the write-ahead log. Arithmetic only: nothing here asks a
 * server. Times are milliseconds of one clock, this process's.
 *
 * Positions are what tells an idle system from a broken one: a replica that has replayed everything the writer has
 * written is up to date, however long ago that was.
 */

/** What the writer says of itself. */
export interface WriterSample {
  /** When it was asked: what was committed before lies below `position`. */
  readonly at: number
  /** Position in the log up to which it has written. */
  readonly position: bigint
  /** The writer's own clock, by which commits are stamped: milliseconds since 1970. */
  readonly clock: number
}

/** What a replica says of itself. */
export interface ReplicaSample {
  /** Position up to which it has replayed the log. */
  readonly position: bigint
  /** When the last transaction that it has replayed was committed, by the writer's clock; absent before the first one. */
  readonly commit: number | undefined
}

/** Samples that are kept, at most: how far back a replica can be measured while nothing is committed. */
const KEPT = 120

/** Where the writer was, and when. */
export class WriterHistory {
  #samples: WriterSample[] = []

  get latest (): WriterSample | undefined {
    return this.#samples.at(-1)
  }

  add (sample: WriterSample): void {
    // a log that goes back is another log: that of a server which has taken over
    if (this.latest !== undefined && sample.position < this.latest.position) this.#samples = []
    this.#samples.push(sample)
    if (this.#samples.length > KEPT) this.#samples.shift()
  }

  /**
   * A time up to which all commits of the writer are known to be among those that a replica has replayed; `-Infinity`
   * when there is none. It is never too late.
   */
  freshAt ({ position, commit }: ReplicaSample): number {
    const reached = this.#samples.findLast((sample) => sample.position <= position)?.at ?? -Infinity
    const { latest } = this
    if (commit === undefined || latest === undefined || reached === latest.at) return reached
    return Math.max(reached, latest.at - Math.max(0, latest.clock - commit))
  }
}
