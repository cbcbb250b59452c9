/** Calls of the application's functions that decide what a request may do. */
import { shown } from '../base/option-checks.ts'
import { isPromise, type OrPromise } from '../base/or-promise.ts'

/**
 * Calls a function of the application. If it throws an error that has a status, the client gets that error. Any other
 * error is hidden from clients, because its message may tell them what they must not know. The log has it.
 *
 * @param call may return a promise
 * @param hide makes the error that the client gets from the one that the application threw
 */
export function hidingErrors<Result> (
  call: () => OrPromise<Result>,
  hide: (cause: Error) => Error
): OrPromise<Result> {
  const refuse = (error: unknown): never => {
    throw hasStatus(error) ? error : hide(error instanceof Error ? error : new Error(`${shown(error)} was thrown.`))
  }
  try {
    const result = call()
    return isPromise(result) ? Promise.resolve(result).catch(refuse) : result
  } catch (error) {
    return refuse(error)
  }
}

/** Whether Fastify answers with the status of an error. It takes other numbers for 500. */
function hasStatus (error: unknown): boolean {
  const { statusCode, status } = Object(error) as { readonly statusCode?: unknown, readonly status?: unknown }
  return [statusCode, status].some((code) => typeof code === 'number' && code >= 400 && code <= 599)
}
