/**
 * The query language. This stage turns the text of a query string into `QueryParams`, and back. It knows only the
 * grammar: no whitelist, operator or type. It refuses text that does not fit the grammar, names that must never become
 * an object's key, and everything that exceeds the limits in limits.ts. The parser does not throw these errors. It
 * lists them in `QueryParams.errors`.
 */
export { NO_PARAMS, parseQueryParams, parseRequestQuery } from './parse.ts'
export type { ParseOptions } from './parse.ts'
export { stringifyQueryParams } from './stringify.ts'
export { joinList, splitList } from './list-syntax.ts'
export { MAX_LIST_ITEMS, MAX_QUERY_BYTES } from './limits.ts'
export { isOr, ONLY_AND } from './gather-filters.ts'
export { filterSuffix, markFilter, nameSuffix } from './written.ts'
export type { FilterParam, QueryParamError, QueryParams } from './parsed-query.ts'
