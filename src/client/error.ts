/** Failures of a request, as one class. */

/** One thing that is wrong with a request: where it is, and what it should be. */
export interface CrudErrorItem {
  /** The parameter of the query string, `filter[name]`, or the place in the body, `/name`. */
  readonly source?: { readonly parameter?: string, readonly pointer?: string }
  readonly code: string
  /** A sentence for people. */
  readonly detail: string
  readonly allowed?: readonly string[]
  readonly suggestion?: string
}

/** What an answer says of its failure. */
interface Failure {
  readonly status: number
  readonly code: string
  readonly detail: string
  readonly errors?: readonly CrudErrorItem[]
  readonly cause?: unknown
}

/**
 * A request that failed.
 *
 * - An error of the API has its `code` (`FST_CRUD_NOT_FOUND`) and its `errors`.
 * - A request without a complete answer has `status` 0 and the code `NETWORK`; `cause` is what the platform says of it.
 * - An answer in another form, such as a proxy's page, has its status and the code `NOT_JSON`.
 *
 * A request that `signal` aborts rejects with the reason of the abort instead, as `fetch` does.
 */
export class CrudError extends Error {
  override readonly name = 'CrudError'
  /** The HTTP status; 0 where there was no complete answer. */
  readonly status: number
  /** The code of the API's error, `NETWORK` or `NOT_JSON`. */
  readonly code: string
  /** A sentence for people. */
  readonly detail: string
  /** All that is wrong with the request; empty where the answer names nothing. */
  readonly errors: readonly CrudErrorItem[]

  constructor ({ status, code, detail, errors = [], cause }: Failure) {
    super(detail, cause === undefined ? undefined : { cause })
    this.status = status
    this.code = code
    this.detail = detail
    this.errors = errors
  }

  /**
   * The first error of one parameter or of one place in the body: what a form shows beside an input.
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

/** Whether a value is a `CrudError`, also one of another copy of this module or another realm (a frame, a worker). */
export function isCrudError (value: unknown): value is CrudError {
  const { name, code, status } = (value ?? {}) as Partial<CrudError>
  return name === 'CrudError' && typeof code === 'string' && typeof status === 'number'
}
