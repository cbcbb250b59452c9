/** Tells errors of the driver apart, by SQLSTATEs (PostgreSQL manual, appendix A), Node's codes and pg's messages. */
import { DriverException, OptimisticLockError, ValidationError } from '@mikro-orm/core'
import { AbortedError, DatabaseError, OutcomeUnknownError, UnavailableError } from '../../base/errors.ts'

/** The fields of a server error that are read here. */
export interface ServerError extends Error {
  readonly code?: unknown
  readonly severity?: unknown
  /** E.g. `Key (name)=(Tech) already exists.` */
  readonly detail?: string
  readonly column?: string
  readonly constraint?: string
  /** The type whose rule a value violates. */
  readonly dataType?: string
  /** The function in the server's source that reported the error. */
  readonly routine?: string
  /** The file with that function. */
  readonly file?: string
  /** The place of the error in the statement. */
  readonly position?: string
  /** The place of the error in a statement of a function. */
  readonly internalPosition?: string
  /** The server's context of the error, such as the function and its line. */
  readonly where?: string
}

/** Classes of SQLSTATEs of an unavailable database. */
const UNAVAILABLE: ReadonlySet<string> = new Set([
  '08', // connection exception
  '28', // the server refuses the login
  '3D', // the database does not exist (any more)
  '53', // insufficient resources: too many connections, out of memory, disk full
  '57', // operator intervention: statement timeout, shutdown, starting up
])
/**
 * A message does not fit its statement, such as a value with the bytes of another type. Poolers also report their own
 * errors with this code, and end the connection.
 */
const PROTOCOL_VIOLATION = '08P01'
/** Another transaction held a lock for longer than the server's `lock_timeout`. */
const LOCK_TIMEOUT = '55P03'
/** A write, or another statement that writers run (`for update`, `nextval`), in a read-only transaction. */
export const READ_ONLY = '25006'
/** The server has no free connection. Errors of this package about a full pool also have this code. */
export const TOO_MANY_CONNECTIONS = '53300'
/** A statement was cancelled, by its timeout or by its caller. */
export const CANCELLED = '57014'
/** Severities of errors that end the connection, whatever their code is (PostgreSQL manual, table 19.2). */
const ENDS_CONNECTION: ReadonlySet<unknown> = new Set(['FATAL', 'PANIC'])
/** Node's codes for a server that cannot be reached or that has disconnected. */
const UNREACHABLE: ReadonlySet<string> = new Set([
  'ECONNREFUSED', 'ECONNRESET', 'ENOTFOUND', 'EAI_AGAIN', 'ETIMEDOUT', 'EPIPE', 'EHOSTUNREACH', 'ENETUNREACH',
])
/** Messages of pg's errors that have no code. */
const CONNECTION_LOST =
  /connection terminated|timeout exceeded when trying to connect|is not queryable|cannot use a pool after calling end/i
/**
 * What some types say of a text that they cannot read: `tsquery`, `jsonpath` and `ltree` report an error of syntax
 * (42601), and `ltree` a name that is too long (42622).
 */
const UNREADABLE: ReadonlySet<string> = new Set(['42601', '42622'])
/** The server's files that read statements. `postgres.c` refuses two statements in one. */
const READS_STATEMENTS = /^(?:scan|gram|parse|analyze|postgres\.c)/
/**
 * Errors about a name that is unknown or already taken, and about operators, types or columns that no longer fit a
 * table.
 */
const STALE_NAME: ReadonlySet<string> = new Set(['26000', '42P05', '42883', '42804', '42P18', '42703', '42P01'])
/**
 * PostgreSQL's message about an outdated plan of a named statement. Its code covers everything that is not implemented.
 */
