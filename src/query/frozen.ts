/** The one empty list that all queries share. */
const EMPTY: readonly never[] = Object.freeze([])

/** Freezes an array that its caller has finished with. */
export function frozen<T> (items: T[]): readonly T[] {
  return items.length === 0 ? EMPTY : Object.freeze(items)
}

/** A type whose members can be set. */
export type Settable<T> = { -readonly [Key in keyof T]: T[Key] }

/**
 * Makes an empty object without a prototype, so that a name from a URL finds only the object's own keys. Its maker sets
 * the members one by one, and then freezes it: a copy of members takes longer.
 *
 * The prototype is removed before the object has members. V8 stores an object that is created without a prototype as a
 * hash table, which is several times slower. If the prototype is removed from an object with members, V8 in Node 22
 * makes a hidden class for each such object, and code that reads them searches for each member.
 */
export function emptyWithoutPrototype<T extends object> (): Settable<T> {
  return Object.setPrototypeOf({}, null) as Settable<T>
}

/** Copies members into a frozen object without a prototype. */
export function withoutPrototype<T extends object> (members: T): Readonly<T> {
  return Object.freeze(Object.assign(emptyWithoutPrototype<T>(), members))
}
