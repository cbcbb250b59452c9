/**
 * Converts the driver's errors to errors of this package. No other file does. The message holds what a client may
 * learn. The driver's error is the `cause`, for the log. Codes are SQLSTATEs (PostgreSQL manual, appendix A).
 */
import { DriverException, OptimisticLockError, ValidationError } from '@mikro-orm/core'
import {
  AbortedError,
  ConflictError,
  DatabaseError,
  DataValidationError,
  OutcomeUnknownError,
  OutOfScopeError,
  PreconditionFailedError,
  ReadOnlyViolationError,
  TooLargeError,
  UnavailableError,
  type ErrorItem,
} from '../../errors.ts'
import { columnsOf, type EntityModel, type Property } from '../../model/index.ts'
import { isTooLong } from '../pg/unreadable.ts'

/** SQLSTATEs of an unavailable database: classes, and whole codes if a class is not specific enough. */
const UNAVAILABLE: ReadonlySet<string> = new Set([
  '08', // connection exception
  '28', // the server refuses the login
  '3D', // the database does not exist (any more)
  '53', // insufficient resources: too many connections, out of memory, disk full
  '57', // operator intervention: statement timeout, shutdown, starting up
])
/** A write in a read-only transaction. */
const READ_ONLY = '25006'
/** Severities of errors that end the connection, whatever their code is (PostgreSQL manual, table 19.2). */
const ENDS_CONNECTION: ReadonlySet<unknown> = new Set(['FATAL', 'PANIC'])
/** Data exception: only the database could tell that the value does not fit. */
const INVALID_DATA = '22'
/** Node's codes for a server that cannot be reached or that has disconnected. */
const UNREACHABLE: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ETIMEDOUT',
  'EPIPE',
  'EHOSTUNREACH',
  'ENETUNREACH',
])
/** Messages of pg's errors that have no code. */
const CONNECTION_LOST =
  /connection terminated|timeout exceeded when trying to connect|is not queryable|cannot use a pool after calling end/i
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
 * Whether an error comes from the driver or MikroORM. Errors that the application throws inside a transaction do not.
 */
export function isDriverError (error: unknown): boolean {
  if (!(error instanceof Error)) return false
  if (ownErrorIn(error) !== undefined) return true
  if ((error as { statusCode?: unknown }).statusCode !== undefined) return false
  const code = String((error as { code?: unknown }).code ?? '')
  return SQL_STATE.test(code) || UNREACHABLE.has(code) || isTooLong(error) || CONNECTION_LOST.test(error.message) ||
    error instanceof DriverException || error instanceof OptimisticLockError || isValidation(error)
}

/**
 * Whether MikroORM's own check has failed before it wrote, because a lifecycle hook left out a value. Classes derived
 * from ValidationError report mistakes in code.
 */
const isValidation = (error: Error): boolean => error.constructor === ValidationError

/** Whether a socket could not reach its server, or has lost it. */
export const isUnreachable = (error: Error): boolean => UNREACHABLE.has(String((error as ServerError).code))

/** Whether an error ends the connection on which it was received. */
export function isConnectionLost (error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const { code, severity } = error as ServerError
  return ENDS_CONNECTION.has(severity) || UNREACHABLE.has(String(code)) || isTooLong(error) ||
    CONNECTION_LOST.test(error.message)
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

/** Errors caused only by concurrent transactions. */
const CONFLICTS: ReadonlySet<string> = new Set(['40001', '40P01'])
/** The server is shutting down, has crashed, is starting up or has no free connection. A later attempt may succeed. */
const PASSING: ReadonlySet<string> = new Set(['57P01', '57P02', '57P03', '53300'])
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
    if (CONFLICTS.has(code)) return 'conflict'
    if (PASSING.has(code) || code.startsWith('08') || UNREACHABLE.has(code) || CONNECTION_LOST.test(cause.message)) {
      return 'unavailable'
    }
  }
  return undefined
}

const SQL_STATE = /^[0-9A-Z]{5}$/

/** The fields of a server error that are read here. */
interface ServerError extends Error {
  readonly code?: unknown
  readonly severity?: unknown
  /** E.g. `Key (name)=(Tech) already exists.` */
  readonly detail?: string
  readonly column?: string
  /** The function in the server's source that reported the error. */
  readonly routine?: string
}

/** The server's function that checks written rows, among others against the policies of row level security. */
const CHECKS_ROWS = 'ExecWithCheckOptions'

/**
 * Whether a policy of row level security refused a row. Its SQLSTATE is also that of a missing privilege, which is a
 * mistake in the server's configuration. The message depends on the server's language. The function does not, but a
 * distributed server may leave it out.
 */
function isOutsidePolicy (sqlState: string, { routine, message }: ServerError): boolean {
  return sqlState === '42501' && (routine === CHECKS_ROWS || message.includes('violates row-level security policy'))
}

/** Whether the server refuses all writes: a standby, or the former primary after a failover. */
export function isReadOnlyServer (error: unknown): boolean {
  return (error as ServerError | null)?.code === READ_ONLY
}

/**
 * Returns the error to throw instead of the driver's.
 *
 * @param model of the written rows. The error names the properties of a violated constraint, except hidden ones.
 */
