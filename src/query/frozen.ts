/** Most lists of most queries are empty: they share one. */
const EMPTY: readonly never[] = Object.freeze([])

/** Freezes an array that its caller has finished with. */
export function frozen<T> (items: T[]): readonly T[] {
  return items.length === 0 ? EMPTY : Object.freeze(items)
}

/**
 * Freezes an object that its caller has finished with, and takes its prototype away: names from a URL find nothing but
 * its own. (An object that is made without a prototype is a hash table from the start, and several times slower.)
 */
export function bare<T extends object> (object: T): Readonly<T> {
  return Object.freeze(Object.setPrototypeOf(object, null) as T)
}
