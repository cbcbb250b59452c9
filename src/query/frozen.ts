/** Most lists of most queries are empty: they share one. */
const EMPTY: readonly never[] = Object.freeze([])

/** Freezes an array that its caller has finished with. */
export function frozen<T> (items: T[]): readonly T[] {
  return items.length === 0 ? EMPTY : Object.freeze(items)
}