export function convertError (error: unknown, model?: EntityModel): Error {
  if (!(error instanceof Error)) return new DatabaseError(undefined, { cause: error })
  if (error instanceof UnavailableError || error instanceof DatabaseError) return error
  const own = ownErrorIn(error)
  if (own !== undefined) return own
  if (error.name === 'AbortError') return new AbortedError(undefined, { cause: error })
  if (error instanceof OptimisticLockError) return new PreconditionFailedError(undefined, { cause: error })
  if (isValidation(error)) return new DataValidationError(undefined, { cause: error })
  const code = String((error as ServerError).code ?? '')
  const sqlState = SQL_STATE.test(code) ? code : ''
  if (isTooLong(error) || exceedsLimit(error)) return tooLarge(error, model)
  const unavailable = ENDS_CONNECTION.has((error as ServerError).severity) || UNAVAILABLE.has(sqlState) ||
    UNAVAILABLE.has(sqlState.slice(0, 2)) || UNREACHABLE.has(code) || CONNECTION_LOST.test(error.message)
  if (unavailable) return new UnavailableError(undefined, { cause: error })
  if (CONFLICTS.has(sqlState)) {
    return new UnavailableError('Concurrent writes conflict with this request. Repeat the request.', { cause: error })
  }
  if (isOutsidePolicy(sqlState, error)) return new OutOfScopeError(undefined, { cause: error })
  if (sqlState === READ_ONLY) return new ReadOnlyViolationError(undefined, { cause: error })
  return constraintError(sqlState, error, model) ?? new DatabaseError(undefined, { cause: error })
}

/** Whether a limit of the server is exceeded: 54000 program_limit_exceeded, or an internal error in newer versions. */
function exceedsLimit (error: ServerError): boolean {
  return error.code === '54000' ||
    (error.code === 'XX000' && error.message.startsWith('invalid memory alloc request size'))
}

/**
 * Matches server functions that report limits of an index. Those are about a value, not about the size of an answer.
 */
const INDEX_ROUTINE = /index|_bt_|gin|gist|spg|brin/i

function tooLarge (error: ServerError, model: EntityModel | undefined): Error {
  if (INDEX_ROUTINE.test(error.routine ?? '')) {
    return new DataValidationError('A value is too long for an index.', { cause: error })
  }
  const detail = model === undefined
    ? 'The answer would be too large. Ask for fewer records, fields or includes.'
    : 'The record is too large for an answer. It is not known whether the changes have been made.'
  return new TooLargeError([{ code: 'FST_CRUD_TOO_LARGE', detail }], { cause: error })
}

/** Converts errors about values, the only ones that the request has caused. */
function constraintError (sqlState: string, error: ServerError, model: EntityModel | undefined): Error | undefined {
  const properties = model === undefined ? [] : propertiesOf(error, model)
  const names = properties.map(({ publicName }) => `'${publicName}'`).join(', ')
  const conflict = (sentence: string, about = properties) =>
    new ConflictError(sentence, { cause: error, errors: itemsOf('FST_CRUD_CONFLICT', sentence, about) })
  const invalid = (sentence: string) =>
    new DataValidationError(sentence, { cause: error, errors: itemsOf('FST_CRUD_DATA_INVALID', sentence, properties) })
  switch (sqlState) {
    case '23000':
      return new ConflictError(undefined, { cause: error })
    // a foreign key with ON DELETE RESTRICT, since PostgreSQL 18
    case '23001':
      return conflict('Other records refer to this one.', [])
    case '23505':
      return conflict(
        names === ''
          ? 'There is another record with these values.'
          : `There is another record with this value of ${names}.`
      )
    case '23503': {
      // the error names the key of the relation, or the key of the record that others still refer to
      const relations = properties.filter(({ kind }) => kind === 'relation')
      return relations.length === 0
        ? conflict(
          'A record that others refer to cannot be removed, and one that does not exist cannot be referred to.',
          []
        )
        : conflict(
          `${relations.map(({ publicName }) => `'${publicName}'`).join(', ')} refers to a record that does not exist.`,
          relations
        )
    }
    case '23P01':
      return conflict('The values overlap with those of another record.')
    case '23502':
      return invalid(names === '' ? 'A value is missing.' : `${names} cannot be null.`)
    case '23514':
    case '44000':
      return invalid('The values do not satisfy a rule of the data.')
  }
  if (sqlState === '22001') return invalid('A value is too long.')
  if (sqlState === '22003' || sqlState === '22008') return invalid('A value is out of range.')
  return sqlState.startsWith(INVALID_DATA) ? invalid('A value is not valid for its type.') : undefined
}

/** The exposed properties of the columns that an error names. */
function propertiesOf ({ detail = '', column }: ServerError, model: EntityModel): readonly Property[] {
  const columns = column === undefined ? /\(([^()]+)\)=\(/.exec(detail)?.[1]?.split(', ') ?? [] : [column]
  const unquoted = new Set(columns.map((column) => column.replace(/^"|"$/g, '')))
  return [...model.properties.values()].filter((property) =>
    !property.hidden && property.kind !== 'embedded' && columnsOf(property).some((column) => unquoted.has(column))
  )
}

function itemsOf (code: string, detail: string, properties: readonly Property[]): readonly ErrorItem[] {
  if (properties.length === 0) return [{ code, detail }]
  return properties.map(({ publicName }) => ({ source: { pointer: `/${publicName}` }, code, detail }))
}
