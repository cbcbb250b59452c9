/** The parser: turns any form of a query string into `QueryParams`. */
import { isBareObject } from '../base/is-object.ts'
import { Draft, type ParseOptions } from './draft.ts'
import type { QueryForm } from './limits.ts'
import { Refusal } from './refusal.ts'
import { readObject, readSearchParams } from './read-object.ts'
import { readText } from './read-text.ts'
import type { QueryParams } from './parsed-query.ts'

/** The empty query string. All requests share it, since it is frozen. */
export const NO_PARAMS: QueryParams = new Draft('string').finish()

/**
 * Reads a query string. Never throws. Parameters that cannot be read are listed in `errors`, and the other parameters
 * are read as if these were absent.
 *
 * A query of more than 8 KiB, or with more than 100 parameters of the grammar, is not read. The result then contains
 * only this error. In a query string, each occurrence of a repeated parameter counts. In an object, a list is one
 * parameter.
 *
 * @param query a query string with or without its `?`, URLSearchParams, or an object made by a parser: `request.query`
 * with flat names (`{ 'filter[a]': '1' }`) or nested by `qs` (`{ filter: { a: '1' } }`). Numbers and booleans in the
 * object are read as their text, and `null` as empty text. If the query itself is `undefined` or `null`, it is read as
 * the empty query string.
 * @returns deeply frozen objects without a prototype
 *
 * @example
 * parseQueryParams('filter[price][gte]=100&sort=-created_at&page=2')
 * // {
 * //   filters: [{ field: 'price', operator: 'gte', value: '100' }],
 * //   groups: [],
 * //   sort: ['-created_at'], include: [], fields: [], fieldsByInclude: {},
 * //   page: 2,
 * //   unknown: [],
 * //   errors: []
 * // }
 */
export function parseQueryParams (query: unknown, options?: ParseOptions): QueryParams {
  return parse(query, 'object', options)
}

/** Reads the query string of a request that a parser has split. Each item of a list was a parameter in the URL. */
export function parseRequestQuery (query: unknown, options?: ParseOptions): QueryParams {
  return parse(query, 'string', options)
}

/** Reads a query that is the body of a request, written like a query string. It may be longer than a query string. */
export function parseQueryBody (text: string): QueryParams {
  return parse(text, 'body')
}

/** @param form where the query comes from. Text and URLSearchParams of a program are query strings, and no objects */
function parse (query: unknown, form: QueryForm, options?: ParseOptions): QueryParams {
  try {
    if (query === undefined || query === null) return NO_PARAMS
    const names = isBareObject(query) ? Object.keys(query) : undefined
    // most requests for one record have no parameters
    if (names?.length === 0) return NO_PARAMS
    const draft = new Draft(form === 'object' && names === undefined ? 'string' : form, options)
    if (typeof query === 'string') readText(draft, query)
    else if (names !== undefined) readObject(draft, query as Readonly<Record<string, unknown>>, names)
    else if (query instanceof URLSearchParams) readSearchParams(draft, query)
    else throw new Refusal('The query is neither text nor an object of parameters.')
    return draft.finish()
  } catch (thrown) {
    // half of a query would be a different query, so nothing of it is kept
    return new Draft(form, undefined, [Refusal.itemOf(thrown)]).finish()
  }
}
