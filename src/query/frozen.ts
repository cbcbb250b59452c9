/** The one empty list that all queries share. */
const EMPTY: readonly never[] = Object.freeze([])

/** Freezes an array that its caller has finished with. */
export function frozen<T> (items: T[]): readonly T[] {
  return items.length === 0 ? EMPTY : Object.freeze(items)
}

/** The prototype of all objects that the parser makes. It has no members and no prototype. */
const NOTHING: object = Object.freeze(Object.create(null))

/**
 * Copies members into a frozen object that inherits nothing, so that a name from a URL finds only the object's own
 * keys.
 *
 * The objects have an empty prototype, because V8 has no fast way to make an object without one: it is a hash table if
 * it is created so. If its prototype is removed later, that takes longer than to read the parameter, and V8 in Node 22
 * makes a hidden class for each such object. Code that reads them then searches for each member.
 */
export function bare<T extends object> (members: T): Readonly<T> {
  return Object.freeze(Object.assign(Object.create(NOTHING) as T, members))
}
