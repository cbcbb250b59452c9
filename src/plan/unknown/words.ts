/** Words of other query languages, and the parameters that they stand for here. */

/** A name without regard to case, and to what separates its words: `per-page`, `perPage` and `PER_PAGE` are one. */
export function plain (name: string): string {
  return name.toLowerCase().replace(/[-_.:\s]+/g, '')
}

const meaning = (meant: string, words: readonly string[]): ReadonlyArray<readonly [string, string]> =>
  words.map((word) => [word, meant])

/** By the plain form of the word. */
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

/** Words for a search, by plain form. */
export const SEARCHES: ReadonlySet<string> = new Set(['q', 'search', 'query'])

/**
 * Names that are refused wherever a query string is planned, also by an application's own routes: no parameter of theirs is
 * likely to be called that, and ignored they would return too much.
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
