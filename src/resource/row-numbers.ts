/**
 * How many rows the filters of one shape of lists keep, as its latest requests show, and for how many of them numbers
 * about related rows would be computed.
 */
import { FEW, mostGathered, type Form, type Row, type RowsKept } from '../sql/index.ts'

/** If fewer of the requests keep few rows, the useless attempts to gather them cost more than the others save. */
const WORTHWHILE = 0.7
/** The weight of the latest request. */
const LATEST = 1 / 8
/** What a request adds whose total does not tell: so a shape is tried again after some of them. */
const UNKNOWN = 1 / 256

/**
 * The experience with the lists of one shape. Every list with a total adds to it, in whichever form it was read. So a
 * filter that always keeps many rows costs a few useless attempts, and one that keeps few rows for most values is
 * expected to do so again.
 */
export class RowNumbers implements RowsKept {
  /** The part of the latest requests whose rows can be gathered. */
  #gathered = 1
  /** The part of the latest requests that kept at most `FEW` rows. */
  #few = 1
  /** The part of the latest requests whose numbers about related rows can be computed for each row. */
  #each = 1

  get fitsEach (): boolean {
    return this.#each >= WORTHWHILE
  }

  get kept (): RowsKept['kept'] {
    if (this.#gathered < WORTHWHILE) return 'many'
    return this.#few < WORTHWHILE ? 'some' : 'few'
  }

  /** Notes the row of a list. A statement that gathered too many rows has no total, and another one follows it. */
  note ({ total }: Row, { rows, numbers, total: limit }: Form): void {
    const most = mostGathered(limit)
    this.#each = latest(this.#each, numbers === 'each' ? total !== null : undefined)
    if (total === null) {
      // there may be few rows behind the conditions on numbers
      if (numbers === 'each') return
      // the total of the next statement tells the same, unless it is counted up to a lower number
      if (typeof limit === 'number' && limit < most) this.#add(most, most + 1)
      return
    }
    const counted = Number(total)
    this.#add(most, counted, rows === 'direct' && typeof limit === 'number' && counted > limit)
  }

  /** @param mayBeMore whether there may be more rows than those that were counted */
  #add (most: number, counted: number, mayBeMore = false): void {
    this.#gathered = latest(this.#gathered, isAtMost(most, counted, mayBeMore))
    this.#few = latest(this.#few, isAtMost(FEW, counted, mayBeMore))
  }
}

/** The part of the latest requests for which something holds, after one more. */
function latest (part: number, holds: boolean | undefined): number {
  return holds === undefined ? Math.min(part + UNKNOWN, 1) : part + ((holds ? 1 : 0) - part) * LATEST
}

/** Whether there are at most so many rows; `undefined` if the counted ones do not tell. */
const isAtMost = (most: number, counted: number, mayBeMore: boolean): boolean | undefined =>
  mayBeMore && counted <= most ? undefined : counted <= most
