/**
 * Converts most of the driver's errors to errors of this package. The refusals of a read-only server are converted
 * where their transaction is known (`readOnlyFailure`), and a failed first connection in src/database/connect.ts. The
 * message holds what a client may learn. The driver's error is the `cause`, for the log. Codes are SQLSTATEs
 * (PostgreSQL manual, appendix A).
 */
import { OptimisticLockError } from '@mikro-orm/core'
import { placed } from '../../base/error-list.ts'
import {
  AbortedError, ConflictError, DatabaseError, DataValidationError, outOfScope, OutcomeUnknownError,
  PreconditionFailedError, ReadOnlyViolationError, TooLargeError, UnavailableError, type ErrorItem,
} from '../../base/errors.ts'
import type { EntityModel } from '../../model/index.ts'
import { IN_THE_WAY, OUTSIDE, SEVERAL, type RowRefusal } from '../../sql/index.ts'
import {
  brokenReference, isCommitUnknown, isConflict, isReadOnlyServer, isTooLong, isUnavailable, isUnreadable, isValidation,
  ownErrorIn, sqlStateOf, type ServerError,
} from './driver-errors.ts'
import { namedBy, quotedNames, settable, type NamedProperty } from './named-properties.ts'

/** Data exceptions: a value does not fit, or an expression has no result. */
const INVALID_DATA = '22'
/**
 * Data exceptions about a value by itself, in any statement. The others are about expressions, such as a division by
 * zero. If a statement fails that writes no record, such an expression belongs to the application.
 */
const INVALID_VALUE: ReadonlySet<string> = new Set([
  '22000', // data exception, such as a range whose low end is greater
  '22001', // string data right truncation
  '22007', // invalid datetime format
  '22009', // invalid time zone displacement value
  '22018', // invalid character value for cast
  '2200M', // invalid XML document
  '2200N', // invalid XML content
  '2201B', // invalid regular expression
  '2201W', // invalid row count in limit clause
  '2201X', // invalid row count in offset clause
  '22021', // character not in repertoire
  '22023', // invalid parameter value
  '22025', // invalid escape sequence
  '22031', // invalid argument for SQL/JSON datetime function
  '22032', // invalid JSON text
  '22P02', // invalid text representation
  '22P03', // invalid binary representation
  '22P05', // untranslatable character
])

const OUT_OF_RANGE: ReadonlySet<string> = new Set([
  '22003', // numeric value out of range
  '22008', // datetime field overflow
  '22015', // interval field overflow
])

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

/** Whether a statement has failed because it refused its own rows, and quotes a reason. */
function refusesRows (sqlState: string, { message }: ServerError, reason: RowRefusal): boolean {
  return sqlState === '22P02' && message.includes(reason)
}

/** Whether the statement of an upsert has failed because rows that it may not change are in the way of its own. */
export function isInTheWay (error: unknown): boolean {
  const cause: unknown = error instanceof ConflictError ? error.cause : undefined
  return cause instanceof Error && refusesRows(sqlStateOf(cause), cause, IN_THE_WAY)
}

/** The message about a key that is not unique. */
export const SEVERAL_RECORDS = 'Several records have this key.'

/** The server's function that opens the tables and views that a statement reads. */
const OPENS_RELATIONS = 'ExecOpenScanRelation'

/** Whether a materialized view has never been refreshed: 55000 object_not_in_prerequisite_state. */
function isUnpopulated (sqlState: string, { routine }: ServerError): boolean {
  return sqlState === '55000' && routine === OPENS_RELATIONS
}

/** Facts about an error that the driver's error does not have. */
interface ErrorPlace {
  /** The columns that the error is about. */
  readonly columns?: readonly string[]
  /** The JSON pointer to the record in the body, or `undefined` if it is not known which record of a batch it is. */
  readonly record: string | undefined
}

const WHOLE_BODY: ErrorPlace = { record: '' }

/**
 * Returns the error to throw instead of the driver's.
 *
 * @param model of the written rows. The error names the properties of a violated constraint, except hidden ones.
 */
