/** The error that refine expects. */
import { isCrudError, type CrudError } from '../../client/index.ts'
import { fieldErrorsOf } from '../field-errors.ts'

/**
 * A failed request, in refine's form (`HttpError`): a status, and messages by property for forms. `cause` is the
 * `CrudError`.
 */
export class CrudHttpError extends Error {
  /** The name of the class. */
  override readonly name = 'CrudHttpError'
  /** The error of the client. */
  override readonly cause: CrudError
  /** The HTTP status, or 0 without a complete answer. */
  readonly statusCode: number
  /** The code of the error, such as `FST_CRUD_CONFLICT`. */
  readonly code: string
  /** Messages by property. Properties of embedded objects have names with dots. */
  readonly errors: Record<string, string[]>

  constructor (cause: CrudError) {
    super(cause.detail, { cause })
    this.cause = cause
    this.statusCode = cause.status
    this.code = cause.code
    const byName = new Map<string, string[]>()
    for (const { path, detail } of fieldErrorsOf(cause)) {
      const name = path.join('.')
      byName.set(name, [...byName.get(name) ?? [], detail])
    }
    this.errors = Object.fromEntries(byName)
  }
}

/** Waits for a request. Its error is one of refine's, if it is a `CrudError`. */
export async function asRefine<Result> (request: Promise<Result>): Promise<Result> {
  try {
    return await request
  } catch (error) {
    throw isCrudError(error) ? new CrudHttpError(error) : error
  }
}
