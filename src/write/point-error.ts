/**
 * Points errors of the database to the record of a batch and to the properties that they are about, as far as the error
 * itself does not say it. The server is asked only after a write has failed.
 */
import {
  ConflictError, DataValidationError, OutOfScopeError, RequestValidationError, type ErrorItem,
} from '../base/errors.ts'
import { placed } from '../base/error-list.ts'
import type { Steps } from '../base/steps.ts'
import type { RecordData } from '../plan/index.ts'
import { isInTransaction, knowRules, sharedEmOf } from '../resource/index.ts'
import { columnsOfRule, convertError, isServerError, sqlStateOf, type ServerError } from '../run/index.ts'
import { columnsOfValue, isAboutValue } from './column-of-value.ts'
import { errorModelOf, writeInTransaction } from './run-write.ts'
import type { InnerWrite, Write } from './write.ts'

type RowError = (ConflictError | DataValidationError | OutOfScopeError) & { readonly cause?: unknown }

/** Whether an error is about the values of a row. */
export const isRowError = (error: unknown): error is RowError =>
  error instanceof ConflictError || error instanceof DataValidationError || error instanceof OutOfScopeError

/** The database's error about the values of a row, of which a write's error has been made. */
function rowErrorIn (error: unknown): ServerError | undefined {
  if (!isRowError(error)) return undefined
  return isServerError(error.cause) ? error.cause as ServerError : rowErrorIn(error.cause)
}

/** Whether a write's error tells of another table than that of its records. Its pointers begin at the record. */
export const isOfLinks = (error: unknown): error is RowError => isRowError(error) && isRowError(error.cause)

/**
 * Whether to ask the server for the rule that an error names. A transaction takes no question after its error. That of
 * a list has ended only the savepoint of the list.
 */
function needsRules ({ session, model }: Write, rows: readonly RecordData[], error: ServerError): boolean {
  return isOfRule(error) && (rows.length > 1 || !isInTransaction(session)) &&
    columnsOfRule(sharedEmOf(session), model.table, error) === undefined
}

const isOfRule = ({ code, constraint, dataType }: ServerError): boolean =>
  (code === '23514' && constraint !== undefined) || dataType !== undefined

/** Records of a batch: from an index to the one before another. */
interface RowRange {
  readonly from: number
  readonly to: number
}

/**
 * The index of the first record of a batch that the database refuses. `undefined` if each part is accepted by itself.
 *
 * @param refuses tries a part. If trying inserts, an accepted part must stay inserted, for conflicts with later records
 */
export function * searchRefused (
  count: number,
  refuses: (part: RowRange) => Steps<boolean>
): Steps<number | undefined> {
  let [low, high] = [0, count]
  while (high - low > 1) {
    const middle = (low + high) >> 1
    if (yield * refuses({ from: low, to: middle })) high = middle
    else low = middle
  }
  return (yield * refuses({ from: low, to: high })) ? low : undefined
}

/** Whether another attempt may show which record of a batch an error is about. */
export function isRepeatable (error: ServerError): boolean {
  const sqlState = sqlStateOf(error)
  // a trigger that raises such an error may have looked at the batch as a whole
  if (sqlState.startsWith('23')) {
    return error.constraint !== undefined || error.column !== undefined || error.dataType !== undefined
  }
  return isAboutValue(error) || sqlState === REFUSED_BY_POLICY
}

/** The SQLSTATE of a policy of row level security that refuses a row. */
const REFUSED_BY_POLICY = '42501'

/** Whether a part of a batch is refused for the reason for which the whole batch was. */
export function isSameError (found: unknown, error: ServerError): boolean {
  const other = rowErrorIn(found)
  if (
    other === undefined || other.code !== error.code || other.constraint !== error.constraint ||
    other.column !== error.column || other.dataType !== error.dataType
  ) return false
  // references to other records of the batch are refused without them, and a generated key is another one each time
  if (error.code === '23503' || error.code === '23505') {
    return error.detail?.includes(')=(') === true && error.detail === other.detail
  }
  return sqlStateOf(error).startsWith('23') || error.message === other.message
}

/**
 * The error with all that is known about it.
 *
 * @param rows the records of the write
 * @param index the refused one, if it is known
 * @param pointer the JSON pointer to a record in the body
 */
