/** Values that may be promises: the application's functions may be asynchronous, and synchronous sessions have none. */
import { types } from 'node:util'

export type OrPromise<Value> = Value | Promise<Value>

/** Whether a value is a promise, or has its method `then`, which `await` calls. */
export const isPromise = (value: unknown): value is Promise<unknown> =>
  typeof (value as { then?: unknown } | null | undefined)?.then === 'function'

/** Makes the next value of a value, or of that of a promise. */
export function after<Value, Next> (value: OrPromise<Value>, next: (value: Value) => Next): OrPromise<Next> {
  return isPromise(value) ? (value as Promise<Value>).then(next) : next(value)
}

/** All of some values, which are a promise if one of them is. */
export const allOf = <Value>(values: ReadonlyArray<OrPromise<Value>>): OrPromise<readonly Value[]> =>
  values.some(isPromise) ? Promise.all(values) : values as readonly Value[]

/**
 * Lets a promise that nothing awaits be rejected, which would end the process. Anything else with a method `then` stays
 * as it is: a query builder, for example, runs its query when it is asked for its result.
 */
export function ignoreRejection (value: unknown): void {
  if (types.isPromise(value)) Promise.prototype.then.call(value, undefined, () => {})
}
