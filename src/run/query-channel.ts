/**
 * Tells subscribers of a `node:diagnostics_channel` which statements `CrudBase` runs. Without any, nothing is made or
 * hashed for them.
 */
import { channel } from 'node:diagnostics_channel'
import { digestOf, type BoundStatement } from './statement.ts'

const OPERATIONS = [
  'list',
  'get',
  'count',
  'exists',
  'stream',
  'create',
  'createMany',
  'update',
  'delete',
  'restore',
] as const
/** The method of `CrudBase` that a statement is run for: those that answer in JSON text have the names of those that don't. */
export type QueryOperation = typeof OPERATIONS[number]

/** What a statement is run for. */
export interface QueryCall {
  readonly operation: QueryOperation
  /** Name of the resource: its table's, unless it has one of its own. */
  readonly resource: string
}

/**
 * The message that the channel `fastify-crud-kit:query` has for each statement that `CrudBase` has run, in HTTP requests
 * and outside of them. It holds no values, neither of the request nor of rows.
 *
 * @example
 * import { subscribe } from 'node:diagnostics_channel'
 *
 * subscribe('fastify-crud-kit:query', (message) => {
 *   const { operation, resource, duration } = message as QueryMessage
 *   durations.labels(operation, resource).observe(duration / 1000)
 * })
 */
export interface QueryMessage extends QueryCall {
  /** The same for all statements that differ in their values only, in every process: a digest of `text`. */
  readonly shape: string
  /** The SQL, with `$1`, `$2`, ... for values. What the application has put into the whitelist, such as a fragment of its own, stands in it as it is. */
  readonly text: string
  /** From when it wanted a connection until it had its rows, in milliseconds. */
  readonly duration: number
  /** Number of rows that the server sent; 0 for one that failed. */
  readonly rows: number
  /** Why it failed, as a client is told. */
  readonly error?: { readonly code: string, readonly message: string }
}

/** The calls of a resource, made once. */
export function callsOf (resource: string): Readonly<Record<QueryOperation, QueryCall>> {
  return Object.fromEntries(OPERATIONS.map((operation) => [operation, { operation, resource }])) as Record<
    QueryOperation,
    QueryCall
  >
}

const queries = channel('fastify-crud-kit:query')

/** Tells of a statement that has run, if it is one of `CrudBase` and somebody listens. */
export function publishQuery (statement: BoundStatement, duration: number, rows: number, error?: Error): void {
  if (queries.hasSubscribers && statement.call !== undefined) {
    queries.publish(messageOf(statement, statement.call, duration, rows, error))
  }
}

function messageOf (
  statement: BoundStatement,
  { operation, resource }: QueryCall,
  duration: number,
  rows: number,
  error: Error | undefined
): QueryMessage {
  const { text, prepared } = statement.fetches ?? statement
  const failure = error && { code: String((error as { code?: unknown }).code), message: error.message }
  return {
    operation,
    resource,
    shape: prepared?.digest ?? digestOf(text),
    text,
    duration,
    rows,
    ...(failure !== undefined && { error: failure }),
  }
}
