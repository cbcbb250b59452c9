/**
 * Messages between the two threads of synchronous sessions. All of them survive the structured clone that passes them
 * from one thread to the other.
 */
import { ConfigError, UnavailableError } from '../../base/errors.ts'
import type { DatabaseOptions } from '../database-options.ts'

/** The database options that can be sent to a worker. Entities contain functions, so they stay on the main thread. */
export type PortableOptions = Omit<DatabaseOptions<boolean>, 'entities' | 'schema' | 'debug' | 'useAsync' | 'replicas'>

/** The commands of the main thread. A transaction has the connection to itself until it has ended. */
export type Command =
  | { readonly kind: 'open', readonly options: PortableOptions }
  | { readonly kind: 'query', readonly text: string, readonly values: readonly unknown[] }
  /** Statements without values. */
  | { readonly kind: 'script', readonly text: string }
  | { readonly kind: 'begin' | 'commit' | 'rollback' | 'close' }

export type Reply =
  | { readonly rows: Record<string, unknown>[] }
  | { readonly error: PlainError }

/** Sends a command to the worker and returns the rows of its answer. */
export type Bridge = (command: Command) => Record<string, unknown>[]

/** An error without its class. `properties` has `code`, `severity`, `detail` and so on. */
interface PlainError {
  readonly name: string
  readonly message: string
  readonly properties: Readonly<Record<string, unknown>>
  readonly cause: PlainError | undefined
}

export function toPlainError (error: unknown): PlainError {
  if (!(error instanceof Error)) return { name: 'Error', message: String(error), properties: {}, cause: undefined }
  const properties = Object.fromEntries(
    Object.entries(error).filter(([, value]) =>
      typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
    )
  )
  return {
    name: error.name,
    message: error.message,
    properties,
    cause: error.cause === undefined ? undefined : toPlainError(error.cause),
  }
}

/** The classes of this package that a worker throws, by their codes. */
const OWN = new Map<unknown, typeof ConfigError | typeof UnavailableError>([['FST_CRUD_CONFIG_INVALID', ConfigError], [
  'FST_CRUD_UNAVAILABLE',
  UnavailableError,
]])

export function fromPlainError ({ name, message, properties, cause }: PlainError): Error {
  const options = cause && { cause: fromPlainError(cause) }
  const Own = OWN.get(properties['code'])
  if (Own !== undefined) return new Own(message, options)
  const error = Object.assign(new Error(message, options), properties)
  Object.defineProperty(error, 'name', { value: name, configurable: true, writable: true })
  return error
}

/**
 * Converts a value for a statement to one that can be sent to the other thread. The class of an object is lost on the
 * way, so it is converted here as the driver would convert it there.
 */
export function toPortableValue (value: unknown): unknown {
  if (typeof value !== 'object' || value === null || value instanceof Date || ArrayBuffer.isView(value)) return value
  if (Array.isArray(value)) return value.map(toPortableValue)
  const { toPostgres } = value as { toPostgres?: unknown }
  return typeof toPostgres === 'function'
    ? toPortableValue(toPostgres.call(value, toPortableValue))
    : JSON.stringify(value)
}