const CHANGED_PLAN = /cached plan/
/** pg's message when it does not send a statement, because it knows that the connection is closed. */
const NOT_QUERYABLE = /is not queryable/
/** The code of internal errors, under which Citus also reports lost nodes. */
const INTERNAL = 'XX000'
/** Codes under which Citus reports a node that it lost in a statement. `58030` is that of input and output. */
const NODE_LOST_CODES: ReadonlySet<string> = new Set([INTERNAL, '58030'])
/** Beginnings of messages about a node that was lost before it committed anything. */
const NODE_LOST_MESSAGES: Readonly<Record<'citus' | 'libpq' | 'node', readonly string[]>> = {
  citus: [
    'failure on connection marked as essential',
    'could not connect to any active placements',
    'could not find any healthy placement',
    'execution cannot recover from multiple connection failures',
    'cannot connect to [^ ]+ to fetch intermediate results',
    'failed to read result "[^"]*" from node',
    'failed to COPY to shard',
    'failed to complete COPY',
    'failed to prepare transaction',
    'postmaster was shut down',
  ],
  // Citus passes these on
  libpq: [
    'server closed the connection', 'no connection to the server', 'connection not open', 'invalid socket',
    'could not (?:receive data from|send data to) server', 'lost synchronization with server', 'SSL (?:SYSCALL )?error',
    'SSL connection has been closed',
  ],
  // and so are these, without their code, if a node sends them while it takes rows of a batch
  node: ['terminating connection', 'the database system is'],
}
const NODE_LOST = new RegExp(`^(?:${Object.values(NODE_LOST_MESSAGES).flat().join('|')})`)
/**
 * Citus' message when a node has not confirmed a commit: the connection was lost, or a deferred constraint failed. The
 * rows on that node may have been written or not.
 */
const COMMIT_NOT_CONFIRMED = /^could not commit transaction for shard/
/** Node's codes for an answer that is too long for a string or a buffer. */
const TOO_LONG: ReadonlySet<unknown> = new Set(['ERR_STRING_TOO_LONG', 'ERR_BUFFER_TOO_LARGE'])
const SQL_STATE = /^[0-9A-Z]{5}$/

/** The SQLSTATE of an error, or an empty text if it has none. */
export function sqlStateOf ({ code }: ServerError): string {
  return SQL_STATE.test(String(code ?? '')) ? String(code) : ''
}

/**
 * Whether a type could not read the text of a value, and reports that as an error of syntax. The same error about a
 * statement has a position in it, as has that about a value which MikroORM has written into its statement. An error in
 * a function of the database has the line of the function.
 */
export function isUnreadable (error: ServerError): boolean {
  if (!UNREADABLE.has(sqlStateOf(error))) return false
  const { position, internalPosition, where, file } = error
  if (internalPosition !== undefined || where?.includes('PL/pgSQL') === true) return false
  return file === undefined ? position === undefined : !READS_STATEMENTS.test(file)
}

/** Whether the server has answered with an error. Afterwards a transaction can only be rolled back. */
export function isServerError (error: unknown): boolean {
  return (error as { severity?: unknown } | null)?.severity !== undefined
}

/**
 * Whether an error comes from the driver or MikroORM. Errors that the application throws inside a transaction do not.
 */
export function isDriverError (error: unknown): boolean {
  if (!(error instanceof Error)) return false
  if (ownErrorIn(error) !== undefined) return true
  if ((error as { statusCode?: unknown }).statusCode !== undefined) return false
  return sqlStateOf(error) !== '' || isUnreachable(error) || isTooLong(error) || CONNECTION_LOST.test(error.message) ||
    error instanceof DriverException || error instanceof OptimisticLockError || isValidation(error)
}

/**
 * Whether MikroORM's own check has failed before it wrote, because a lifecycle hook left out a value. Classes derived
 * from ValidationError report mistakes in code.
 */
export const isValidation = (error: Error): boolean => error.constructor === ValidationError

/** Whether a socket could not reach its server, or has lost it. */
export const isUnreachable = (error: Error): boolean => UNREACHABLE.has(String((error as ServerError).code))

/** Whether an error ends the connection on which it was received. */
export function isConnectionLost (error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const { code, severity } = error as ServerError
  return ENDS_CONNECTION.has(severity) || UNREACHABLE.has(String(code)) || isTooLong(error) ||
    CONNECTION_LOST.test(error.message)
}

/** Whether an answer was too long to be read. */
export function isTooLong (error: unknown): boolean {
  return error instanceof Error && TOO_LONG.has((error as ServerError).code)
}

/** Whether the database is not available: it cannot be reached, refuses to work, lacks resources or takes too long. */
export function isUnavailable (error: Error): boolean {
  const sqlState = sqlStateOf(error)
  return isConnectionLost(error) || sqlState === LOCK_TIMEOUT || isNodeLost(error) ||
    (UNAVAILABLE.has(sqlState.slice(0, 2)) && sqlState !== PROTOCOL_VIOLATION)
}

/** Whether a distributed server has lost one of its nodes, and has committed nothing there. */
function isNodeLost (error: Error): boolean {
  return NODE_LOST_CODES.has(sqlStateOf(error)) && NODE_LOST.test(error.message)
}

