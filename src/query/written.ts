/**
 * Remembers how the parameters of a query were written: with `[]`, such as `filter[id][in][]` and `sort[]`, in a group,
 * or as JSON. Errors name parameters as the client wrote them, and JSON values are not texts. `QueryParams` itself does
 * not say it, because a tree is the same value however it is written. Few parameters need a note, so only these have
 * one, outside of the params.
 */
import type { JsonKind } from './json-values.ts'
import type { FilterParam } from './parsed-query.ts'

/** How a filter was written. */
interface FilterNote {
  /** Whether its name ends in `[]`. */
  readonly list?: boolean
  /** Whether it comes from the body of a request or from a program, where lists may be longer. */
  readonly inBody?: boolean
  /** The brackets of the groups around it: `[or][0]`. */
  readonly groups?: string
  /** Its place in the JSON of a tree: `/filter/or/0/status`. */
  readonly pointer?: string
  /** The kinds of its value, or of the items of its list, in JSON. */
  readonly kinds?: readonly JsonKind[] | undefined
}

const NO_NOTE: FilterNote = Object.freeze({})
const filterNotes = new WeakMap<FilterParam, FilterNote>()
const bracketedNames = new WeakMap<readonly string[], ReadonlySet<string>>()
const trees = new WeakSet<object>()

/** Remembers how a filter was written, in addition to what is known of it. */
export function noteFilter (param: FilterParam, note: FilterNote): void {
  filterNotes.set(param, { ...filterNotes.get(param), ...note })
}

/** How a filter was written. */
export const noteOf = (param: FilterParam): FilterNote => filterNotes.get(param) ?? NO_NOTE

/** Remembers that params were read from a tree, whose errors point into JSON. */
export function markTree (params: object): void {
  trees.add(params)
}

/** Whether params were read from a tree. */
export const isFromTree = (params: object): boolean => trees.has(params)

/** Remembers which names of a list were given only with `[]`. */
export function markNames (list: readonly string[], names: ReadonlySet<string>): void {
  bracketedNames.set(list, names)
}

/** The end of the parameter (`sort`, `include`, `fields` or `fields[<include>]`) that contains a name, as written. */
export function nameSuffix (list: readonly string[], name: string): '[]' | '' {
  return bracketedNames.get(list)?.has(name) === true ? '[]' : ''
}
