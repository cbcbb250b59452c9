/** The parser: whatever form a query string comes in, it becomes QueryParams. */
import { Draft } from './draft.ts'
import { Refusal } from './limits.ts'
import { isPlainObject, readObject, readSearchParams } from './read-object.ts'
import { readText } from './read-text.ts'
import type { QueryParams } from './types.ts'

export interface ParseOptions {
  /**
   * Names of top-level parameters that the application's own route schema declares: a list, a set, or any object whose
   * `has` tells. They are not listed in `unknown`. Default: none.
   */
  readonly declared?: readonly string[] | { readonly has: (name: string) => boolean }
}

/**
 * Reads a query string. Never throws: what can't be read is in `errors`, and the rest is as if it weren't there.
 *
 * A query string of more than 8 KiB or more than 100 parameters of ours isn't read at all: the result then has this
 * one error and nothing else.
 *
 * @param query a query string with or without its `?`, URLSearchParams, or what a parser made of it: `request.query`
 * with flat names (`{ 'filter[a]': '1' }`) or nested by `qs` (`{ filter: { a: '1' } }`). Numbers and booleans in it
 * are read as their text, `null` as the empty one. `undefined` and `null` are the empty query string.
 * @returns deeply frozen objects without a prototype
 *
 * @example
 * parseQueryParams('filter[price][gte]=100&sort=-created_at&page=2')
 * // {
 * //   filters: [{ field: 'price', operator: 'gte', value: '100' }],
 * //   sort: ['-created_at'], include: [], fields: [], fieldsByInclude: {},
 * //   page: 2,
 * //   unknown: [],
 * //   errors: []
 * // }
 */
export function parseQueryParams (query: unknown, options?: ParseOptions): QueryParams {
  try {
    const draft = new Draft(options)
    if (typeof query === 'string') readText(draft, query)
    else if (isPlainObject(query)) readObject(draft, query)
    else if (query instanceof URLSearchParams) readSearchParams(draft, query)
    else if (query !== undefined && query !== null) {
      throw new Refusal('The query is neither text nor an object of parameters.')
    }
    return draft.finish()
  } catch (thrown) {
    // Half a query would be another query: nothing of it is kept.
    return new Draft(undefined, [Refusal.itemOf(thrown)]).finish()
  }
}