function pointed (
  error: ServerError,
  write: Write,
  rows: readonly RecordData[],
  index: number | undefined,
  pointer: (index: number) => string
): Error {
  const row = index === undefined ? undefined : rows[index]
  const columns = isOfRule(error)
    ? columnsOfRule(sharedEmOf(write.session), write.model.table, error)
    : row && columnsOfValue(error, row)
  return convertError(error, errorModelOf(write), {
    ...(columns !== undefined && { columns }),
    record: index === undefined ? undefined : pointer(index),
  })
}

/** Inserts a part of a batch, in a transaction that will be rolled back. */
export type InsertAttempt = (inner: InnerWrite, part: RowRange) => Steps<unknown>

/**
 * Throws the error of a write, pointing to its record and properties as far as they can be found out.
 *
 * @param attempt repeats a part of a batch. Absent for a write of one record
 */
export function * throwPointed (
  error: unknown,
  write: Write,
  rows: readonly RecordData[],
  pointer: (index: number) => string = () => '',
  attempt?: InsertAttempt
): Steps<never> {
  const cause = rowErrorIn(error)
  if (cause === undefined) throw error
  // whatever happens to the question, the error of the write matters more
  if (!isOfLinks(error) && needsRules(write, rows, cause)) yield * refusalOf(knowRules(write.session))
  const index = rows.length < 2 ? 0 : attempt && (yield * findRefused(write, rows.length, cause, attempt))
  if (!isOfLinks(error)) throw pointed(cause, write, rows, index, pointer)
  throw index === undefined ? unplaced(error) : inRecord(pointer(index), error)
}

/** The same error without a pointer, because it is not known which record of a batch it is about. */
function unplaced ({ detail, errors, cause, constructor }: RowError): RowError {
  const items = errors.map(({ source, ...item }) => item)
  return new (constructor as typeof ConflictError)(detail, { cause, errors: items })
}

/** An error about a record of a list. Its pointers then lead to the record, if they began at it. */
export function inRecord (pointer: string, error: unknown): unknown {
  if (pointer === '') return error
  const below = (items: readonly ErrorItem[]): readonly ErrorItem[] =>
    items.map((item) =>
      item.source === undefined || 'pointer' in item.source
        ? { ...item, source: { pointer: `${pointer}${item.source === undefined ? '' : item.source.pointer}` } }
        : item
    )
  if (error instanceof RequestValidationError) return new RequestValidationError(below(error.errors), { cause: error })
  if (!isRowError(error)) return error
  const { constructor, detail, errors, cause } = error
  return new (constructor as typeof ConflictError)(placed(pointer, detail), { cause, errors: below(errors) })
}

/** The index of the refused record of a batch, or `undefined` if it cannot be found out. Leaves nothing behind. */
function * findRefused (
  write: Write,
  count: number,
  error: ServerError,
  attempt: InsertAttempt
): Steps<number | undefined> {
  if (!isRepeatable(error)) return undefined
  const found: { index?: number } = {}
  // the search is always rolled back, and if it fails the error of the write matters more
  yield * refusalOf(writeInTransaction(write, (inner) => searchInside(inner, count, error, attempt, found)))
  return found.index
}

/** Notes the index of the refused record, and throws the error of the batch, which rolls the search back. */
function * searchInside (
  write: InnerWrite,
  count: number,
  error: ServerError,
  attempt: InsertAttempt,
  found: { index?: number }
): Steps<never> {
  const index = yield * searchRefused(count, (part) =>
    isRefused(writeInTransaction(write, (inner) => attempt(inner, part)), error)
  )
  if (index !== undefined) found.index = index
  throw error
}

/** Whether the database refuses an attempt with the error of the batch. Another error ends the search. */
function * isRefused (attempt: Steps<unknown>, error: ServerError): Steps<boolean> {
  const refusal = yield * refusalOf(attempt)
  if (refusal !== undefined && !isSameError(refusal, error)) throw refusal
  return refusal !== undefined
}

/** The error of some work, or `undefined` if it succeeds. */
function * refusalOf (work: Steps<unknown>): Steps<unknown> {
  try {
    yield * work
    return undefined
  } catch (error) {
    return error
  }
}
