/**
 * Every error this package throws, in one place: what a client can cause (4xx), what an operator can (503), and
 * what a programmer can (500, at start-up wherever possible). Codes are never reused.
 *
 * The classes come from `@fastify/error`, so they pass through Fastify's error handler, the default one or the
 * application's. `detail` is a sentence for people; `errors` has one item for each thing that is wrong.
 */
import createError from '@fastify/error'
import { MAX_ERRORS } from './error-list.ts'

/** Where in the request an error sits: a query parameter as written, or a JSON pointer (RFC 6901) into the body. */
export type ErrorSource = { readonly parameter: string } | { readonly pointer: string }

/** One thing that is wrong with a request. An error of the whole query string has no `source`. */
export interface ErrorItem {
  readonly source?: ErrorSource
  /** The code of the error class that reports this item, e.g. `FST_CRUD_FILTER_INVALID`. */
  readonly code: string
  /** A sentence for people. */
  readonly detail: string
  /** What would have been accepted, as it is written in a request. Long lists are cut, see `ALLOWED_LIMIT`. */
  readonly allowed?: readonly string[]
  /** The allowed name nearest to the one given. */
  readonly suggestion?: string
}

/** Details spelled out in a message, at most; `errors` has more of them. */
const MESSAGE_ITEMS = 5

/** One sentence for each item, as far as they are worth reading in a row; alone they have to say what they are about. */
function summarize (items: readonly ErrorItem[], count: number): string {
  const shown = items.slice(0, MESSAGE_ITEMS).map(sentence).join(' ')
  const more = count - Math.min(items.length, MESSAGE_ITEMS)
  return more > 0 ? `${shown} (${more} more)` : shown
}

/** The first items, and one that says how many are left out. */
function shorten (items: readonly ErrorItem[], count: number, code: string): readonly ErrorItem[] {
  const listed = items.slice(0, MAX_ERRORS)
  const more = count - listed.length
  return more > 0 ? [...listed, { code, detail: `And ${more} more ${more === 1 ? 'error' : 'errors'}.` }] : items
}

/** A detail that says "This ..." is about its source. */
function sentence ({ source, detail }: ErrorItem): string {
  if (source === undefined || !detail.startsWith('This ')) return detail
  return `${'parameter' in source ? source.parameter : source.pointer}: ${detail}`
}

/** What the errors of a request have beside `statusCode`, `code` and `message`. */
export interface RequestError {
  readonly detail: string
  readonly errors: readonly ErrorItem[]
}

/** A cause is for the log: it is not written with the error's other properties. */
function withCause (error: Error, { cause }: { cause?: unknown }): void {
  if (cause !== undefined) Object.defineProperty(error, 'cause', { value: cause, configurable: true, writable: true })
}

