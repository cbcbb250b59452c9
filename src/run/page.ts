/** The answer of a list: items as the database wrote them, and what the page tells about the rest. */
import type { Window } from '../plan/index.ts'
import type { CursorInfo } from './keyset.ts'
import type { Row } from './statement.ts'

/** What stands beside the items of a page. */
export interface PageInfo {
  readonly total: number | null
  readonly page: number
  readonly per_page: number
  readonly total_pages: number | null
  readonly has_next: boolean
  readonly has_prev: boolean
}

/** What stands beside the items of a list by offset. */
export interface OffsetInfo {
  readonly total: number | null
  readonly limit: number
  readonly offset: number
  readonly has_next: boolean
  readonly has_prev: boolean
}

/**
 * What a list's row tells about its page.
 *
 * @param row with `fetched`, the number of rows found, and `total`
 */
export function pageInfo ({ style, offset, limit, count }: Window, row: Row): PageInfo | OffsetInfo {
  const fetched = Number(row.fetched)
  const total = row.total === null ? null : Number(row.total)
  const ends = {
    has_next: total === null || count === 'planned' ? fetched > limit : offset + fetched < total && fetched > 0,
    has_prev: offset > 0 && total !== 0,
  }
  if (style === 'offset') return { total, limit, offset, ...ends }
  return {
    total,
    page: offset / limit + 1,
    per_page: limit,
    total_pages: total === null ? null : Math.ceil(total / limit),
    ...ends,
  }
}

/** The total that a page tells, of which one row more was fetched: it is the last one, or the first and empty. */
export function totalOfPage ({ offset, limit }: Window, row: Row): number | undefined {
  const fetched = Number(row.fetched)
  return fetched <= limit && (fetched > 0 || offset === 0) ? offset + fetched : undefined
}

/**
 * The planner's estimate of a total, within what the page shows: at least its rows and the next one, and no row where
 * it begins when it is empty.
 *
 * @param plan the row of `explain (format json)`
 */
export function plannedTotal ({ offset }: Window, row: Row, plan: Row): number {
  const text = plan['QUERY PLAN']
  const [{ Plan }] = (typeof text === 'string' ? JSON.parse(text) : text) as [{ Plan: { 'Plan Rows': number } }]
  const fetched = Number(row.fetched)
  return fetched === 0 ? Math.min(Plan['Plan Rows'], offset) : Math.max(Plan['Plan Rows'], offset + fetched)
}

/** The whole answer as JSON text. */
export function pageJson (items: string, info: PageInfo | OffsetInfo | CursorInfo): string {
  // the information's own JSON, its opening brace replaced
  return `{"items":${items},${JSON.stringify(info).slice(1)}`
}
