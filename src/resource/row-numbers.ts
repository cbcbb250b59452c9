/** How many rows the filters of one shape of lists keep, as its latest requests show. */
import { FEW, mostGathered, type Form, type Row, type RowsKept } from '../sql/index.ts'

/** If fewer of the requests keep few rows, the attempts in vain to gather them cost more than the others save. */
const WORTHWHILE = 0.7
/** The weight of the latest request. */
const LATEST = 1 / 8
/** What a request adds whose total does not tell: so a shape is tried again after some of them. */
const UNKNOWN = 1 / 256

/**
 * The experience with the lists of one shape. Every list with a total adds to it, in whichever form it was read. So a
 * filter that always keeps many rows costs a few attempts in vain, and one that keeps few rows for most values is
 * expected to do so again.
 */
export class RowNumbers {
  /** The part of the latest requests whose rows can be gathered. */
  #gathered = 1
  /** The part of the latest requests that kept at most `FEW` rows. */
  #few = 1

  /** How many rows the next request is likely to keep. */
  get kept (): RowsKept {
    if (this.#gathered < WORTHWHILE) return 'many'
    return this.#few < WORTHWHILE ? 'some' : 'few'
  }

  /** Notes the row of a list. After an attempt in vain, only the row of the next statement has a total. */
  note ({ total }: Row, form: Form): void {
    if (total === null) return
    const counted = Number(total)
    this.#gathered = latest(this.#gathered, isAtMost(mostGathered(form.total), counted, form.total))
    this.#few = latest(this.#few, isAtMost(FEW, counted, form.total))
  }
}

/** The part of the latest requests for which something holds, after one more. */
function latest (part: number, holds: boolean | undefined): number {
  return holds === undefined ? Math.min(part + UNKNOWN, 1) : part + ((holds ? 1 : 0) - part) * LATEST
}

/** Whether a total is of at most so many rows; `undefined` if more than those that were counted may still be so few. */
const isAtMost = (most: number, counted: number, total: Form['total']): boolean | undefined =>
  typeof total === 'number' && total < most && counted > total ? undefined : counted <= most