/** A class of errors that are a list of items: the refusals of a query string. */
function refusalOf<C extends string> (code: C) {
  const Base = createError<C, 400, [string]>(code, '%s', 400)
  return class extends Base implements RequestError {
    readonly detail: string
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

/** A class of errors that are one sentence. */
function failureOf<C extends string, S extends number> (code: C, statusCode: S, sentence: string) {
  const Base = createError<C, S, [string]>(code, '%s', statusCode)
  return class extends Base implements RequestError {
    readonly detail: string
    readonly errors: readonly ErrorItem[]

    constructor (detail: string = sentence, options: { cause?: unknown, errors?: readonly ErrorItem[] } = {}) {
      super(detail)
      this.detail = detail
      this.errors = options.errors ?? [{ code, detail }]
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
/** The query string as a whole: too long, too many parameters, a parameter that does not exist. */
export class QueryValidationError extends refusalOf('FST_CRUD_QUERY_INVALID') {}
/** The answer would hold more records or bytes than one may: `errors[0].detail` says how to ask for less. */
export class TooLargeError extends refusalOf('FST_CRUD_TOO_LARGE') {}

/** A body or a path that its schema refuses: Fastify's own code, with one item for each error. */
export class RequestValidationError extends refusalOf('FST_ERR_VALIDATION') {}
/** Found by the database only: a check, a missing value, a value too long or out of range. */
export class DataValidationError extends failureOf('FST_CRUD_DATA_INVALID', 400, 'The data is not valid.') {}
/** A created or updated row would lie outside the scope of the request. */
export class OutOfScopeError
  extends failureOf('FST_CRUD_OUT_OF_SCOPE', 403, 'The record would lie outside of what this request may write.') {}
/** The record is absent, out of scope, or soft-deleted: one answer for all three. */
export class NotFoundError extends failureOf('FST_CRUD_NOT_FOUND', 404, 'The record was not found.') {}
/** A unique, foreign key or exclusion constraint refused the write. */
export class ConflictError extends failureOf('FST_CRUD_CONFLICT', 409, 'The write conflicts with another record.') {}
/** `If-Match` names a version that is no longer the record's (RFC 9110 section 13.1.1). */
export class PreconditionFailedError extends failureOf(
  'FST_CRUD_PRECONDITION_FAILED',
  412,
  'The record has changed since the version named in If-Match.'
) {}
/** `If-Match` is required and missing (RFC 6585 section 3). */
export class PreconditionRequiredError
  extends failureOf('FST_CRUD_PRECONDITION_REQUIRED', 428, 'The header If-Match is required.') {}
/** The database is unreachable, its pool exhausted, or a statement ran into its timeout. */
export class UnavailableError
  extends failureOf('FST_CRUD_UNAVAILABLE', 503, 'The database is not available at the moment.') {
  /** Seconds after which it is worth trying again: Fastify sends these headers with the error. */
  readonly headers = { 'retry-after': '1' }
}
/** The connection was lost while a transaction was being committed. It may have been, so nothing is repeated, and no `Retry-After` invites to. */
export class OutcomeUnknownError extends failureOf(
  'FST_CRUD_OUTCOME_UNKNOWN',
  503,
  'The connection to the database was lost while the changes were being committed: whether they were is not known.'
) {}
/** The database refused a statement for a reason that is nobody's input: a bug, here or in the application's own conditions. */
export class DatabaseError
  extends failureOf('FST_CRUD_DATABASE_ERROR', 500, 'The database could not answer the request.') {}
/** The client has gone away, so nobody is waiting for the answer any more. */
export class AbortedError extends failureOf('FST_CRUD_ABORTED', 499, 'The client has gone away.') {}
/**
 * A scope, or the condition of a MikroORM filter, does not say which rows there are for the request. Its `cause` says what
 * is wrong with it. Nothing was read or written.
 */
export class ScopeError
  extends failureOf('FST_CRUD_SCOPE_INVALID', 500, 'The server could not tell which records this request may use.') {}
/** A write inside `readOnly`: the programmer's mistake. */
export class ReadOnlyViolationError
  extends failureOf('FST_CRUD_READ_ONLY', 500, 'A write was attempted inside a read-only transaction.') {}

/** An option, a whitelist or an entity that can't work: thrown when constructed, registered or started, never by a request. */
export class ConfigError extends failureOf('FST_CRUD_CONFIG_INVALID', 500, 'The configuration can not work.') {}

/**
 * The classes of the query string's errors by code, in the order in which they name an error of several kinds
 * : filter, sort, field, include, pagination, query.
 */
const QUERY_ERRORS = {
  FST_CRUD_FILTER_INVALID: FilterValidationError,
  FST_CRUD_SORT_INVALID: SortValidationError,
  FST_CRUD_FIELD_INVALID: FieldValidationError,
  FST_CRUD_INCLUDE_INVALID: IncludeValidationError,
  FST_CRUD_PAGINATION_INVALID: PaginationValidationError,
  FST_CRUD_QUERY_INVALID: QueryValidationError,
} as const

/** A code that an item of the query string can have. */
export type QueryCode = keyof typeof QUERY_ERRORS
export const QUERY_CODES = Object.freeze(Object.keys(QUERY_ERRORS)) as readonly QueryCode[]

/**
 * The one error that stands for all `items` (at least one): its class is that of the first kind, its `errors` are by kind.
 *
 * @param count of all errors, where `items` has only the first ones of each kind
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
