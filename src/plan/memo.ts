/** Keeps parts of plans that depend only on names, because most requests repeat a few combinations of names. */
import { LRUCache } from 'lru-cache'
import type { QueryErrors } from './query-errors.ts'

/** Maximum number of parts to keep, for each kind of part and for each resource. */
const MAX_PARTS = 200

/** Keeps the parts made for earlier requests. Parts with errors are not kept. */
export class Memo<Part extends object> {
  /** Made for the second part, because a cache reserves memory for all of them. */
  #parts: LRUCache<string, Part> | undefined
  /** The part that was used last, which is the newest in the cache: most requests repeat it. */
  #last: { readonly key: string, readonly part: Part } | undefined

  /**
   * Returns the part for a key, and makes it if it is not kept.
   *
   * @param make makes the part, and adds errors of the request to the list that it is given, which is `errors`
   */
  of (key: string, errors: QueryErrors, make: (errors: QueryErrors) => Part): Part {
    if (this.#last?.key === key) return this.#last.part
    const known = this.#parts?.get(key)
    const before = errors.count
    const part = known ?? make(errors)
    if (errors.count > before) return part
    if (known === undefined && this.#last !== undefined) this.#keep(key, part, this.#last)
    this.#last = { key, part }
    return part
  }

  #keep (key: string, part: Part, last: { readonly key: string, readonly part: Part }): void {
    if (this.#parts === undefined) {
      this.#parts = new LRUCache({ max: MAX_PARTS })
      this.#parts.set(last.key, last.part)
    }
    this.#parts.set(key, part)
  }
}

/** Joins lists of texts to one text that is unique to these lists. It is empty if all of them are. */
export function memoKey (...lists: ReadonlyArray<readonly string[]>): string {
  let key = ''
  let isEmpty = true
  for (const list of lists) {
    // the length tells where a text ends, whatever it contains
    for (const text of list) key += `${text.length}:${text}`
    if (list.length > 0) isEmpty = false
    key += ';'
  }
  return isEmpty ? '' : key
}
