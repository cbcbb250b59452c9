/**
 * All errors that this package throws: those that clients can cause (4xx), those that operators can cause (503), and
 * those that programmers can cause (500, at start-up wherever possible). Codes are never reused.
 *
 * The classes come from `@fastify/error`, so Fastify's error handler, the default one or the application's, can handle
 * them. `detail` is a sentence for people. `errors` has one item for each mistake.
 */
import createError from '@fastify/error'
import { MAX_ERRORS } from './error-list.ts'

/** The place of an error in the request: a query parameter as written, or a JSON pointer (RFC 6901) into the body. */
export type ErrorSource = { readonly parameter: string } | { readonly pointer: string }

/** One mistake in a request. An error of the whole query string has no `source`. */
export interface ErrorItem {
  /** The place of the mistake. */
  readonly source?: ErrorSource
  /** The code of the error class that reports this item, e.g. `FST_CRUD_FILTER_INVALID`. */
  readonly code: string
  /** A sentence for people. */
  readonly detail: string
  /**
   * The values or names that are allowed, as they are written in a request. Long lists are cut, see `ALLOWED_LIMIT`.
   */
  readonly allowed?: readonly string[]
  /** The allowed name nearest to the one given. */
  readonly suggestion?: string
}

/** An error in the form of Fastify's `error.validation`, which is that of Ajv. */
export interface ValidationItem {
  /** The keyword of JSON Schema, or the one that comes nearest to the rule. */
  readonly keyword: string
  /** JSON pointer to the value. */
  readonly instancePath: string
  /** JSON pointer into the schema. */
  readonly schemaPath: string
  readonly params: Record<string, unknown>
  readonly message: string
}

/** An item that no schema describes, in the form of Fastify's `validation`. */
export function validationOf ({ source, detail, code }: ErrorItem): ValidationItem {
  const instancePath = source === undefined ? '' : 'pointer' in source ? source.pointer : `/${source.parameter}`
  return { keyword: 'crud', instancePath, schemaPath: '#', params: { code }, message: detail }
}

const isInBody = ({ source }: ErrorItem): boolean => source !== undefined && 'pointer' in source

/** Largest number of details in a message; `errors` has more of them. */
const MESSAGE_ITEMS = 5

/** Joins the sentences of the first items. */
function summarize (items: readonly ErrorItem[], count: number): string {
  const shown = items.slice(0, MESSAGE_ITEMS).map(sentence).join(' ')
  const more = count - Math.min(items.length, MESSAGE_ITEMS)
  return more > 0 ? `${shown} (${more} more)` : shown
}

/** The first items, and one that tells how many are left out. */
function shorten (items: readonly ErrorItem[], count: number, code: string): readonly ErrorItem[] {
  const listed = items.slice(0, MAX_ERRORS)
  const more = count - listed.length
  return more > 0 ? [...listed, { code, detail: `And ${more} more ${more === 1 ? 'error' : 'errors'}.` }] : items
}

/** The beginning of a pointer into a list of records. */
const IN_LIST = /^\/\d+(\/|$)/

/**
 * The detail of an item. If it starts with "This ...", or is about one record of a list, its source precedes it, so
 * that it makes sense alone.
 */
function sentence ({ source, detail }: ErrorItem): string {
  if (source === undefined) return detail
  const place = 'parameter' in source ? source.parameter : source.pointer
  const isClear = !detail.startsWith('This ') && !('pointer' in source && IN_LIST.test(place))
  return place === '' || isClear ? detail : `${place}: ${detail}`
}

/** The properties of a request's errors besides `statusCode`, `code` and `message`. */
export interface RequestError {
  /** A sentence about all mistakes. */
  readonly detail: string
  /** The mistakes, up to a maximum number. */
  readonly errors: readonly ErrorItem[]
}

/** Sets the cause, not enumerable: it is meant for the log and not serialized with the other properties. */
function withCause (error: Error, { cause }: { cause?: unknown }): void {
  if (cause !== undefined) Object.defineProperty(error, 'cause', { value: cause, configurable: true, writable: true })
}

