/** Values that hooks return to synchronous sessions, where promises are not allowed. */
import { ConfigError } from '../base/errors.ts'

/**
 * Returns the value that a hook has returned.
 *
 * @throws {ConfigError} when it is a promise
 */
export function valueOf<Value> (hook: string, value: Value | Promise<Value>): Value {
  if (typeof (value as { then?: unknown } | null | undefined)?.then !== 'function') return value as Value
  // nothing awaits the promise; its rejection must not end the process
  Promise.allSettled([value])
  throw new ConfigError(
    `${hook} returned a promise, which a synchronous session (useAsync: false) cannot wait for: ` +
      'return the value itself, or use a DatabaseFactory without useAsync: false.'
  )
}
