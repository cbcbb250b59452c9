/** Converts answers to the results of the methods of `CrudBase`: values on synchronous sessions, promises on others. */
import type { JsonAnswer } from '../read/index.ts'

/** The JSON text of an answer. */
export function textOf<Result> (answer: unknown): Result {
  return after(answer as JsonAnswer | null, (given) => given?.json ?? null) as Result
}

/** The value of a JSON text. */
export function parsed<Result> (json: unknown): Result {
  return after(json as string | null, (text) => text === null ? null : JSON.parse(text) as unknown) as Result
}

function after<Value> (value: Value | PromiseLike<Value>, next: (value: Value) => unknown): unknown {
  return isPromise(value) ? value.then(next) : next(value)
}

const isPromise = <Value>(value: Value | PromiseLike<Value>): value is PromiseLike<Value> =>
  typeof (value as { then?: unknown } | null)?.then === 'function'
