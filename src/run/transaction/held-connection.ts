/**
 * The connection that a transaction holds: its first error, its deadline, and how to stop its statements.
 *
 * Kysely runs all statements of a transaction on one connection object, whether this stage, MikroORM's unit of work or
 * MikroORM's query builder sends them. So they are watched on that object.
 */
import { CompiledQuery, type DatabaseConnection } from 'kysely'
import type { PoolClient } from 'pg'
import { clientBehind, onConnection, replaceOnConnection, type Executor } from '../../borrowed/kysely.ts'
import { closeOnRelease, cut } from '../../borrowed/pg.ts'
import { UnavailableError } from '../../base/errors.ts'
import { isReadOnlyServer, isServerError, ThroughDriver } from '../errors/driver-errors.ts'
import { cancelUntilOver, type Cancelling } from '../pg/server-socket.ts'
import type { Deferred } from './deferred.ts'
import type { SavepointStack } from './level.ts'

/** Requests of nested transactions to the outermost one. */
export interface Demands {
  /** The most times that the whole transaction is repeated. */
  retries: number
  /** Whether to repeat it also when the database was unavailable. */
  unavailable: boolean
  /** The longest wait before the first repetition and before any repetition, in milliseconds. */
  baseDelay: number
  maxDelay: number
  /** Whether a repetition could do something twice: a commit was sent, and it was not certainly refused. */
  final: boolean
}

export interface HeldConnection extends SavepointStack {
  /** pg's client; `undefined` on PGlite. */
  readonly client: PoolClient | undefined
  /** The server's first error. Afterwards the server accepts only a rollback. */
  failure: unknown
  /** Whether a statement that reads data was sent. Afterwards the isolation level is fixed. */
  queried: boolean
  isolation: string | undefined
  /** Whether the transaction was begun as read-only, according to the statements seen here. */
  readOnly: boolean
  /** The deadline, in milliseconds of `performance.now()`. */
  deadline: number | undefined
  /** The `statement_timeout` before this package changes it, in milliseconds. 0 means no limit. */
  configured: number | undefined
  /** The `statement_timeout` that was set for the deadline; `undefined` if the current value is not known. */
  limit: number | undefined
  savepoints: number
  demands: Demands | undefined
  /** Whether this package has begun the transaction, and ends it. */
  own: boolean
  /** The work after the commit, if any was expected. */
  deferred: Deferred | undefined
}

const watched = new WeakMap<DatabaseConnection, HeldConnection>()

/** The connection behind a transaction. Its statements are watched from now on. */
export async function watchConnection (executor: Executor, pool: unknown): Promise<HeldConnection> {
  return await onConnection(executor, async (connection) => {
    let held = watched.get(connection)
    if (held === undefined) {
      watched.set(connection, held = trackStatements(connection, await clientBehind(connection, pool)))
    }
    return held
  })
}

/** The state of a connection that is watched already. */
export const watchedState = (connection: DatabaseConnection): HeldConnection | undefined => watched.get(connection)

/** Resets the state that an earlier transaction has left. */
export function resetHeld (held: HeldConnection): void {
  Object.assign(held, FRESH)
}

const FRESH = {
  failure: undefined,
  queried: false,
  isolation: undefined,
  readOnly: false,
  deadline: undefined,
  configured: undefined,
  limit: undefined,
  top: undefined,
  savepoints: 0,
  demands: undefined,
  own: false,
  deferred: undefined,
} as const

/** Statements that read no data and so may come before the isolation level is set. */
const NO_QUERY = /^(set|show|begin|start|savepoint|release|rollback|commit)\b/i
/** Statements that set the characteristics of a transaction. */
const CHARACTERISTICS = /^(begin|start transaction|set transaction)\b/i

/** Whether a statement makes its transaction read-only; `undefined` if it does not set characteristics. */
export function declaresReadOnly (text: string): boolean | undefined {
  return CHARACTERISTICS.test(text) ? / read only\b/i.test(text) : undefined
}

/** Statements that are sent even after the deadline. They have to succeed when all others fail. */
const CONTROL = /^(savepoint|release|rollback|commit)\b/i

function trackStatements (connection: DatabaseConnection, client: PoolClient | undefined): HeldConnection {
  const held: HeldConnection = { client, ...FRESH }
  const execute = connection.executeQuery.bind(connection)
  let running = false
  let cancelling: Cancelling | undefined

  const send = async (query: CompiledQuery, options?: Parameters<typeof execute>[1]) => {
    running = true
    try {
      // any: Kysely types the rows by its caller
      return await execute<any>(query, options)
    } catch (error) {
      if (isServerError(error)) held.failure ??= error
      throw error
    } finally {
      running = false
      await cancelling?.end()
      cancelling = undefined
    }
  }

  /** Sets the remaining time as `statement_timeout`, unless the current value is close enough. */
  const limitTo = async (deadline: number): Promise<void> => {
    const left = deadline - performance.now()
    if (left <= 0) throw new ThroughDriver(new UnavailableError('The time for the transaction is over.'))
    if (client === undefined) return
    if (held.limit !== undefined && held.limit <= left * NEAR + 1) return
    held.limit = Math.ceil(held.configured ? Math.min(left, held.configured) : left)
    await send(CompiledQuery.raw(`set local statement_timeout = ${held.limit}`))
  }

  const watched: DatabaseConnection['executeQuery'] = async (query, options) => {
    const control = CONTROL.test(query.sql)
    if (!control && held.deadline !== undefined) {
      await limitTo(held.deadline)
      options?.signal?.throwIfAborted()
    }
    held.readOnly = declaresReadOnly(query.sql) ?? held.readOnly
    if (!held.queried && !NO_QUERY.test(query.sql)) held.queried = true
    const result = await send(query, options).catch((error: unknown) => {
      // the caller knows of the abort already; Kysely would write the server's answer to the console
      if (options?.signal?.aborted === true) return { rows: [] }
      throw error
    })
    held.deferred?.follow(query.sql)
    if (control && /^rollback to/i.test(query.sql)) {
      held.failure = undefined
      // a rollback to a savepoint also restores the settings
      held.limit = undefined
    }
    return result
  }

  // Kysely's own cancelQuery takes another connection, which a full server or pooler does not have
  const cancelQuery = client && (async () => {
    if (running) cancelling ??= cancelUntilOver(client)
  })
  replaceOnConnection(connection, { executeQuery: watched, ...(cancelQuery !== undefined && { cancelQuery }) })

  return held
}

/** A limit that is too long by less than this factor is not corrected. */
const NEAR = 1.05

/** Closes a connection at once. Statements that wait for an answer fail, and the pool opens a new connection. */
export function abandon ({ client }: HeldConnection): void {
  if (client !== undefined) cut(client)
}

/**
 * The error for a write that the server refused because it is read-only. If neither the transaction nor a savepoint was
 * declared read-only, the whole server is. Then the connection is closed, since a new one may lead to the new primary.
 */
export function readOnlyFailure (held: HeldConnection, error: unknown): UnavailableError | undefined {
  if (held.readOnly || !isReadOnlyServer(error)) return undefined
  for (let level = held.top; level !== undefined; level = level.below) if (level.readOnly) return undefined
  discard(held)
  return new UnavailableError(undefined, { cause: error })
}

/** Makes the pool close a connection when it is released. */
export function discard ({ client }: HeldConnection): void {
  if (client !== undefined) closeOnRelease(client)
}

/**
 * Whether the transaction can only be rolled back. The server's status also covers statements that were not watched.
 */
export function hasFailed ({ client, failure }: HeldConnection): boolean {
  return failure !== undefined || client?.getTransactionStatus() === 'E'
}
