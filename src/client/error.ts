/** The error class of the client. */

/** One mistake in a request: its place, and what is expected there. */
export interface CrudErrorItem {
  /** The query parameter, e.g. `filter[name]`, or the place in the body, e.g. `/name`. */
  readonly source?: { readonly parameter?: string, readonly pointer?: string }
  /** The code of the mistake, such as `FST_CRUD_FILTER_INVALID`. */
  readonly code: string
  /** A sentence for people. */
  readonly detail: string
  /** The names or values that are allowed. */
  readonly allowed?: readonly string[]
  /** The allowed name or value that is most similar to the given one. */
  readonly suggestion?: string
}

/** The contents of an error response. */
interface Failure {
  readonly status: number
  readonly code: string
  readonly detail: string
  readonly errors?: readonly CrudErrorItem[]
  readonly cause?: unknown
}

/**
 * The error of a failed request.
 *
 * - An error of the API has its `code` (`FST_CRUD_NOT_FOUND`) and its `errors`.
 * - A request without a complete answer has `status` 0 and the code `NETWORK`; `cause` is the error of the platform.
 * - An answer in another form, such as a proxy's page, has its status and the code `NOT_JSON`.
 *
 * If `signal` aborts a request, it rejects with the reason of the abort instead, as `fetch` does.
 */
export class CrudError extends Error {
  /** The name of the class. */
  override readonly name = 'CrudError'
  /** The HTTP status, or 0 without a complete answer. */
  declare readonly status: number
  /** The code of the API's error, or one of the client: `NETWORK`, `NOT_JSON`, `NOT_NDJSON`, `NO_CURSOR`. */
  declare readonly code: string
  /** A sentence for people. */
  declare readonly detail: string
  /** All mistakes in the request. Empty if the answer lists none. */
  declare readonly errors: readonly CrudErrorItem[]

  constructor ({ errors = [], cause, ...failure }: Failure) {
    super(failure.detail, cause === undefined ? undefined : { cause })
    Object.assign(this, failure, { errors })
  }

  /**
   * Returns the first error of a query parameter or of a place in the body, e.g. to show it beside an input of a form.
   *
   * @example
   * error.errorFor('filter[price][gte]')?.detail
   * error.errorFor('/name')?.detail
   */
  errorFor (place: string): CrudErrorItem | undefined {
    return this.errors.find(({ source }) =>
      source?.pointer === place || source?.parameter?.replace(/\[\]$/, '') === place
    )
  }
}

/**
 * Whether a value is a `CrudError`, including one of another copy of this module or another realm (a frame, a worker).
 */
export function isCrudError (value: unknown): value is CrudError {
  const { name, code, status } = (value ?? {}) as Partial<CrudError>
  return name === 'CrudError' && typeof code === 'string' && typeof status === 'number'
}
