/**
 * Collects the errors of one request. A request can have far more than its sender would read: 8 KiB of `sort=` name
 * four thousand sorts, and a body of 800 KB 200 000 ids. Only the first ones are described, the rest is counted, so
 * that the answer, the log and the work do not grow with their number. JSON pointers (RFC 6901) name the places of
 * errors in a body.
 */

/** Largest number of errors that an answer lists. */
export const MAX_ERRORS = 20

/** Makes an item for each of the first errors, and counts the others. */
export class ErrorList<Item> {
  readonly items: Item[] = []
  #count = 0

  /** Number of all errors, including those without an item. */
  get count (): number {
    return this.#count
  }

  /** @param make called only if its item will be listed, because sentences and suggestions cost time */
  add (make: () => Item): void {
    if (this.#count++ < MAX_ERRORS) this.items.push(make())
  }
}

/** Escapes a name as a part of a JSON pointer (section 3 of the RFC). */
export const escapedName = (name: string): string => name.replaceAll('~', '~0').replaceAll('/', '~1')

/** A sentence about a part of a body, with its place before it. */
export const placed = (pointer: string | undefined, sentence: string): string =>
  pointer === undefined || pointer === '' ? sentence : `${pointer}: ${sentence}`

/** The names and indexes in a JSON pointer. */
export const segmentsOf = (pointer: string): string[] =>
  pointer.split('/').slice(1).map((segment) => segment.replaceAll('~1', '/').replaceAll('~0', '~'))
