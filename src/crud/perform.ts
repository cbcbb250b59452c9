/** Runs the operations of `CrudBase`'s methods: values on synchronous sessions, promises on others. */
import { SyncSession } from '../database/index.ts'
import { isPromise, type OrPromise } from '../base/or-promise.ts'
import type { JsonAnswer } from '../read/index.ts'
import {
  callFor,
  type Call,
  type CrudClass,
  type CrudSession,
  type OperationOptions,
  type Session,
} from '../resource/index.ts'
import type { QueryOperation } from '../run/index.ts'
import { callSync } from '../sync/index.ts'

/** An operation on sessions with promises, and the same on synchronous sessions. */
export interface Operation<Answer> {
  readonly promised: (call: Call) => Promise<Answer>
  readonly blocking: (call: Call<SyncSession>) => Answer
}

/** Makes a call of the arguments of a method, which have been checked, and runs its operation. */
export function perform<Answer> (
  crud: CrudClass,
  session: CrudSession,
  name: QueryOperation,
  options: OperationOptions,
  { promised, blocking }: Operation<Answer>
): OrPromise<Answer> {
  return session instanceof SyncSession
    ? blocking(callSync(crud, session, name, options))
    : performLater(crud, session, name, options, promised)
}

async function performLater<Answer> (
  crud: CrudClass,
  session: Session,
  name: QueryOperation,
  options: OperationOptions,
  promised: Operation<Answer>['promised']
): Promise<Answer> {
  const call = callFor(crud, session, name, options)
  return await promised(isPromise(call) ? await call : call)
}

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
