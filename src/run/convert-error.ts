/**
 * The driver's errors to ours, in this file alone. What a client may learn is in the message; the driver's error is
 * the `cause`, for the log. Codes are SQLSTATEs (PostgreSQL manual, appendix A).
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
} from '../errors.ts'
import type { EntityModel, Property } from '../model/index.ts'
import { isTooLong } from './unreadable.ts'

/** Classes of SQLSTATEs, and whole codes where a class is not specific enough. */
const UNAVAILABLE: ReadonlySet<string> = new Set([
  '08', // connection exception
  '28', // the server does not let us in
  '3D', // there is no such database (any more)
  '53', // insufficient resources: too many connections, out of memory, disk full
  '57', // operator intervention: statement timeout, shutdown, starting up
])
/** A write in a read-only transaction. */
const READ_ONLY = '25006'
/** Severities of errors that end the connection, whatever their code (PostgreSQL manual, table 19.2). */
const ENDS_CONNECTION: ReadonlySet<unknown> = new Set(['FATAL', 'PANIC'])
/** Data exception: a value that only the database could tell not to fit. */
const INVALID_DATA = '22'
/** Node's codes for a server that can't be reached or has gone away. */
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
/** What pg says without a code. */
const CONNECTION_LOST =
  /connection terminated|timeout exceeded when trying to connect|is not queryable|cannot use a pool after calling end/i
/** A name that is not known, or known already; operators, types and names that don't fit a table as it is now. */
const STALE_NAME: ReadonlySet<string> = new Set(['26000', '42P05', '42883', '42804', '42P18', '42703', '42P01'])
/** What PostgreSQL says of a plan by name, under the code of all that is not implemented. */
const CHANGED_PLAN = /cached plan/
/** What pg says instead of sending a statement on a connection that it knows to be dead. */
const NOT_QUERYABLE = /is not queryable/

/**
 * One of our errors, thrown where MikroORM expects those of its driver: it would add our `detail` to the message, which
 * says the same. What it makes of this one has no more to say, and the error as its cause.
 */
export class ThroughDriver extends Error {
  constructor (error: UnavailableError | DatabaseError) {
    super(error.message, { cause: error })
    const { code, statusCode } = error
    Object.assign(this, { code, statusCode, ...(error instanceof UnavailableError && { headers: error.headers }) })
  }
}

/** Our error in what has come through the driver. */
export function ownErrorIn (error: unknown): UnavailableError | DatabaseError | undefined {
  if (!(error instanceof ThroughDriver || error instanceof DriverException)) return undefined
  return error.cause instanceof UnavailableError || error.cause instanceof DatabaseError ? error.cause : undefined
}

/** Whether an error is a driver's or MikroORM's own, not one that the application has thrown inside a transaction. */
export function isDriverError (error: unknown): boolean {
  if (!(error instanceof Error)) return false
  if (ownErrorIn(error) !== undefined) return true
  if ((error as { statusCode?: unknown }).statusCode !== undefined) return false
  const code = String((error as { code?: unknown }).code ?? '')
  return SQL_STATE.test(code) || UNREACHABLE.has(code) || isTooLong(error) || CONNECTION_LOST.test(error.message) ||
    error instanceof DriverException || error instanceof OptimisticLockError || isValidation(error)
}

/** MikroORM's own check before it writes: a lifecycle hook has left something out. Classes derived from it are about mistakes in code. */
const isValidation = (error: Error): boolean => error.constructor === ValidationError

/** Whether an error is a socket's that has not reached its server, or lost it. */
export const isUnreachable = (error: Error): boolean => UNREACHABLE.has(String((error as ServerError).code))

/** Whether an error is the end of the connection on which it came. */
export function isConnectionLost (error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const { code, severity } = error as ServerError
  return ENDS_CONNECTION.has(severity) || UNREACHABLE.has(String(code)) || isTooLong(error) ||
    CONNECTION_LOST.test(error.message)
}

/** Codes of connections that were lost over the statement itself: it would happen again. */
const NOT_STALE: ReadonlySet<unknown> = new Set(['ETIMEDOUT', 'ERR_UNREADABLE_ANSWER'])

/** Whether a connection was lost in a way in which one that has been idle is found to be dead: its server has closed it. */
export function isStale (error: unknown): boolean {
  return isConnectionLost(error) && !NOT_STALE.has((error as ServerError).code) && !isTooLong(error)
}

/** Whether a statement failed before anything of it was sent. */
export function wasNeverSent (error: unknown): boolean {
  return error instanceof Error && NOT_QUERYABLE.test(error.message)
}

/**
 * Whether a server may not have begun a statement only because it was asked for it by a name: it does not know the name,
 * knows it already, or has kept a plan, or types of the values, for tables that have changed since. All of it is said
 * before anything is done.
 */
export function isStaleName (error: unknown): boolean {
  const { code, message } = error as ServerError
  return STALE_NAME.has(String(code)) || (code === '0A000' && CHANGED_PLAN.test(message))
}

/** Refused only because of what others did at the same time. */
const CONFLICTS: ReadonlySet<string> = new Set(['40001', '40P01'])
/** Shutting down, crashed, starting up, out of connections: another attempt may find the server well. */
const PASSING: ReadonlySet<string> = new Set(['57P01', '57P02', '57P03', '53300'])
/** Causes of causes, at most, that are looked at. */
const MAX_CAUSES = 5

