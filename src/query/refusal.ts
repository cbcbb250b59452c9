/** Ends the reading of a query that exceeds a limit. */
import { MAX_PARAMETERS, MAX_QUERY_BYTES, maxBytesOf, type QueryForm } from './limits.ts'
import type { QueryParamError } from './parsed-query.ts'
import { queryParamError } from './query-error.ts'

/** What a refusal calls a query. */
const NAMES: Readonly<Record<QueryForm, string>> = {
  string: 'query string',
  object: 'query',
  body: 'query in the body',
}

/** Stops the reading of a query at once. The parser catches it. */
export class Refusal extends Error {
  readonly #item: QueryParamError

  constructor (detail: string) {
    super(detail)
    this.#item = queryParamError('FST_CRUD_QUERY_INVALID', undefined, detail, { limit: true })
  }

  static tooLong (form: QueryForm): Refusal {
    return new Refusal(
      form === 'object'
        ? `As a query string, the query would be longer than ${MAX_QUERY_BYTES} bytes.`
        : `The ${NAMES[form]} is longer than ${maxBytesOf(form)} bytes.`
    )
  }

  static tooMany (form: QueryForm): Refusal {
    return new Refusal(`The ${NAMES[form]} has more than ${MAX_PARAMETERS} parameters.`)
  }

  /**
   * The error item of a refusal, or of any other value that was thrown while an object was read. (A getter may throw
   * anything, even a proxy that throws again when `instanceof` inspects it.)
   */
  static itemOf (thrown: unknown): QueryParamError {
    const known = typeof thrown === 'object' && thrown !== null && #item in thrown
    return known ? thrown.#item : new Refusal('The query could not be read.').#item
  }
}
