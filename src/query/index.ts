/**
 * The query language. This stage turns the text of a query string into `QueryParams`, and back. It knows only the
 * grammar: no whitelist, operator or type. It refuses text that does not fit the grammar, names that must never become
 * an object's key, and everything that exceeds the limits in limits.ts. The parser does not throw these errors. It
 * lists them in `QueryParams.errors`.
 */
export { NO_PARAMS, parseQueryBody, parseQueryParams, parseRequestQuery } from './parse.ts'
export { parseQueryTree, TREE_MEMBERS } from './read-tree.ts'
export { groupForm } from './read-filter-tree.ts'
export type { FilterTree, FilterTreeCondition, FilterTreeValue, QueryTree } from './query-tree.ts'
export { isFixedParameter, isParameter, rootOf, type ParseOptions } from './draft.ts'
export { stringifyQueryParams } from './stringify.ts'
export { joinList, splitList } from './list-syntax.ts'
export { pointed, pointerOf } from './query-error.ts'
export { readSortItem } from './read-names.ts'
export {
  MAX_BODY_LIST_ITEMS, MAX_CONDITIONS, MAX_GROUP_DEPTH, MAX_LIST_ITEMS, MAX_QUERY_BODY_BYTES, MAX_QUERY_BYTES,
} from './limits.ts'
export { isGroupWord, isOr, type GroupWord } from './filter-names.ts'
export type { JsonKind } from './json-values.ts'
export { isFromTree, markTree, nameSuffix, noteFilter, noteOf } from './written.ts'
export {
  SUMMARY_PARAMETERS, type FilterGroup, type FilterLevel, type FilterParam, type QueryParamError, type QueryParams,
  type SummaryParameter,
} from './parsed-query.ts'
