/**
 * The query language: the text of a query string comes in and `QueryParams` go out, or the other way round. This
 * stage knows the grammar and nothing else, no whitelist, no operator and no type. It refuses text that the grammar
 * can't place, names that must never become an object's key, and whatever exceeds the limits in limits.ts; it never
 * throws for any of that, but lists it in `QueryParams.errors`.
 */
export { parseQueryParams } from './parse.ts'
export type { ParseOptions } from './parse.ts'
export { stringifyQueryParams } from './stringify.ts'
export { joinList, splitList } from './list.ts'
export type { ListResult } from './list.ts'
export { isReserved, MAX_FILTER_DEPTH, MAX_LIST_ITEMS, MAX_PARAMETERS, MAX_QUERY_BYTES } from './limits.ts'
export { filterSuffix, markFilter, nameSuffix } from './written.ts'
export type { FilterParam, QueryParamError, QueryParams } from './types.ts'
