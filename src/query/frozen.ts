/** The one empty list that all queries share. */
const EMPTY: readonly never[] = Object.freeze([])

/** Freezes an array that its caller has finished with. */
export function frozen<T> (items: T[]): readonly T[] {
  return items.length === 0 ? EMPTY : Object.freeze(items)
}

/**
 * Freezes an object that its caller has finished with, and removes its prototype, so that a name from a URL finds only
 * the object's own keys. (V8 stores an object that is created without a prototype as a hash table, which is several
 * times slower.)
 */
export function bare<T extends object> (object: T): Readonly<T> {
  return Object.freeze(Object.setPrototypeOf(object, null) as T)
}
