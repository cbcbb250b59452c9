/** Words of other query languages, and the parameters that have the same meaning here. */

/** A name in lower case and without separators: `per-page`, `perPage` and `PER_PAGE` all become `perpage`. */
export function plain (name: string): string {
  return name.toLowerCase().replace(/[-_.:\s]+/g, '')
}

const meaning = (meant: string, words: readonly string[]): ReadonlyArray<readonly [string, string]> =>
  words.map((word) => [word, meant])

/** The parameters by the plain form of the word. */
export const WORDS: ReadonlyMap<string, string> = new Map([
  ...meaning('filter', ['filters', 'where']),
  ...meaning('sort', ['sorts', 'order', 'orderby', 'ordering', 'sortby']),
  ...meaning('include', ['includes', 'expand', 'populate', 'with', 'embed']),
  ...meaning('fields', ['field', 'select', 'only']),
  ...meaning('per_page', ['pagesize', 'size']),
  ...meaning('limit', ['take', 'top']),
  ...meaning('offset', ['skip', 'start']),
  ...meaning('page', ['pagenumber']),
])

/** Words for a search, in plain form. */
export const SEARCHES: ReadonlySet<string> = new Set(['q', 'search', 'query'])

/**
 * Names that the planner refuses in every query string, even on routes of the application. An application is unlikely
 * to use these names for its parameters, and a request in which they were ignored would return too many rows.
 */
export const NEAR_MISSES: ReadonlySet<string> = new Set([
  'filters',
  'sorts',
  'orderBy',
  'includes',
  'field',
  'perPage',
  'pageSize',
  'page_size',
  'per-page',
])
