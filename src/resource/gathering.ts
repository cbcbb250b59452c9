/** Decides for each shape of requests how often its statement tries to gather the rows of a page. */

/** The most requests in a row for which a shape does not try to gather, because its filters kept too many rows. */
const MOST_SKIPPED = 64

/**
 * The experience with the requests of one shape. After a statement had too many rows to gather, the next request of the
 * shape is spared the attempt, then the next two, four and so on. One attempt that succeeds starts over. So a filter
 * that always keeps many rows costs next to nothing, and one that does so for some of its values is tried often.
 */
export class Gathering {
  #skipping = 0
  #next = 1

  /** Whether this request tries to gather its rows. */
  isDue (): boolean {
    if (this.#skipping === 0) return true
    this.#skipping--
    return false
  }

  /** Reports whether the rows of an attempt were few enough. */
  report (succeeded: boolean): void {
    if (succeeded) {
      this.#skipping = 0
      this.#next = 1
    } else if (this.#skipping === 0) {
      // of requests that try at the same time, one failure counts
      this.#skipping = this.#next
      this.#next = Math.min(this.#next * 2, MOST_SKIPPED)
    }
  }
}