/** Makes a class of errors that have a list of items: the errors of a query string. */
function refusalOf<C extends string> (code: C) {
  const Base = createError<C, 400, [string]>(code, '%s', 400)
  return class extends Base implements RequestError {
    /** A sentence about all mistakes. */
    readonly detail: string
    /** The mistakes, up to a maximum number. */
    readonly errors: readonly ErrorItem[]

    /** @param options.count number of all errors, if `items` has only the first ones */
    constructor (items: readonly ErrorItem[], options: { readonly count?: number, readonly cause?: unknown } = {}) {
      const { count = items.length } = options
      const detail = summarize(items, count)
      super(detail)
      this.detail = detail
      this.errors = shorten(items, count, code)
      withCause(this, options)
    }
  }
}

/** Makes a class of errors that have one sentence. */
function failureOf<C extends string, S extends number> (code: C, statusCode: S, sentence: string) {
  const Base = createError<C, S, [string]>(code, '%s', statusCode)
  return class extends Base implements RequestError {
    /** A sentence about the error. */
    readonly detail: string
    /** The mistakes of the request. An error without parts is its own only item. */
    readonly errors: readonly ErrorItem[]

    /** @param options.pointer the JSON pointer to the mistake in a body, in place of `errors` */
    constructor (
      detail: string = sentence,
      options: { cause?: unknown, errors?: readonly ErrorItem[], pointer?: string | undefined } = {}
    ) {
      super(detail)
      this.detail = detail
      const { pointer, errors } = options
      this.errors = errors ?? [pointer === undefined ? { code, detail } : { source: { pointer }, code, detail }]
      withCause(this, options)
    }
  }
}

/** A filter's field, operator or value is not allowed, or can't be read. */
export class FilterValidationError extends refusalOf('FST_CRUD_FILTER_INVALID') {}
/** A sort is not allowed, or can't be read. */
export class SortValidationError extends refusalOf('FST_CRUD_SORT_INVALID') {}
/** A selected field is not allowed, or can't be read. */
export class FieldValidationError extends refusalOf('FST_CRUD_FIELD_INVALID') {}
/** An include is not allowed, or can't be read. */
export class IncludeValidationError extends refusalOf('FST_CRUD_INCLUDE_INVALID') {}
/** A page, limit, offset or cursor is out of range, or can't be read. */
export class PaginationValidationError extends refusalOf('FST_CRUD_PAGINATION_INVALID') {}
/** The whole query string is invalid: it is too long, has too many parameters, or has an unknown parameter. */
export class QueryValidationError extends refusalOf('FST_CRUD_QUERY_INVALID') {}
/** The answer would exceed the limit of records or bytes. `errors[0].detail` says how to ask for less. */
export class TooLargeError extends refusalOf('FST_CRUD_TOO_LARGE') {}

/** The schema of a body or a path refuses it. Has Fastify's own code, and one item for each error. */
export class RequestValidationError extends refusalOf('FST_ERR_VALIDATION') {
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
    this.validation = options.validation ?? items.map(validationOf)
    const context = options.context ?? (items.some(isInBody) ? 'body' : undefined)
    if (context !== undefined) this.validationContext = context
  }
}
/**
 * Invalid data that only the database can detect: a violated check, a missing value, a value too long or out of range.
 */
export class DataValidationError extends failureOf('FST_CRUD_DATA_INVALID', 400, 'The data is not valid.') {}
/** More records match the filters of a write than it may change. Nothing has changed. */
export class TooManyError
  extends failureOf('FST_CRUD_TOO_MANY', 400, 'More records match than one request may write.') {}
/** A created or updated row would be outside the scope of the request. */
export class OutOfScopeError
  extends failureOf('FST_CRUD_OUT_OF_SCOPE', 403, 'The record would lie outside of what this request may write.') {}
