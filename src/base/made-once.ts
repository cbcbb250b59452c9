/** Values that are made of an object, such as a model, at first use, and kept as long as the object. */

/**
 * Returns a function that makes the value of each object once.
 *
 * @example
 * export const keyColumns = madeOnce((model: EntityModel) => model.primaryKey.flatMap((part) => part.columns))
 */
export function madeOnce<Key extends object, Value extends {}> (make: (key: Key) => Value): (key: Key) => Value {
  const known = new WeakMap<Key, Value>()
  return (key) => {
    let value = known.get(key)
    if (value === undefined) known.set(key, value = make(key))
    return value
  }
}