export function convertError (error: unknown, model?: EntityModel, place: ErrorPlace = WHOLE_BODY): Error {
  if (!(error instanceof Error)) return new DatabaseError(undefined, { cause: error })
  if (error instanceof UnavailableError || error instanceof DatabaseError) return error
  const own = ownErrorIn(error)
  if (own !== undefined) return own
  if (error.name === 'AbortError') return new AbortedError(undefined, { cause: error })
  if (error instanceof OptimisticLockError) return new PreconditionFailedError(undefined, { cause: error })
  if (isValidation(error)) return new DataValidationError(undefined, { cause: error })
  if (isTooLong(error) || exceedsLimit(error)) return tooLarge(error, model)
  if (isCommitUnknown(error)) return new OutcomeUnknownError(undefined, { cause: error })
  if (isUnavailable(error)) return new UnavailableError(undefined, { cause: error })
  if (isConflict(error)) {
    return new UnavailableError('Concurrent writes conflict with this request. Repeat the request.', { cause: error })
  }
  const sqlState = sqlStateOf(error)
  if (isOutsidePolicy(sqlState, error) || refusesRows(sqlState, error, OUTSIDE)) {
    return outOfScope(place.record, error)
  }
  if (refusesRows(sqlState, error, SEVERAL)) return new ConflictError(SEVERAL_RECORDS, { cause: error })
  if (refusesRows(sqlState, error, IN_THE_WAY)) return new ConflictError(undefined, { cause: error })
  if (isUnpopulated(sqlState, error)) {
    return new UnavailableError('The records have not been prepared yet. Repeat the request later.', { cause: error })
  }
  if (isReadOnlyServer(error)) return new ReadOnlyViolationError(undefined, { cause: error })
  return constraintError(sqlState, error, model, place) ?? new DatabaseError(undefined, { cause: error })
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
/** Matches server functions that report too many words: of a stored column, of an index, or of a search. */
const WORDS_ROUTINE = /tsvector/

function tooLarge (error: ServerError, model: EntityModel | undefined): Error {
  const { routine = '' } = error
  if (INDEX_ROUTINE.test(routine)) {
    return new DataValidationError('A value is too long for an index.', { cause: error })
  }
  if (WORDS_ROUTINE.test(routine)) {
    return new DataValidationError('A text is too long for a search by its words.', { cause: error })
  }
  const detail = model === undefined
    ? 'The answer would be too large. Ask for fewer records, fields or includes.'
    : 'The record is too large for an answer. It is not known whether the changes have been made.'
  return new TooLargeError([{ code: 'FST_CRUD_TOO_LARGE', detail }], { cause: error })
}

/** Why a record cannot be removed, without the full stop. */
const REFERRED = 'A record that others refer to cannot be removed'

/** Converts errors about values, the only ones that the request has caused. */
function constraintError (
  sqlState: string,
  error: ServerError,
  model: EntityModel | undefined,
  { columns, record }: ErrorPlace
): Error | undefined {
  const named = model === undefined ? [] : namedBy(error, model, columns)
  const names = quotedNames(named)
  const itemsOf = (code: string, detail: string, about: readonly NamedProperty[]): readonly ErrorItem[] => {
    if (record === undefined || (record === '' && about.length === 0)) return [{ code, detail }]
    const pointers = about.length === 0 ? [record] : about.map(({ pointer }) => `${record}${pointer}`)
    return pointers.map((pointer) => ({ source: { pointer }, code, detail }))
  }
  const conflict = (sentence: string, about = named) =>
    new ConflictError(placed(record, sentence), { cause: error, errors: itemsOf('FST_CRUD_CONFLICT', sentence, about) })
  const invalid = (sentence: string) =>
    new DataValidationError(placed(record, sentence), {
      cause: error,
      errors: itemsOf('FST_CRUD_DATA_INVALID', sentence, named),
    })
  const theValue = named.length === 0 ? 'A value' : `The value of ${names}`
  switch (sqlState) {
    case '23000':
      return new ConflictError(undefined, { cause: error })
    // a foreign key with ON DELETE RESTRICT, since PostgreSQL 18
    case '23001':
      return conflict(`${REFERRED}.`, [])
    case '23505':
      return conflict(
        names === ''
          ? 'There is another record with these values.'
          : `There is another record with ${named.length === 1 ? 'this value' : 'these values'} of ${names}.`,
        settable(named)
      )
    case '23503': {
      const cause = brokenReference(error)
      if (cause === 'referred') return conflict(`${REFERRED}.`, [])
      // the error names the key of the relation, or that of the record that others refer to
      const relations = named.filter(({ isRelation }) => isRelation)
      if (relations.length > 0) {
        return conflict(`${quotedNames(relations)} refers to a record that does not exist.`, relations)
      }
      return conflict(
        cause === 'absent'
          ? 'A record that does not exist cannot be referred to.'
          : `${REFERRED}, and one that does not exist cannot be referred to.`,
        []
      )
    }
    case '23P01':
      return conflict('The values overlap with those of another record.')
    case '23502':
      return invalid(names === '' ? 'A value is missing.' : `${names} cannot be null.`)
    case '23514':
    case '44000':
      return invalid(
        named.length === 0
          ? 'The values do not satisfy a rule of the data.'
          : named.length === 1
            ? `The value of ${names} does not satisfy a rule of the data.`
            : `The values of ${names} do not satisfy a rule of the data.`
      )
  }
  if (sqlState === '22001') return invalid(`${theValue} is too long.`)
  if (OUT_OF_RANGE.has(sqlState)) return invalid(`${theValue} is out of range.`)
  const isInvalid = INVALID_VALUE.has(sqlState) || isUnreadable(error) ||
    (model !== undefined && sqlState.startsWith(INVALID_DATA))
  return isInvalid ? invalid(`${theValue} is not valid for its type.`) : undefined
}
