/**
 * All errors that this package throws: those that clients can cause (4xx), those that operators can cause (503), and
 * those that programmers can cause (500, at start-up wherever possible). Codes are never reused.
 *
 * `detail` of an error is a sentence for people. `errors` has one item for each mistake.
 */
import { MAX_ERRORS, placed } from './error-list.ts'
import { failureClass, refusalClass, type RequestError } from './error-classes.ts'
import { validationOf, type ErrorItem, type ValidationItem } from './error-items.ts'

export type { RequestError } from './error-classes.ts'
export { invalidAt, validationOf, type ErrorItem, type ErrorSource, type ValidationItem } from './error-items.ts'

/** A filter's field, operator or value is not allowed, or can't be read. */
export class FilterValidationError extends refusalClass('FST_CRUD_FILTER_INVALID') {}
/** A sort is not allowed, or can't be read. */
export class SortValidationError extends refusalClass('FST_CRUD_SORT_INVALID') {}
/** A selected field is not allowed, or can't be read. */
export class FieldValidationError extends refusalClass('FST_CRUD_FIELD_INVALID') {}
/** An include is not allowed, or can't be read. */
export class IncludeValidationError extends refusalClass('FST_CRUD_INCLUDE_INVALID') {}
/** A page, limit, offset or cursor is out of range, or can't be read. */
export class PaginationValidationError extends refusalClass('FST_CRUD_PAGINATION_INVALID') {}
/** The whole query string is invalid: it is too long, has too many parameters, or has an unknown parameter. */
export class QueryValidationError extends refusalClass('FST_CRUD_QUERY_INVALID') {}
/** The answer would exceed the limit of records or bytes. `errors[0].detail` says how to ask for less. */
export class TooLargeError extends refusalClass('FST_CRUD_TOO_LARGE') {}

const isInBody = ({ source }: ErrorItem): boolean => source !== undefined && 'pointer' in source

/** The schema of a body or a path refuses it. Has Fastify's own code, and one item for each error. */
export class RequestValidationError extends refusalClass('FST_ERR_VALIDATION') {
  /** The same errors in the form of Fastify's validation errors. */
  override readonly validation: ValidationItem[]
  /**
   * The part of the request that is invalid. Fastify sets it on errors of its validation phase that lack it. The errors
   * of a body that a hook has changed afterwards come from the handler, and must look the same.
   */
  override validationContext?: 'body' | 'params'

  constructor (
    items: readonly ErrorItem[],
    options: {
      readonly count?: number,
      readonly cause?: unknown,
      readonly validation?: ValidationItem[],
      readonly context?: 'params',
    } = {}
  ) {
    super(items, options)
    this.validation = options.validation ?? items.slice(0, MAX_ERRORS).map(validationOf)
    const context = options.context ?? (items.some(isInBody) ? 'body' : undefined)
    if (context !== undefined) this.validationContext = context
  }
}
/**
 * Invalid data that only the database can detect: a violated check, a missing value, a value too long or out of range.
 */
export class DataValidationError extends failureClass('FST_CRUD_DATA_INVALID', 400, 'The data is not valid.') {}
/** More records match the filters of a write than it may change. Nothing has changed. */
export class TooManyError
  extends failureClass('FST_CRUD_TOO_MANY', 400, 'More records match than one request may write.') {}

const OUT_OF_SCOPE = 'The record would lie outside of what this request may write.'

/** A created or updated row would be outside the scope of the request. */
export class OutOfScopeError extends failureClass('FST_CRUD_OUT_OF_SCOPE', 403, OUT_OF_SCOPE) {}

/** @param pointer the JSON pointer to the record in the body of a batch; empty for a body that is the record */
export function outOfScope (pointer: string | undefined, cause?: unknown): OutOfScopeError {
  const item = pointer ? { source: { pointer } } : {}
  return new OutOfScopeError(placed(pointer, OUT_OF_SCOPE), {
    cause,
    errors: [{ ...item, code: 'FST_CRUD_OUT_OF_SCOPE', detail: OUT_OF_SCOPE }],
  })
}

/** The role of the request may not use this operation or this entity. */
export class ForbiddenError
  extends failureClass('FST_CRUD_FORBIDDEN', 403, 'This request may not use this operation with its credentials.') {}
/** The record is absent, out of scope, or soft-deleted. Clients cannot tell these cases apart. */
export class NotFoundError extends failureClass('FST_CRUD_NOT_FOUND', 404, 'The record was not found.') {}
/** A unique, foreign key or exclusion constraint refused the write. */
export class ConflictError extends failureClass('FST_CRUD_CONFLICT', 409, 'The write conflicts with another record.') {}
/** `If-Match` names a version that the record no longer has (RFC 9110 section 13.1.1). */
export class PreconditionFailedError extends failureClass(
  'FST_CRUD_PRECONDITION_FAILED',
  412,
  'The record has changed since the version named in If-Match.'
) {}
/** `If-Match` is required, but missing (RFC 6585 section 3). */
export class PreconditionRequiredError
  extends failureClass('FST_CRUD_PRECONDITION_REQUIRED', 428, 'The header If-Match is required.') {}