/**
 * Whether another attempt at a whole transaction may succeed where this one has failed: the application may have wrapped
 * the driver's error, and so may we. A timeout is no reason: what takes too long would do so again.
 */
export function transienceOf (error: unknown): 'conflict' | 'unavailable' | undefined {
  let cause = error
  for (let depth = 0; depth <= MAX_CAUSES && cause instanceof Error; depth++, cause = cause.cause) {
    if (cause instanceof OutcomeUnknownError || cause instanceof AbortedError) return undefined
    // a new connection may lead to a server that writes
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

/** What `convertError` reads of an error of the server. */
interface ServerError extends Error {
  readonly code?: unknown
  readonly severity?: unknown
  /** E.g. `Key (name)=(Tech) already exists.` */
  readonly detail?: string
  readonly column?: string
  /** The function of the server's source that has reported the error. */
  readonly routine?: string
}

/** What checks rows that are written, also against the policies of row level security. */
const CHECKS_ROWS = 'ExecWithCheckOptions'

/**
 * Whether a policy of row level security refused a row. Its SQLSTATE is that of a missing privilege, which is a mistake of
 * the server. The text is the server's language; the function is not, but a distributed server may leave it out.
 */
function isOutsidePolicy (sqlState: string, { routine, message }: ServerError): boolean {
  return sqlState === '42501' && (routine === CHECKS_ROWS || message.includes('violates row-level security policy'))
}

/** Whether a server refuses to write at all: the one that a failover has left behind, or a standby. */
export function isReadOnlyServer (error: unknown): boolean {
  return (error as ServerError | null)?.code === READ_ONLY
}

/**
 * The error to throw instead of one that a driver has thrown.
 *
 * @param model whose rows were written: the properties that a constraint is about are named, unless they are hidden
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
    return new UnavailableError('Other writes are in the way. Repeat the request.', { cause: error })
  }
  if (isOutsidePolicy(sqlState, error)) return new OutOfScopeError(undefined, { cause: error })
  if (sqlState === READ_ONLY) return new ReadOnlyViolationError(undefined, { cause: error })
  return constraintError(sqlState, error, model) ?? new DatabaseError(undefined, { cause: error })
}

/** More than the server can hold or send: 54000 program_limit_exceeded, in newer versions also an internal error. */
function exceedsLimit (error: ServerError): boolean {
  return error.code === '54000' ||
    (error.code === 'XX000' && error.message.startsWith('invalid memory alloc request size'))
}

/** Limits of indexes are about values, and not about answers: the server's function that has noticed is named after them. */
const INDEX_ROUTINE = /index|_bt_|gin|gist|spg|brin/i

function tooLarge (error: ServerError, model: EntityModel | undefined): Error {
  if (INDEX_ROUTINE.test(error.routine ?? '')) {
    return new DataValidationError('A value is too long for an index.', { cause: error })
  }
  const detail = model === undefined
    ? 'The answer would be larger than any can be. Ask for fewer records, fields or includes.'
    : 'The record is larger than any answer can be. Whether the changes have been made is not known.'
  return new TooLargeError([{ code: 'FST_CRUD_TOO_LARGE', detail }], { cause: error })
}

/** Errors about values, the only ones whose cause is in the request. */
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
    // of a foreign key that restricts, since PostgreSQL 18
    case '23001':
      return conflict('Other records refer to this one.', [])
    case '23505':
      return conflict(
        names === ''
          ? 'There is another record with these values.'
          : `There is another record with this value of ${names}.`
      )
    case '23503': {
      // the key named is that of the relation, or of the record that others still refer to
      const relations = properties.filter(({ kind }) => kind === 'relation')
      return relations.length === 0
        ? conflict(
          'A record that others refer to can not be removed, and one that does not exist can not be referred to.',
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
      return invalid(names === '' ? 'A value is missing.' : `${names} can not be null.`)
    case '23514':
    case '44000':
      return invalid('The values do not satisfy a rule of the data.')
  }
  if (sqlState === '22001') return invalid('A value is too long.')
  if (sqlState === '22003' || sqlState === '22008') return invalid('A value is out of range.')
  return sqlState.startsWith(INVALID_DATA) ? invalid('A value is not valid for its type.') : undefined
}

/** The exposed properties behind the columns that an error names. */
function propertiesOf ({ detail = '', column }: ServerError, model: EntityModel): readonly Property[] {
  const columns = column === undefined ? /\(([^()]+)\)=\(/.exec(detail)?.[1]?.split(', ') ?? [] : [column]
  const unquoted = new Set(columns.map((column) => column.replace(/^"|"$/g, '')))
  return [...model.properties.values()].filter((property) =>
    !property.hidden && columnsOf(property).some((column) => unquoted.has(column))
  )
}

function columnsOf (property: Property): readonly string[] {
  if (property.kind === 'scalar') return [property.column]
  return property.kind === 'relation' && property.join.kind === 'owner' ? property.join.columns : []
}

function itemsOf (code: string, detail: string, properties: readonly Property[]): readonly ErrorItem[] {
  if (properties.length === 0) return [{ code, detail }]
  return properties.map(({ publicName }) => ({ source: { pointer: `/${publicName}` }, code, detail }))
}
