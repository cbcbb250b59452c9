/**
 * Work that may have to wait, written once for sessions with promises and for blocking ones. It is a generator, which
 * yields the promises that it waits for. `yield *` does the steps of another generator, as `await` calls an async
 * function. Write it at the top level of a module: a generator function inside another one is made for each call, and
 * V8 keeps what it can see until a full collection (`test/structure/steps.test.ts`).
 *
 * @example
 * function * rename (session: CrudSession, id: Id): Steps<Row> {
 *   const rows = yield * wait(runStatement(session, statement))
 *   ...
 */
import { ConfigError } from './errors.ts'
import { ignoreRejection, isPromise, type OrPromise } from './or-promise.ts'

/** A promise to wait for, and the error for a session that cannot wait. */
interface Awaited {
  readonly promise: Promise<unknown>
  readonly refusal: () => Error
}

/** Work in steps, with the value that it returns. */
export type Steps<Result> = Generator<Awaited, Result, unknown>

/**
 * Waits for a value that may be a promise.
 *
 * @param refusal the error for a promise on a blocking session
 */
export function * wait<Value> (value: OrPromise<Value>, refusal: () => Error = takesPromise): Steps<Value> {
  if (!isPromise(value)) return value
  try {
    return (yield { promise: value, refusal }) as Value
  } catch (error) {
    addSteps(error)
    throw error
  }
}

/** The steps that the stacks of errors show already, by how many times `doInTurn` has waited for them. */
const shown = new WeakMap<Error, number>()

/**
 * Writes the steps that have waited for a promise into the stack of its error, where `doInTurn` has waited for them.
 * Each place gets its steps once, because the application may throw one error for several requests. An error that is
 * frozen keeps its stack. Errors that are the client's are not logged with their stack.
 */
function addSteps (error: unknown): void {
  if (!(error instanceof Error) || ((error as { statusCode?: number }).statusCode ?? 500) < 500) return
  const { stack } = error
  const place = shown.get(error) ?? 0
  const parts = typeof stack === 'string' ? stack.split(/(?=\n.* async doInTurn )/) : []
  if (place + 1 >= parts.length) return
  shown.set(error, place + 1)
  const waiting = { stack: '' }
  Error.captureStackTrace(waiting, wait)
  const [steps] = waiting.stack.slice(waiting.stack.indexOf('\n')).split(/\n.* doInTurn /)
  parts[place] += steps!
  Reflect.set(error, 'stack', parts.join(''))
}

/** Does steps and waits for their promises. An error of a promise is thrown where the steps wait for it. */
export async function doInTurn<Result> (steps: Steps<Result>): Promise<Result> {
  let step = steps.next()
  while (step.done !== true) {
    let value: unknown
    try {
      value = await step.value.promise
    } catch (error) {
      step = steps.throw(error)
      continue
    }
    step = steps.next(value)
  }
  return step.value
}

/**
 * Does steps at once.
 *
 * @throws the refusal of a promise, from the place that waits for it
 */
export function doAtOnce<Result> (steps: Steps<Result>): Result {
  let step = steps.next()
  while (step.done !== true) {
    const { promise, refusal } = step.value
    ignoreRejection(promise)
    step = steps.throw(refusal())
  }
  return step.value
}

/** The error for something that a blocking session cannot wait for. */
export function cannotWait (
  what: string,
  hint = 'use a DatabaseFactory without useAsync: false, and await the result.'
): ConfigError {
  return new ConfigError(`${what}, which a synchronous session (useAsync: false) cannot wait for: ${hint}`)
}

/** The error for a promise that a hook has returned. */
export function promisedBy (hook: string): ConfigError {
  return cannotWait(
    `${hook} returned a promise`,
    'return the value itself, or use a DatabaseFactory without useAsync: false.'
  )
}

const takesPromise = (): ConfigError => cannotWait('This takes a promise')
