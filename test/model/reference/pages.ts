/** The part of a list that an answer has, and its information about the rest. */
import type { Value, Whitelist } from './description.ts'
import type { Problem } from './problems.ts'

/** The range of rows, and its form in the answer. */
export interface Window {
  readonly style: 'page' | 'offset' | 'cursor'
  readonly skip: number
  readonly size: number
  /** Whether the answer has a total. */
  readonly counted: boolean
}

type PageRules = Pick<Whitelist, 'perPage' | 'maxPerPage' | 'maxOffset' | 'count' | 'countParameter'>

const MIXTURES = [
  ['page', 'limit'], ['page', 'offset'], ['page', 'cursor'], ['per_page', 'limit'], ['per_page', 'offset'],
  ['limit', 'cursor'], ['offset', 'cursor'], ['cursor', 'count'],
]
const COUNTS = ['none', 'exact']

/** One of three styles. Without parameters it is page 1. `undefined`: it cannot be read, or is out of bounds. */
export function readWindow (
  whitelist: PageRules,
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
    // it is there twice, so that its value is unknown
    if (problems.some(({ kind, parameter }) => kind === 'pagination' && parameter === name)) return NaN
    const value = Number(text)
    if (/^\d+$/.test(text) && value >= least && value <= most) return value
    problems.push({ kind: 'pagination', parameter: name })
    return NaN
  }
  const size = 'limit' in given || 'offset' in given
    ? number('limit', 1, whitelist.maxPerPage, whitelist.perPage)
    : number('per_page', 1, whitelist.maxPerPage, whitelist.perPage)
  const { count = whitelist.count } = given
  if ('count' in given) {
    if (!COUNTS.includes(count)) problems.push({ kind: 'pagination', parameter: 'count', allowed: COUNTS })
    else if (!whitelist.countParameter) problems.push({ kind: 'pagination', parameter: 'count' })
  }
  const counted = count === 'exact'
  if ('cursor' in given) {
    // the reference makes no cursors, so it refuses all except the empty one
    if (given['cursor'] !== '') problems.push({ kind: 'pagination', parameter: 'cursor' })
    return { style: 'cursor', skip: 0, size, counted }
  }
  const style = 'limit' in given || 'offset' in given ? 'offset' : 'page'
  const skip = style === 'offset' ? number('offset', 0, Infinity, 0) : (number('page', 1, Infinity, 1) - 1) * size
  // with a wrong page size, the number of skipped rows is unknown, so that a page number is no further problem
  if (skip > whitelist.maxOffset) problems.push({ kind: 'pagination', parameter: style })
  return { style, skip, size, counted }
}

/** The documentation does not say which parameter the error of a mixture names. */
export const ANY_OF_THE_MIXTURE = '(any)'

/** The body of an answer. A cursor that leads somewhere is `true`, since its text is internal. */
export function pageOf (items: readonly Value[], { style, skip, size, counted }: Window): Record<string, Value> {
  const total = counted ? items.length : null
  const page = items.slice(skip, skip + size)
  // an empty list has no previous page behind its end; without a total, that is unknown
  const has = { has_next: skip + size < items.length, has_prev: skip > 0 && total !== 0 }
  switch (style) {
    case 'page':
      return {
        items: page, total, page: skip / size + 1, per_page: size,
        total_pages: total === null ? null : Math.ceil(total / size), ...has,
      }
    case 'offset':
      return { items: page, total, limit: size, offset: skip, ...has }
    case 'cursor':
      return {
        items: page, per_page: size, next_cursor: has.has_next || null, prev_cursor: has.has_prev || null, ...has,
      }
  }
}