/** Whether a distributed server does not know if one of its nodes has committed. */
export function isCommitUnknown (error: Error): boolean {
  return sqlStateOf(error) === INTERNAL && COMMIT_NOT_CONFIRMED.test(error.message)
}

/** Codes of errors by which a statement itself ends its connection. It would end the next connection as well. */
const NOT_STALE: ReadonlySet<unknown> = new Set(['ETIMEDOUT', 'ERR_UNREADABLE_ANSWER'])

/** Whether a connection may have been lost while it was idle, because the server closed it. */
export function isStale (error: unknown): boolean {
  return isConnectionLost(error) && !NOT_STALE.has((error as ServerError).code) && !isTooLong(error)
}

/** Whether a statement failed before any part of it was sent. */
export function wasNeverSent (error: unknown): boolean {
  return error instanceof Error && NOT_QUERYABLE.test(error.message)
}

/**
 * Whether a statement failed only because of its name: the server does not know the name, has it already, or has kept a
 * plan or value types for tables that have changed since. The server reports each of these before it runs the
 * statement.
 */
export function isStaleName (error: unknown): boolean {
  const { code, message } = error as ServerError
  return STALE_NAME.has(String(code)) || (code === '0A000' && CHANGED_PLAN.test(message))
}

/** SQLSTATEs of errors caused only by concurrent transactions. */
export const CONFLICTS: ReadonlySet<string> = new Set(['40001', '40P01'])

/** Whether a statement failed only because of concurrent transactions. */
export const isConflict = (error: Error): boolean => CONFLICTS.has(sqlStateOf(error))

/** The server is shutting down, has crashed, is starting up or has no free connection. A later attempt may succeed. */
const PASSING: ReadonlySet<string> = new Set(['57P01', '57P02', '57P03', TOO_MANY_CONNECTIONS])
/** The most nested causes that are looked at. */
const MAX_CAUSES = 5

/**
 * Whether another attempt at a whole transaction may succeed. The driver's error may be the cause of another one, of
 * the application or of this package. A timeout is not transient, since another attempt would take as long.
 */
export function transienceOf (error: unknown): 'conflict' | 'unavailable' | undefined {
  let cause = error
  for (let depth = 0; depth <= MAX_CAUSES && cause instanceof Error; depth++, cause = cause.cause) {
    if (cause instanceof OutcomeUnknownError || cause instanceof AbortedError) return undefined
    // a new connection may lead to a server that accepts writes
    if (cause instanceof UnavailableError && isReadOnlyServer(cause.cause)) return 'unavailable'
    const code = String((cause as ServerError).code ?? '')
    if (isConflict(cause)) return 'conflict'
    if (
      PASSING.has(code) || (code.startsWith('08') && isUnavailable(cause)) || UNREACHABLE.has(code) ||
      CONNECTION_LOST.test(cause.message) || isNodeLost(cause)
    ) {
      return 'unavailable'
    }
  }
  return undefined
}

/** Whether the server refuses all writes: a standby, or the former primary after a failover. */
export function isReadOnlyServer (error: unknown): boolean {
  return (error as ServerError | null)?.code === READ_ONLY
}

/**
 * Carries one of this package's errors through MikroORM's driver. MikroORM would append our `detail` to the message,
 * which says the same. This error has no `detail`. The original error is its cause.
 */
export class ThroughDriver extends Error {
  constructor (error: UnavailableError | DatabaseError) {
    super(error.message, { cause: error })
    const { code, statusCode } = error
    Object.assign(this, { code, statusCode, ...(error instanceof UnavailableError && { headers: error.headers }) })
  }
}

/** The error of this package that the driver has passed on. */
export function ownErrorIn (error: unknown): UnavailableError | DatabaseError | undefined {
  if (!(error instanceof ThroughDriver || error instanceof DriverException)) return undefined
  return error.cause instanceof UnavailableError || error.cause instanceof DatabaseError ? error.cause : undefined
}

/**
 * Which end of a foreign key is missing, as the detail of its violation says it, behind the values of the key. In
 * another language than English it is not known.
 *
 * @returns `referred`: others refer to a record that would be removed. `absent`: a record refers to one that does not
 *   exist.
 */
export function brokenReference ({ detail = '' }: ServerError): 'referred' | 'absent' | undefined {
  const end = /^[^]* is (still referenced from|not present in) table "/.exec(detail)?.[1]
  return end === undefined ? undefined : end === 'not present in' ? 'absent' : 'referred'
}
