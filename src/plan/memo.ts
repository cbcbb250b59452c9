/** Parts of plans that depend on names alone. Requests ask for the same few again and again. */
import { LRUCache } from 'lru-cache'
import type { QueryErrors } from './query-errors.ts'

/** Parts that are kept, of each kind and for each resource. */
const MAX_PARTS = 200

/** What the same texts have led to before. What was wrong is not kept. */
export class Memo<Part extends object> {
  readonly #parts = new LRUCache<string, Part>({ max: MAX_PARTS })

  /**
   * The part for a key, made if it is not there.
   *
   * @param make what is wrong with the request goes to its parameter, and to `errors`
   */
  of (key: string, errors: QueryErrors, make: (errors: QueryErrors) => Part): Part {
    const known = this.#parts.get(key)
    if (known !== undefined) return known
    const before = errors.count
    const part = make(errors)
    if (errors.count === before) this.#parts.set(key, part)
    return part
  }
}

/** Lists of texts as one text, which no other lists have. */
export function keyOf (...lists: ReadonlyArray<readonly string[]>): string {
  return lists.every((list) => list.length === 0) ? '' : JSON.stringify(lists)
}
