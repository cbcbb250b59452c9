/** How many rows the filters of one shape of lists keep, as its latest requests show. */
import { mostGathered, type Form, type Row } from '../sql/index.ts'

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
  /** The part of the latest requests that kept few rows. */
  #few = 1

  /** Whether the next request is likely to keep few rows. */
  get areFew (): boolean {
    return this.#few >= WORTHWHILE
  }

  /** Notes the row of a list. After an attempt in vain, only the row of the next statement has a total. */
  note ({ total }: Row, form: Form): void {
    if (total === null) return
    const few = isFew(Number(total), form.total)
    if (few === undefined) this.#few = Math.min(this.#few + UNKNOWN, 1)
    else this.#few += ((few ? 1 : 0) - this.#few) * LATEST
  }
}

/** Whether a total is of few rows; `undefined` if more rows than those that were counted may still be few. */
function isFew (counted: number, total: Form['total']): boolean | undefined {
  const most = mostGathered(total)
  return typeof total === 'number' && total < most && counted > total ? undefined : counted <= most
}
