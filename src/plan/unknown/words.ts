/** Words of other query languages, and the parameters that have the same meaning here. */

import { PAGE_PARAMETER_NAMES, PAGE_PARAMETERS, type OtherWords } from '../../base/page-styles.ts'

/** A name in lower case and without separators: `per-page`, `perPage` and `PER_PAGE` all become `perpage`. */
export function plain (name: string): string {
  return name.toLowerCase().replace(/[-_.:\s]+/g, '')
}

/** The spellings of each parameter in other query languages. */
const OTHER_WORDS: ReadonlyArray<readonly [parameter: string, words: OtherWords]> = [
  ['filter', { refused: ['filters'], suggested: ['where'] }],
  ['sort', { refused: ['sorts', 'orderBy'], suggested: ['order', 'ordering', 'sortBy'] }],
  ['include', { refused: ['includes'], suggested: ['expand', 'populate', 'with', 'embed'] }],
  ['fields', { refused: ['field'], suggested: ['select', 'only'] }],
  ['facets', { refused: [], suggested: ['facet', 'facetBy'] }],
  ['group', { refused: [], suggested: ['groups', 'groupBy'] }],
  ['aggregate', { refused: [], suggested: ['aggregates', 'agg'] }],
  ...PAGE_PARAMETER_NAMES.map((name) => [name, PAGE_PARAMETERS[name].words] as const),
]

/** The parameter that was probably meant, by the plain form of the word. */
export const MEANT: ReadonlyMap<string, string> = new Map(
  OTHER_WORDS.flatMap(([parameter, { refused, suggested }]) =>
    [...refused, ...suggested].map((word) => [plain(word), parameter] as const)
  )
)

/** The exact spellings that are refused on every route. */
export const REFUSED: ReadonlySet<string> = new Set(OTHER_WORDS.flatMap(([, { refused }]) => refused))

/** Words for a search, in plain form. */
export const SEARCHES: ReadonlySet<string> = new Set(['q', 'search', 'query'])
