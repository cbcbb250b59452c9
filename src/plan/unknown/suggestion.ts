/**
 * Suggests a parameter for one that a route does not take. Suggestions contain only names of the whitelist, and never
 * the names of hidden properties.
 */
import { rootOf, type QueryParams } from '../../query/index.ts'
import { isTypo, nearest } from '../../base/suggest.ts'
import type { Whitelist } from '../whitelist/index.ts'
import { filterFor, hasOperator, nearestFilter } from './filter-name.ts'
import { MEANT, plain, SEARCHES } from './words.ts'

/** The form of the parameters of filters. */
export const ANY_FILTER = 'filter[<name>]'

/** Minimum length of a name in which typing errors are looked for. A shorter name could be anything. */
const MIN_TYPO_LENGTH = 3

/**
 * Returns the parameter of the route that was probably meant, or `undefined` if no parameter is likely.
 *
 * @param taken names of the parameters that the route takes
 * @param params the parameters of the same request
 */
export function suggestionFor (
  name: string,
  taken: readonly string[],
  whitelist: Whitelist,
  params: Pick<QueryParams, 'include'>
): string | undefined {
  const root = rootOf(name)
  const levels = name.slice(root.length).split(/[[\]]+/).filter((level) => level !== '')
  const word = plain(root)
  const meant = (parameter: string | undefined): string | undefined => {
    if (parameter === undefined || !taken.includes(parameter)) return undefined
    switch (parameter) {
      case 'filter':
        return nearestFilter(levels, whitelist)
      case 'fields':
        return fieldsOf(levels, whitelist, params)
      default:
        return parameter
    }
  }

  const own = taken.find((parameter) => plain(parameter) === word)
  if (own !== undefined) return meant(own)
  const filters = taken.includes('filter')
  return (filters ? filterFor([root, ...levels], whitelist) : undefined) ??
    (filters && SEARCHES.has(word) ? searchOf(whitelist) : undefined) ??
    meant(MEANT.get(word)) ??
    (filters ? prefixed(root, levels, whitelist) : undefined) ??
    (MEANT.has(word) ? undefined : nearly(root, levels, taken, whitelist, meant))
}

/**
 * Whether a parameter is a filter in another notation: with brackets, an operator, or the word `filter`. A name alone,
 * such as `title`, may have any meaning.
 *
 * @param suggestion the suggestion for the name
 */
export function isWrittenAsFilter (name: string, suggestion: string | undefined, whitelist: Whitelist): boolean {
  const root = rootOf(name)
  const word = plain(root)
  if (root !== name && (word === 'filter' || MEANT.get(word) === 'filter')) return true
  if (suggestion === undefined || !suggestion.includes('[')) return false
  return root !== name || hasOperator(name, whitelist) || prefixed(name, [], whitelist) === suggestion
}

/** Whether a name stands for filters as a whole, such as `filters`, `fliter` and `where`, and names none of them. */
export function standsForFilters (name: string): boolean {
  const word = plain(name)
  return isTypo(word, 'filter') || word === 'filter' || MEANT.get(word) === 'filter'
}

/** Suggests a filter for names with the prefix `filter`: `filter.title`, `filter_title` and `filterTitle`. */
function prefixed (root: string, levels: readonly string[], whitelist: Whitelist): string | undefined {
  const rest = /^filters?[-_.:]*(.+)$/i.exec(root)?.[1]
  // the plural alone names no filter
  return rest === undefined || /^s$/i.test(rest) ? undefined : nearestFilter([rest, ...levels], whitelist)
}

/**
 * Suggests a parameter or a filter for a name with a typing error. The first letters must be equal, because the first
 * letter is rarely wrong: `name` is not a misspelt `page`.
 */
function nearly (
  root: string,
  levels: readonly string[],
  taken: readonly string[],
  whitelist: Whitelist,
  meant: (parameter: string) => string | undefined
): string | undefined {
  if (root.length < MIN_TYPO_LENGTH) return undefined
  const filters = taken.includes('filter') ? [...whitelist.filters.keys()] : []
  const near = nearest(root, [...new Set([...taken, ...filters])].filter((name) => name[0] === root[0]))
  if (near === undefined) return undefined
  return taken.includes(near) ? meant(near) : filterFor([near, ...levels], whitelist)
}

/** Suggests `fields[author]` if the relation is included, or if it is the name of the resource. */
function fieldsOf (
  [path]: readonly string[],
  { names, includes }: Whitelist,
  { include }: Pick<QueryParams, 'include'>
): string | undefined {
  if (path === undefined) return 'fields'
  const included = includes.get(path)?.kind === 'relation' &&
    include.some((other) => other === path || other.startsWith(`${path}.`))
  return included || names.has(path) ? `fields[${path}]` : undefined
}

function searchOf ({ filters }: Whitelist): string | undefined {
  for (const { kind, name } of filters.values()) {
    if (kind === 'search' || kind === 'fullText') return `filter[${name}]`
  }
  return undefined
}
