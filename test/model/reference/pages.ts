/** Which part of a list an answer has, and what it says about the rest. */
import type { Value, Whitelist } from './description.ts'
import type { Problem } from './problems.ts'

/** From where to where, and how the answer shows it. */
export interface Window {
  readonly style: 'page' | 'offset' | 'cursor'
  readonly skip: number
  readonly size: number
}

const MIXTURES = [
  ['page', 'limit'],
  ['page', 'offset'],
  ['page', 'cursor'],
  ['per_page', 'limit'],
  ['per_page', 'offset'],
  ['limit', 'cursor'],
  ['offset', 'cursor'],
]

/** One of three ways; without any it is page 1. `undefined`: it can't be read, or is out of bounds. */
export function readWindow (
  whitelist: Whitelist,
  given: Readonly<Record<string, string>>,
  problems: Problem[]
): Window | undefined {
  const mixed = MIXTURES.some(([a, b]) => a! in given && b! in given)
  if (mixed) {
    problems.push({ kind: 'pagination', parameter: ANY_OF_THE_MIXTURE })
    return undefined
  }
  const number = (name: string, least: number, most: number, otherwise: number): number => {
    const text = given[name]
    if (text === undefined) return otherwise
    const value = Number(text)
    if (/^\d+$/.test(text) && value >= least && value <= most) return value
    problems.push({ kind: 'pagination', parameter: name })
    return NaN
  }
  const size = 'limit' in given || 'offset' in given
    ? number('limit', 1, whitelist.maxPerPage, whitelist.perPage)
    : number('per_page', 1, whitelist.maxPerPage, whitelist.perPage)
  if ('cursor' in given) {
    // the reference makes no cursors: any but the empty one is garbage to it
    if (given['cursor'] !== '') problems.push({ kind: 'pagination', parameter: 'cursor' })
    return { style: 'cursor', skip: 0, size }
  }
  const style = 'limit' in given || 'offset' in given ? 'offset' : 'page'
  const skip = style === 'offset' ? number('offset', 0, Infinity, 0) : (number('page', 1, Infinity, 1) - 1) * size
  // a page number skips an unknown number of rows if the size of the page is wrong: that is no problem of its own
  if (skip > whitelist.maxOffset) problems.push({ kind: 'pagination', parameter: style })
  return { style, skip, size }
}

/** The page does not say which parameter the error of a mixture names. */
export const ANY_OF_THE_MIXTURE = '(any)'

/** An answer's body. Where a cursor leads somewhere it stands as `true`, since its text is nobody's business. */
export function pageOf (
  items: readonly Value[],
  { style, skip, size }: Window,
  { count }: Whitelist
): Record<string, Value> {
  const total = count === 'none' ? null : items.length
  const page = items.slice(skip, skip + size)
  // behind the end of nothing there is no previous page; without a total that is not known
  const has = { has_next: skip + size < items.length, has_prev: skip > 0 && total !== 0 }
  switch (style) {
    case 'page':
      return {
        items: page,
        total,
        page: skip / size + 1,
        per_page: size,
        total_pages: total === null ? null : Math.ceil(total / size),
        ...has,
      }
    case 'offset':
      return { items: page, total, limit: size, offset: skip, ...has }
    case 'cursor':
      return {
        items: page,
        per_page: size,
        next_cursor: has.has_next || null,
        prev_cursor: has.has_prev || null,
        ...has,
      }
  }
}
