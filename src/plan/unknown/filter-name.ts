/** Finds the filter that a client probably meant by a name that is not written as a filter. */
import { isOperator, OPERATOR_NAMES } from '../../operators/index.ts'
import { nearest } from '../../base/suggest.ts'
import { takesOperators, type FilterEntry } from '../filters/index.ts'
import type { Whitelist } from '../whitelist/index.ts'
import { plain } from './words.ts'

interface MeantFilter {
  readonly entry: FilterEntry
  /** The operator as the client wrote it, if there is one. */
  readonly operator?: string
}

/** Writes the parameter of a filter that was found, with the operator if the filter allows it. */
function written ({ entry, operator }: MeantFilter): string {
  const allowed = isOperator(operator) && takesOperators(entry) && entry.operators.has(operator)
  return allowed ? `filter[${entry.name}][${operator}]` : `filter[${entry.name}]`
}

/**
 * Returns the parameter of an allowed filter for a name such as `title`, `Title`, `title__contains` or
 * `title_contains`. The name may be given in parts, such as `title` and `contains`, or `author` and `name`.
 */
export function filterFor (parts: readonly string[], whitelist: Whitelist): string | undefined {
  const found = find(parts, whitelist)
  return found && written(found)
}

/** Whether a name is the name of an allowed filter followed by an operator, such as `title__contains`. */
export function hasOperator (name: string, whitelist: Whitelist): boolean {
  return find([name], whitelist)?.operator !== undefined
}

/** Returns the parameter of an allowed filter for a name that may contain a typing error. */
export function nearestFilter (parts: readonly string[], whitelist: Whitelist): string | undefined {
  const exact = filterFor(parts, whitelist)
  if (exact !== undefined) return exact
  const names = [...whitelist.filters.keys()]
  const [name] = parts
  const near = name === undefined ? undefined : nearest(parts.join('.'), names) ?? nearest(name, names)
  return near === undefined ? undefined : written({ entry: whitelist.filters.get(near)!, operator: parts.at(-1) })
}

function find (parts: readonly string[], whitelist: Whitelist): MeantFilter | undefined {
  const path = parts.join('.')
  const whole = allowedFilter(path, whitelist)
  if (whole !== undefined) return { entry: whole }
  const last = parts.at(-1)
  if (parts.length > 1 && last !== undefined) {
    const entry = allowedFilter(parts.slice(0, -1).join('.'), whitelist)
    // other query languages write operators as $eq or _eq
    if (entry !== undefined) return { entry, operator: last.replace(/^[$_]/, '').toLowerCase() }
  }
  for (const operator of OPERATOR_NAMES) {
    const base = withoutEnd(path, operator)
    const entry = base === undefined ? undefined : allowedFilter(base, whitelist)
    if (entry !== undefined) return { entry, operator }
  }
  return undefined
}

/**
 * Removes an operator from the end of a name: `title__contains`, `title_contains`, `title.contains`, `title:contains`
 * and `title-contains` become `title`.
 */
function withoutEnd (path: string, operator: string): string | undefined {
  if (!path.toLowerCase().endsWith(operator)) return undefined
  const rest = path.slice(0, -operator.length)
  const base = rest.replace(/[-_.:$]{1,3}$/, '')
  return base === rest ? undefined : base
}

/** Finds a filter by its name, or else the filter whose name differs only in case and separators. */
function allowedFilter (name: string, { filters }: Whitelist): FilterEntry | undefined {
  const exact = filters.get(name)
  if (exact !== undefined || name === '') return exact
  const wanted = plain(name)
  for (const entry of filters.values()) if (plain(entry.name) === wanted) return entry
  return undefined
}
