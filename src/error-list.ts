/**
 * The errors of one request while they are gathered. A request can have many more than its sender would read: 8 KiB of
 * `sort=` name four thousand sorts, and a body of 800 KB 200 000 ids. The first ones are spelled out, the rest only counted,
 * so that neither the answer nor the log nor the work grows with their number.
 */

/** Errors that an answer lists, at most. */
export const MAX_ERRORS = 20

/** Makes an item for each of the first errors, and counts the others. */
export class ErrorList<Item> {
  readonly items: Item[] = []
  #count = 0

  /** Of all errors, those without an item included. */
  get count (): number {
    return this.#count
  }

  /** @param make is called only where its item will be listed: sentences and suggestions cost time */
  add (make: () => Item): void {
    if (this.#count++ < MAX_ERRORS) this.items.push(make())
  }
}
