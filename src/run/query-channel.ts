/**
 * Tells others about the statements that have run: subscribers of a `node:diagnostics_channel`, and explanations.
 * Without subscribers, no messages are made and nothing is hashed. Outside of `recorded`, nothing is recorded.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import { channel } from 'node:diagnostics_channel'
import { digestOf, type BoundStatement, type QueryOrigin } from './pg/statement.ts'

/**
 * The message on the channel `fastify-crud-kit:query`. It is published for each statement that `CrudBase` has run, in
 * HTTP requests and outside of them. It contains no values, neither of the request nor of rows.
 *
 * @example
 * import { subscribe } from 'node:diagnostics_channel'
 *
 * subscribe('fastify-crud-kit:query', (message) => {
 *   const { operation, resource, duration } = message as QueryMessage
 *   durations.labels(operation, resource).observe(duration / 1000)
 * })
 */
export interface QueryMessage extends QueryOrigin {
  /** A digest of `text`. Statements that differ only in their values have the same shape, in every process. */
  readonly shape: string
  /**
   * The SQL, with `$1`, `$2`, ... for values. Fragments that the application has put into the whitelist appear
   * verbatim.
   */
  readonly text: string
  /** Milliseconds from asking for a connection to receiving the rows. */
  readonly duration: number
  /** Number of rows that the server sent; 0 for a failed statement. */
  readonly rows: number
  /** Why the statement failed, in the words that the client receives. */
  readonly error?: { readonly code: string, readonly message: string }
}

const queries = channel('fastify-crud-kit:query')

/** Publishes a statement that has run, if `CrudBase` ran it and the channel has subscribers. */
export function publishQuery (statement: BoundStatement, duration: number, rows: number, error?: Error): void {
  if (queries.hasSubscribers && statement.origin !== undefined) {
    queries.publish(messageOf(statement, statement.origin, duration, rows, error))
  }
}

function messageOf (
  statement: BoundStatement,
  { operation, resource }: QueryOrigin,
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

/** A statement that has run. */
export interface RecordedStatement extends BoundStatement {
  /** Milliseconds from asking for a connection to receiving the rows. */
  readonly duration: number
}

const recording = new AsyncLocalStorage<RecordedStatement[]>()

/** Runs work, and returns the statements that `run` has sent for it, in the order in which they ended. */
export async function recorded (work: () => Promise<unknown>): Promise<readonly RecordedStatement[]> {
  const statements: RecordedStatement[] = []
  await recording.run(statements, work)
  return statements
}

/** Records a statement that has run, if its context is recorded. */
export function record (statement: BoundStatement, duration: number): void {
  recording.getStore()?.push({ ...statement, duration })
}
