/**
 * How parameters were written, where `QueryParams` doesn't tell: `filter[id][in][]`, `sort[]`. Errors name parameters as
 * they are in the URL. Few are written with `[]`, so it is kept beside the params, for those only.
 */
import type { FilterParam } from './types.ts'

const bracketedFilters = new WeakSet<FilterParam>()
const bracketedNames = new WeakMap<readonly string[], ReadonlySet<string>>()

/** Remembers that a filter was written with `[]`. */
export function markFilter (param: FilterParam): void {
  bracketedFilters.add(param)
}

/** Remembers which names of a list were given with `[]` only. */
export function markNames (list: readonly string[], names: ReadonlySet<string>): void {
  bracketedNames.set(list, names)
}

/** The end of a filter's name as written: `[]`, or nothing. */
export function filterSuffix (param: FilterParam): '[]' | '' {
  return bracketedFilters.has(param) ? '[]' : ''
}

/** The same for one of the names in `sort`, `include`, `fields` or `fields[<include>]`. */
export function nameSuffix (list: readonly string[], name: string): '[]' | '' {
  return bracketedNames.get(list)?.has(name) === true ? '[]' : ''
}
