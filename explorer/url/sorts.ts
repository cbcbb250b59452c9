/** Reads and changes the order of a list: the parameter `sort`. */
import type { Pair } from './address.ts'
import { namesOf, withNames } from './names.ts'
import { atStart } from './pages.ts'

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
