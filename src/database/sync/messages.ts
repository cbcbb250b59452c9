/**
 * What the two threads of synchronous sessions say to each other. Everything here survives the structured clone that
 * takes it from one to the other.
 */
import { ConfigError, UnavailableError } from '../../errors.ts'
import type { DatabaseOptions } from '../database-options.ts'

/** The options of a database that a worker can be given: entities hold functions, and stay where they are. */
export type PortableOptions = Omit<DatabaseOptions<boolean>, 'entities' | 'schema' | 'debug' | 'useAsync' | 'replicas'>

/** What the main thread asks for. A transaction has the connection to itself until it has ended. */
export type Command =
  | { readonly kind: 'open', readonly options: PortableOptions }
  | { readonly kind: 'query', readonly text: string, readonly values: readonly unknown[] }
  /** Statements without values. */
  | { readonly kind: 'script', readonly text: string }
  | { readonly kind: 'begin' | 'commit' | 'rollback' | 'close' }

export type Reply =
  | { readonly rows: Record<string, unknown>[] }
  | { readonly error: PlainError }

/** An error without its class: `code`, `severity`, `detail` and the like are among its properties. */
export interface PlainError {
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

/** The classes of this package that a worker throws, by code. */
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
 * A value for a statement as it reaches the other thread unchanged: an object becomes here what the driver would have
 * made of it there, since its class stays behind.
 */
export function toPortableValue (value: unknown): unknown {
  if (typeof value !== 'object' || value === null || value instanceof Date || ArrayBuffer.isView(value)) return value
  if (Array.isArray(value)) return value.map(toPortableValue)
  const { toPostgres } = value as { toPostgres?: unknown }
  return typeof toPostgres === 'function'
    ? toPortableValue(toPostgres.call(value, toPortableValue))
    : JSON.stringify(value)
}
