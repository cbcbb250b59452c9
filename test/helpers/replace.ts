type Method = (...args: any[]) => any

/** Overrides a method on the object itself. */
export function replace (object: object, name: string, wrap: (original: Method) => Method): void {
  const original: Method = Reflect.get(object, name).bind(object)
  Object.defineProperty(object, name, { value: wrap(original), configurable: true, writable: true })
}

export function restore (object: object, name: string): void {
  Reflect.deleteProperty(object, name)
}
