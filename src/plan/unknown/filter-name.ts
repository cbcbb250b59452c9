/** The filter that is meant by a name that is not written as one. */
import { isOperator, OPERATOR_NAMES } from '../../operators/index.ts'
import { nearest } from '../../suggest.ts'
import { takesOperators, type FilterEntry } from '../filters/index.ts'
import type { Whitelist } from '../whitelist/index.ts'
import { plain } from './words.ts'

interface Found {
  readonly entry: FilterEntry
  /** As written, if there is one. */
  readonly operator?: string
}

/** How a filter that was found is written: with its operator, if it allows that. */
function written ({ entry, operator }: Found): string {
  const allowed = isOperator(operator) && takesOperators(entry) && entry.operators.has(operator)
  return allowed ? `filter[${entry.name}][${operator}]` : `filter[${entry.name}]`
}

/**
 * `title`, `Title`, `title__contains`, `title_contains`, or in parts, `title` and `contains`, `author` and `name`, as an allowed
 * filter is written.
 */
export function filterFor (parts: readonly string[], whitelist: Whitelist): string | undefined {
  const found = find(parts, whitelist)
  return found && written(found)
}

/** Whether a name is that of an allowed filter with an operator behind it: `title__contains`. */
export function hasOperator (name: string, whitelist: Whitelist): boolean {
  return find([name], whitelist)?.operator !== undefined
}

/** The same where the name may hold a mistake. */
export function nearestFilter (parts: readonly string[], whitelist: Whitelist): string | undefined {
  const exact = filterFor(parts, whitelist)
  if (exact !== undefined) return exact
  const names = [...whitelist.filters.keys()]
  const [name] = parts
  const near = name === undefined ? undefined : nearest(parts.join('.'), names) ?? nearest(name, names)
  return near === undefined ? undefined : written({ entry: whitelist.filters.get(near)!, operator: parts.at(-1) })
}

function find (parts: readonly string[], whitelist: Whitelist): Found | undefined {
  const path = parts.join('.')
  const whole = named(path, whitelist)
  if (whole !== undefined) return { entry: whole }
  const last = parts.at(-1)
  if (parts.length > 1 && last !== undefined) {
    const entry = named(parts.slice(0, -1).join('.'), whitelist)
    // some write operators as $eq or _eq
    if (entry !== undefined) return { entry, operator: last.replace(/^[$_]/, '').toLowerCase() }
  }
  for (const operator of OPERATOR_NAMES) {
    const base = withoutEnd(path, operator)
    const entry = base === undefined ? undefined : named(base, whitelist)
    if (entry !== undefined) return { entry, operator }
  }
  return undefined
}

/** `title` of `title__contains`, `title_contains`, `title.contains`, `title:contains` and `title-contains`. */
function withoutEnd (path: string, operator: string): string | undefined {
  if (!path.toLowerCase().endsWith(operator)) return undefined
  const rest = path.slice(0, -operator.length)
  const base = rest.replace(/[-_.:$]{1,3}$/, '')
  return base === rest ? undefined : base
}

/** By name, or else the one that differs in case and separators only. */
function named (name: string, { filters }: Whitelist): FilterEntry | undefined {
  const exact = filters.get(name)
  if (exact !== undefined || name === '') return exact
  const wanted = plain(name)
  for (const entry of filters.values()) if (plain(entry.name) === wanted) return entry
  return undefined
}
