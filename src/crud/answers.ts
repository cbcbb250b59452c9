/** Converts answers to the results of the methods of `CrudBase`: values on synchronous sessions, promises on others. */
import { isPromise, type OrPromise } from '../base/or-promise.ts'
import type { JsonAnswer } from '../read/index.ts'

/** The JSON text of an answer. The answer to a record that does not exist is null. */
export function textOf (answer: OrPromise<JsonAnswer>): OrPromise<string>
export function textOf (answer: OrPromise<JsonAnswer | null>): OrPromise<string | null>
export function textOf (answer: OrPromise<JsonAnswer | null>): OrPromise<string | null> {
  return after(answer, (given) => given?.json ?? null)
}

/** The value of a JSON text. */
export function parsed (json: OrPromise<string | null>): unknown {
  return after(json, (text) => text === null ? null : JSON.parse(text) as unknown)
}

function after<Value, Next> (value: OrPromise<Value>, next: (value: Value) => Next): OrPromise<Next> {
  return isPromise(value) ? value.then(next) : next(value)
}
