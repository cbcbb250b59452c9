/** Names that clients of other libraries would write. They are refused: ignored, they would return too much. */
import { queryError, shown } from './query-error.ts'
import type { QueryParamError } from './types.ts'

const MEANT = new Map([
  ['filters', 'filter'],
  ['sorts', 'sort'],
  ['orderBy', 'sort'],
  ['includes', 'include'],
  ['field', 'fields'],
  ['perPage', 'per_page'],
  ['per-page', 'per_page'],
  ['pageSize', 'per_page'],
  ['page_size', 'per_page'],
])

/** Whether `root`, the part of a name before its brackets, is nearly one of ours. */
export function isNearMiss (root: string): boolean {
  return MEANT.has(root)
}

/** The error of a near miss. It suggests the whole parameter where ours takes brackets, too: `filter[name]`. */
export function nearMissError (name: string, root: string): QueryParamError {
  const meant = MEANT.get(root)!
  const takesBrackets = meant === 'filter' || meant === 'fields'
  const suggestion = takesBrackets ? meant + name.slice(root.length) : meant
  return queryError('FST_CRUD_QUERY_INVALID', name, `There is no parameter "${root}". Did you mean "${meant}"?`, { suggestion: shown(suggestion) })
}
