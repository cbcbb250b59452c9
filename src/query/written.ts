/**
 * Remembers which parameters were written with `[]`, such as `filter[id][in][]` and `sort[]`. Errors need this, because
 * they name parameters as the URL does. `QueryParams` itself does not say it. Few parameters are written with `[]`, so
 * only these are remembered, outside of the params.
 */
import type { FilterParam } from './parsed-query.ts'

const bracketedFilters = new WeakSet<FilterParam>()
const bracketedNames = new WeakMap<readonly string[], ReadonlySet<string>>()

/** Remembers that a filter was written with `[]`. */
export function markFilter (param: FilterParam): void {
  bracketedFilters.add(param)
}

/** Remembers which names of a list were given only with `[]`. */
export function markNames (list: readonly string[], names: ReadonlySet<string>): void {
  bracketedNames.set(list, names)
}

/** The end of a filter's name as the client wrote it: `[]`, or nothing. */
export function filterSuffix (param: FilterParam): '[]' | '' {
  return bracketedFilters.has(param) ? '[]' : ''
}

/** The end of the parameter (`sort`, `include`, `fields` or `fields[<include>]`) that contains a name, as written. */
export function nameSuffix (list: readonly string[], name: string): '[]' | '' {
  return bracketedNames.get(list)?.has(name) === true ? '[]' : ''
}
