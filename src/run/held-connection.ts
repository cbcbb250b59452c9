/**
 * The connection that a transaction holds: what has failed on it, until when it may work, and how to stop it.
 *
 * Kysely runs a transaction's statements on a connection object of its own, whichever way they come: from this stage,
 * from MikroORM's unit of work or from its query builder. So this is where they are watched.
 */
import { CompiledQuery, type DatabaseConnection } from 'kysely'
import type { PoolClient } from 'pg'
import { clientBehind, onConnection, replaceOnConnection, type Executor } from '../borrowed/kysely.ts'
import { closeOnRelease, cut } from '../borrowed/pg.ts'
import { UnavailableError } from '../errors.ts'
import { isReadOnlyServer, ThroughDriver } from './convert-error.ts'
import { cancelUntilOver, type Cancelling } from './server-socket.ts'
import type { Level } from './level.ts'

/** What the outermost transaction is asked for by those inside of it. */
export interface Demands {
  /** Times that the whole is repeated, at most. */
  retries: number
  /** Repeat it also when the database was not available. */
  unavailable: boolean
  /** Longest waits before the first repetition, and of all, in milliseconds. */
  baseDelay: number
  maxDelay: number
  /** Whether repeating could do something twice: a commit has been sent whose answer is not known to be a refusal. */
  final: boolean
}

export interface HeldConnection {
  /** pg's client, where it is pg's. */
  readonly client: PoolClient | undefined
  /** The server's error after which it takes nothing but a rollback. */
  failure: unknown
  /** Whether a statement has been sent that sees data: afterwards the isolation level is fixed. */
  queried: boolean
  isolation: string | undefined
  /** Whether the transaction has been begun as one that does not write, as far as that was seen. */
  readOnly: boolean
  /** When all has to be over, in milliseconds of `performance.now()`. */
  deadline: number | undefined
  /** The `statement_timeout` that holds without us, in milliseconds: 0 is none. */
  configured: number | undefined
  /** The one that the server has been told instead; `undefined` when that is not known. */
  limit: number | undefined
  /** Innermost of the open savepoints. */
  top: Level | undefined
  savepoints: number
  demands: Demands | undefined
}

const watched = new WeakMap<DatabaseConnection, HeldConnection>()

/** The connection behind a transaction, watched from now on. */
export async function heldBy (executor: Executor, pool: unknown): Promise<HeldConnection> {
  return await onConnection(executor, async (connection) => {
    let held = watched.get(connection)
    if (held === undefined) watched.set(connection, held = watch(connection, await clientBehind(connection, pool)))
    return held
  })
}

/** Forgets what the connection was used for before. */
export function letGo (held: HeldConnection): void {
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
} as const

/** Statements that see no data, which may come before the isolation level is set. */
const NO_QUERY = /^(set|show|begin|start|savepoint|release|rollback|commit)\b/i
/** Statements that say what the transaction may do. */
const CHARACTERISTICS = /^(begin|start transaction|set transaction)\b/i

/** Whether a statement makes its transaction one that only reads; `undefined` where it says nothing of it. */
export function declaresReadOnly (text: string): boolean | undefined {
  return CHARACTERISTICS.test(text) ? / read only\b/i.test(text) : undefined
}

/** Statements that a deadline never holds back, and that have to pass when all others fail. */
const CONTROL = /^(savepoint|release|rollback|commit)\b/i

function watch (connection: DatabaseConnection, client: PoolClient | undefined): HeldConnection {
  const held: HeldConnection = { client, ...FRESH }
  const execute = connection.executeQuery.bind(connection)
  let running = false
  let cancelling: Cancelling | undefined

  const send = async (query: CompiledQuery, options?: Parameters<typeof execute>[1]) => {
    running = true
    try {
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

  /** Tells the server how much of the time is left, unless what it knows is near enough. */
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
      // who asked has been told of the abort: Kysely would write the server's answer to the console
      if (options?.signal?.aborted === true) return { rows: [] }
      throw error
    })
    if (control && /^rollback to/i.test(query.sql)) {
      held.failure = undefined
      // settings go back to what they were at the savepoint
      held.limit = undefined
    }
    return result
  }

  // Kysely's own way needs another connection, which a server or a pooler that is full does not give
  const cancelQuery = client && (async () => {
    if (running) cancelling ??= cancelUntilOver(client)
  })
  replaceOnConnection(connection, { executeQuery: watched, ...(cancelQuery !== undefined && { cancelQuery }) })

  return held
}

/** A limit that is this much too long is not worth a statement to correct it. */
const NEAR = 1.05

/** Whether the server has answered with an error, which makes the transaction one that can only be rolled back. */
export function isServerError (error: unknown): boolean {
  return (error as { severity?: unknown } | null)?.severity !== undefined
}

/** Gives a connection up: whatever waits for it fails, and its pool makes a new one. */
export function abandon ({ client }: HeldConnection): void {
  if (client !== undefined) cut(client)
}

/**
 * The error for a write that the server has refused as one in a read-only transaction. Where nobody has declared it to be
 * one it is the server that only reads, so its connection is given up: a new one may lead to the server that took over.
 */
export function readOnlyFailure (held: HeldConnection, error: unknown): UnavailableError | undefined {
  if (held.readOnly || !isReadOnlyServer(error)) return undefined
  for (let level = held.top; level !== undefined; level = level.below) if (level.readOnly) return undefined
  discard(held)
  return new UnavailableError(undefined, { cause: error })
}

/** Makes the pool close a connection as soon as it is given back. */
export function discard ({ client }: HeldConnection): void {
  if (client !== undefined) closeOnRelease(client)
}

/** Whether the server itself says that the transaction can only be rolled back, for statements that were not watched. */
export function hasFailed ({ client, failure }: HeldConnection): boolean {
  return failure !== undefined || client?.getTransactionStatus() === 'E'
}
