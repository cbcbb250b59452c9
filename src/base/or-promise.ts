/** Values that may be promises: the application's functions may be asynchronous, and synchronous sessions have none. */

export type OrPromise<Value> = Value | Promise<Value>

/** Whether a value is a promise, or has its method `then`, which `await` calls. */
export const isPromise = (value: unknown): value is Promise<unknown> =>
  typeof (value as { then?: unknown } | null | undefined)?.then === 'function'
