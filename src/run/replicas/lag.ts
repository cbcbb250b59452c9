/**
 * Computes how old the data of a replica can be, from positions in the write-ahead log. Nothing here asks a server.
 * Times are milliseconds of this process's clock.
 *
 * Positions distinguish an idle system from a broken one: a replica that has replayed everything that the writer has
 * written is up to date, however long ago the last write was.
 */

/** The state of the writer, as it reports it. */
export interface WriterSample {
  /** When it was asked. Everything that was committed before lies below `position`. */
  readonly at: number
  /** Position up to which it has written the log. */
  readonly position: bigint
  /** The writer's own clock, which also stamps commits: milliseconds since 1970. */
  readonly clock: number
}

/** The state of a replica, as it reports it. */
export interface ReplicaSample {
  /** Position up to which it has replayed the log. */
  readonly position: bigint
  /** When the last replayed transaction was committed, by the writer's clock; absent before the first one. */
  readonly commit: number | undefined
}

/** The most samples that are kept. They limit how far back a replica can be measured while nothing is committed. */
const KEPT = 120

/** The writer's positions over time. */
export class WriterHistory {
  #samples: WriterSample[] = []

  get latest (): WriterSample | undefined {
    return this.#samples.at(-1)
  }

  add (sample: WriterSample): void {
    // a position that goes back belongs to another log: that of a server that has taken over
    if (this.latest !== undefined && sample.position < this.latest.position) this.#samples = []
    this.#samples.push(sample)
    if (this.#samples.length > KEPT) this.#samples.shift()
  }

  /**
   * A time before which all of the writer's commits are known to be replayed by a replica; `-Infinity` if no such time
   * is known. The result may be too early, but never too late.
   */
  freshAt ({ position, commit }: ReplicaSample): number {
    const reached = this.#samples.findLast((sample) => sample.position <= position)?.at ?? -Infinity
    const { latest } = this
    if (commit === undefined || latest === undefined || reached === latest.at) return reached
    return Math.max(reached, latest.at - Math.max(0, latest.clock - commit))
  }
}
