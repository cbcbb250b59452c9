/** The limits of the grammar. What exceeds one is refused before anything is done with it, whatever the configuration. */
import { queryError } from './query-error.ts'
import type { QueryParamError } from './types.ts'

/** Parameters of ours in one query string, at most. Each occurrence of a repeated one counts. */
export const MAX_PARAMETERS = 100

/** Length of a query string in bytes, at most. */
export const MAX_QUERY_BYTES = 8 * 1024

/** Bracket levels after `filter`, at most: a field and an operator. */
export const MAX_FILTER_DEPTH = 2

/** Items in one list, at most. */
export const MAX_LIST_ITEMS = 100

const RESERVED = /(?:^[-+ ]?|\.)(?:__proto__|constructor|prototype)(?:$|\.)/

/** Whether a name, or a segment of a dotted one, is a name that must never become the key of an object. */
export function isReserved (name: string): boolean {
  return RESERVED.test(name)
}

/** Ends the reading of a query string at once. Never leaves this folder. */
export class Refusal extends Error {
  readonly #item: QueryParamError

  constructor (detail: string) {
    super(detail)
    this.#item = queryError('FST_CRUD_QUERY_INVALID', undefined, detail, { limit: true })
  }

  static tooLong (): Refusal {
    return new Refusal(`The query string is longer than ${MAX_QUERY_BYTES} bytes.`)
  }

  static tooMany (): Refusal {
    return new Refusal(`The query string has more than ${MAX_PARAMETERS} parameters.`)
  }

  /**
   * The error item of a refusal, or of whatever else was thrown while an object was read. (A getter may throw
   * anything, even a proxy that throws again when `instanceof` looks at it.)
   */
  static itemOf (thrown: unknown): QueryParamError {
    const known = typeof thrown === 'object' && thrown !== null && #item in thrown
    return known ? thrown.#item : new Refusal('The query could not be read.').#item
  }
}