/** The role of the request may not use this operation or this entity. */
export class ForbiddenError extends failureOf('FST_CRUD_FORBIDDEN', 403, 'This request may not use this operation.') {}
/** The record is absent, out of scope, or soft-deleted. Clients cannot tell these cases apart. */
export class NotFoundError extends failureOf('FST_CRUD_NOT_FOUND', 404, 'The record was not found.') {}
/** A unique, foreign key or exclusion constraint refused the write. */
export class ConflictError extends failureOf('FST_CRUD_CONFLICT', 409, 'The write conflicts with another record.') {}
/** `If-Match` names a version that the record no longer has (RFC 9110 section 13.1.1). */
export class PreconditionFailedError extends failureOf(
  'FST_CRUD_PRECONDITION_FAILED',
  412,
  'The record has changed since the version named in If-Match.'
) {}
/** `If-Match` is required, but missing (RFC 6585 section 3). */
export class PreconditionRequiredError
  extends failureOf('FST_CRUD_PRECONDITION_REQUIRED', 428, 'The header If-Match is required.') {}
/** The header `Idempotency-Key` is not a key, or it is missing where the resource requires one. */
export class IdempotencyKeyError extends failureOf(
  'FST_CRUD_IDEMPOTENCY_KEY_INVALID',
  400,
  'The header Idempotency-Key must be a text of 1 to 255 visible ASCII characters, in double quotes or without them: ' +
    'Idempotency-Key: "8e03978e-40d5-43e8-bc93-6894a57f9324".'
) {}
/** A write with the same `Idempotency-Key` is being done. */
export class IdempotencyRunningError extends failureOf(
  'FST_CRUD_IDEMPOTENCY_RUNNING',
  409,
  'A request with the same Idempotency-Key is still running. Repeat this one later.'
) {
  /** Fastify sends these headers with the error. Clients may try again after this number of seconds. */
  readonly headers = { 'retry-after': '1' }
}
/** The `Idempotency-Key` belongs to a write that another request has asked for. */
export class IdempotencyMismatchError extends failureOf(
  'FST_CRUD_IDEMPOTENCY_MISMATCH',
  422,
  'This Idempotency-Key was used for a request with another path, query or body. Use a new key for each write.'
) {}
/** The body has another media type than JSON. */
export class UnsupportedMediaTypeError
  extends failureOf('FST_ERR_CTP_INVALID_MEDIA_TYPE', 415, 'Send the body as application/json.') {
  /** Fastify sends these headers with the error (RFC 9110 section 15.5.16). */
  readonly headers = { accept: 'application/json' }
}
/** The database is unreachable, its pool is exhausted, or a statement timed out. */
export class UnavailableError
  extends failureOf('FST_CRUD_UNAVAILABLE', 503, 'The database is not available at the moment.') {
  /** Fastify sends these headers with the error. Clients may try again after this number of seconds. */
  readonly headers = { 'retry-after': '1' }
}
/**
 * The connection was lost while a transaction was being committed. The changes may have been made, so nothing is
 * repeated. The answer has `Retry-After` only if the request has an `Idempotency-Key`.
 */
export class OutcomeUnknownError extends failureOf(
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
  extends failureOf('FST_CRUD_DATABASE_ERROR', 500, 'The database could not answer the request.') {}
/** The client has disconnected, so no answer is needed. */
export class AbortedError extends failureOf('FST_CRUD_ABORTED', 499, 'The client has gone away.') {}
/**
 * A scope, or the condition of a MikroORM filter, failed to return a condition for the request. Its `cause` has the
 * reason. Nothing was read or written.
 */
export class ScopeError
  extends failureOf('FST_CRUD_SCOPE_INVALID', 500, 'The server could not tell which records this request may use.') {}
/** A write inside `readOnly`, which is a programming mistake. */
export class ReadOnlyViolationError
  extends failureOf('FST_CRUD_READ_ONLY', 500, 'A write was attempted inside a read-only transaction.') {}

/**
 * An option, a whitelist or an entity is invalid. Thrown when it is constructed, registered or started, never by a
 * request.
 */
export class ConfigError extends failureOf('FST_CRUD_CONFIG_INVALID', 500, 'The configuration cannot work.') {}

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
