/** Reads and changes the parameters that hold lists of names: `sort`, `include`, `fields`. */
import type { Pair } from './address.ts'

/** The order of parameters in a query string. Unknown ones come last. */
const ORDER = [
  'group', 'aggregate', 'filter', 'sort', 'include', 'fields', 'facets', 'page', 'per_page', 'limit', 'offset',
  'cursor',
]

const rank = ([name]: Pair): number => {
  const index = ORDER.indexOf(name.replace(/\[[^]*$/, ''))
  return index === -1 ? ORDER.length : index
}

/** Sorts parameters in the order of the documentation. Those of one kind keep their order. */
export function inOrder (params: readonly Pair[]): Pair[] {
  return [...params].sort((a, b) => rank(a) - rank(b))
}

/** The parameters that say which page of a list to return, without the size of pages. */
const PLACES = new Set(['page', 'offset', 'cursor'])

/**
 * Returns to the first page, because another condition or another order makes other pages. A list that is paged by
 * cursor stays one.
 */
export function atStart (params: readonly Pair[]): Pair[] {
  return params.flatMap(([name, text]): Pair[] =>
    name === 'cursor' ? [['cursor', '']] : PLACES.has(name) ? [] : [[name, text]]
  )
}

/** The value of a parameter, or `undefined` if the query string lacks it. */
export function valueOf (params: readonly Pair[], name: string): string | undefined {
  return params.find(([key]) => key === name)?.[1]
}

/** The names in all occurrences of a parameter. Returns `undefined` if it is not given. */
export function namesOf (params: readonly Pair[], parameter: string): string[] | undefined {
  const found = params.filter(([name]) => name === parameter || name === `${parameter}[]`)
  if (found.length === 0) return undefined
  return found.flatMap(([, text]) => text.split(',')).map((name) => name.trim()).filter((name) => name !== '')
}

/** Replaces a list of names. An empty list removes the parameter. */
export function withNames (params: readonly Pair[], parameter: string, names: readonly string[]): Pair[] {
  const others = params.filter(([name]) => name !== parameter && name !== `${parameter}[]`)
  return inOrder(names.length === 0 ? others : [...others, [parameter, names.join()]])
}

export type Direction = 'asc' | 'desc'

/** One column of the order. `direction` is `undefined` if the URL leaves it to the whitelist. */
export interface SortUse {
  readonly name: string
  readonly direction: Direction | undefined
}

/** The order that the URL asks for. */
export function sortsOf (params: readonly Pair[]): SortUse[] {
  return (namesOf(params, 'sort') ?? []).map((text) => {
    const sign = text[0]
    if (sign === '-') return { name: text.slice(1), direction: 'desc' }
    return sign === '+' ? { name: text.slice(1), direction: 'asc' } : { name: text, direction: undefined }
  })
}

/**
 * Replaces the order, and returns to the first page.
 *
 * @param usual the direction of a name without a sign
 */
export function withSorts (
  params: readonly Pair[],
  sorts: readonly SortUse[],
  usual: (name: string) => Direction
): Pair[] {
  const written = sorts.map(({ name, direction = usual(name) }) =>
    direction === 'desc' ? `-${name}` : usual(name) === 'asc' ? name : `+${name}`
  )
  return withNames(atStart(params), 'sort', written)
}

/**
 * The order after a click on a header: first ascending, then descending, then without the column.
 *
 * @param add whether the other columns of the order stay
 */
export function toggledSorts (
  sorts: readonly SortUse[],
  name: string,
  add: boolean,
  usual: (name: string) => Direction
): SortUse[] {
  const present = sorts.find((sort) => sort.name === name)
  const direction = present && (present.direction ?? usual(name))
  const next: SortUse[] = direction === 'desc' ? [] : [{ name, direction: direction === 'asc' ? 'desc' : 'asc' }]
  if (!add) return next
  if (present === undefined) return [...sorts, ...next]
  return sorts.flatMap((sort) => sort === present ? next : [sort])
}

/** Includes a relation, or removes it together with everything below it. */
export function withInclude (params: readonly Pair[], path: string, on: boolean): Pair[] {
  const includes = namesOf(params, 'include') ?? []
  if (on) return withNames(params, 'include', includes.includes(path) ? includes : [...includes, path])
  const isBelow = (other: string): boolean => other === path || other.startsWith(`${path}.`)
  const fields = params.filter(([name]) => {
    const relation = /^fields\[([^\]]*)\]/.exec(name)?.[1]
    return relation === undefined || !isBelow(relation)
  })
  return withNames(fields, 'include', includes.filter((other) => !isBelow(other)))
}

/** The parameter with the fields of the resource, or of an included relation. */
export const fieldsParameter = (path: string): string => path === '' ? 'fields' : `fields[${path}]`