/** The header `Idempotency-Key` is not a key, or it is missing where the resource requires one. */
export class IdempotencyKeyError extends failureClass(
  'FST_CRUD_IDEMPOTENCY_KEY_INVALID',
  400,
  'The header Idempotency-Key must be a text of 1 to 255 printable ASCII characters in double quotes, such as ' +
    'Idempotency-Key: "8e03978e-40d5-43e8-bc93-6894a57f9324". In the quotes, write \\" for " and \\\\ for \\. A text ' +
    'without spaces and without any of , ; " \\ needs no quotes.'
) {}
/** A write with the same `Idempotency-Key` is being done. */
export class IdempotencyRunningError extends failureClass(
  'FST_CRUD_IDEMPOTENCY_RUNNING',
  409,
  'A request with the same Idempotency-Key is still running. Repeat this one later.'
) {
  /** Fastify sends these headers with the error. Clients may try again after this number of seconds. */
  readonly headers = { 'retry-after': '1' }
}
/** The `Idempotency-Key` belongs to a write that another request has asked for. */
export class IdempotencyMismatchError extends failureClass(
  'FST_CRUD_IDEMPOTENCY_MISMATCH',
  422,
  'This Idempotency-Key was used for a request with another path, query or body. Use a new key for each write.'
) {}
/** The body has another media type than JSON. */
export class UnsupportedMediaTypeError
  extends failureClass('FST_ERR_CTP_INVALID_MEDIA_TYPE', 415, 'Send the body as application/json.') {
  /** Fastify sends these headers with the error (RFC 9110 section 15.5.16). */
  readonly headers: { readonly accept: string }

  /** @param options.accept the media types that are supported */
  constructor (detail?: string, options: { readonly accept?: string, readonly cause?: unknown } = {}) {
    const { accept = 'application/json', cause } = options
    super(detail, { cause })
    this.headers = { accept }
  }
}
/** The database is unreachable, its pool is exhausted, or a statement timed out. */
export class UnavailableError
  extends failureClass('FST_CRUD_UNAVAILABLE', 503, 'The database is not available at the moment.') {
  /** Fastify sends these headers with the error. Clients may try again after this number of seconds. */
  readonly headers = { 'retry-after': '1' }
}
/**
 * The connection was lost while a transaction was being committed. The changes may have been made, so nothing is
 * repeated. The answer has `Retry-After` only if the request has an `Idempotency-Key`.
 */
export class OutcomeUnknownError extends failureClass(
  'FST_CRUD_OUTCOME_UNKNOWN',
  503,
  'The connection to the database was lost while the changes were being committed: whether they were is not known.'
) {
  /** The headers of the answer, if the request has an `Idempotency-Key`: clients may then repeat it. */
  declare readonly headers?: Readonly<Record<string, string>>
}
/**
 * The database refused a statement, but not because of a request's input. This is a bug, here or in the application's
 * own conditions.
 */
export class DatabaseError
  extends failureClass('FST_CRUD_DATABASE_ERROR', 500, 'The database could not answer the request.') {}
/** The client has disconnected, so no answer is needed. */
export class AbortedError extends failureClass('FST_CRUD_ABORTED', 499, 'The client has gone away.') {}
/**
 * A scope, or the condition of a MikroORM filter, failed to return a condition for the request. Its `cause` has the
 * reason. Nothing was read or written.
 */
export class ScopeError extends failureClass(
  'FST_CRUD_SCOPE_INVALID',
  500,
  'The server could not tell which records this request may use.'
) {}
/** A write inside `readOnly`, which is a programming mistake. */
export class ReadOnlyViolationError
  extends failureClass('FST_CRUD_READ_ONLY', 500, 'A write was attempted inside a read-only transaction.') {}

/**
 * An option, a whitelist or an entity is invalid. Thrown when it is constructed, registered or started, never by a
 * request.
 */
export class ConfigError extends failureClass('FST_CRUD_CONFIG_INVALID', 500, 'The configuration cannot work.') {}

/**
 * The classes of the query string's errors by code. If a request has errors of several kinds, the first class in this
 * order is used: filter, sort, field, include, pagination, query.
 */
const QUERY_ERRORS = {
  FST_CRUD_FILTER_INVALID: FilterValidationError,
  FST_CRUD_SORT_INVALID: SortValidationError,
  FST_CRUD_FIELD_INVALID: FieldValidationError,
  FST_CRUD_INCLUDE_INVALID: IncludeValidationError,
  FST_CRUD_PAGINATION_INVALID: PaginationValidationError,
  FST_CRUD_QUERY_INVALID: QueryValidationError,
} as const

const REFUSALS = [RequestValidationError, IdempotencyKeyError, ...Object.values(QUERY_ERRORS)]

/** Whether an error refuses a path, a header, a query string or a body. Any other one is a mistake of the server. */
export const isRefusal = (error: unknown): error is Error & RequestError =>
  REFUSALS.some((refusal) => error instanceof refusal)

/** A code that an item of the query string can have. */
export type QueryCode = keyof typeof QUERY_ERRORS
export const QUERY_CODES = Object.freeze(Object.keys(QUERY_ERRORS)) as readonly QueryCode[]

/**
 * Makes one error from all `items` (at least one). Its class is that of the first kind, its `errors` are sorted by
 * kind.
 *
 * @param count number of all errors, if `items` has only the first ones of each kind
 */
export function queryError (
  items: readonly (ErrorItem & { readonly code: QueryCode })[],
  count: number = items.length
): Error & RequestError & { statusCode: number, code: string } {
  const sorted = [...items].sort((a, b) => QUERY_CODES.indexOf(a.code) - QUERY_CODES.indexOf(b.code))
  const first = sorted[0]
  if (first === undefined) throw new TypeError('queryError needs at least one item')
  return new QUERY_ERRORS[first.code](sorted, { count })
}
