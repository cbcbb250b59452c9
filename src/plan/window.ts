/** Plans the pagination: which rows make the page, within `maxPerPage` and `maxOffset` of the whitelist. */
import type { Pagination } from '../config/index.ts'
import type { ErrorSource } from '../errors.ts'
import type { QueryParams } from '../query/index.ts'
import type { QueryErrors } from './query-errors.ts'
import { refusal } from './refusal.ts'
import type { Window } from './types.ts'

const CODE = 'FST_CRUD_PAGINATION_INVALID'

const isOf = (source: ErrorSource | undefined, parameter: string): boolean =>
  source !== undefined && 'parameter' in source && source.parameter === parameter

/**
 * Plans the window of a list. The default is page 1 of the default size. For a page by cursor, only the limit of the
 * window is used.
 */
export function planWindow (params: QueryParams, pagination: Pagination, errors: QueryErrors): Window {
  const { defaultPerPage, maxPerPage, maxOffset, count } = pagination
  const byOffset = params.limit !== undefined || params.offset !== undefined
  const limit = (byOffset ? params.limit : params.per_page) ?? defaultPerPage
  const offset = byOffset ? params.offset ?? 0 : ((params.page ?? 1) - 1) * limit
  const sizeName = byOffset ? 'limit' : 'per_page'
  const tooLarge = limit > maxPerPage
  if (tooLarge) errors.push(refusal(CODE, sizeName, `'${sizeName}' is at most ${maxPerPage}.`))
  // if the size of the page is invalid, the number of rows that a page number skips is unknown
  const skips = byOffset || !(tooLarge || params.errors.some(({ source }) => isOf(source, sizeName)))
  if (skips && offset > maxOffset) {
    errors.push(
      refusal(
        CODE,
        byOffset ? 'offset' : 'page',
        `At most ${maxOffset} rows can be skipped; this would skip ${offset}.`
      )
    )
  }
  return { style: byOffset ? 'offset' : 'page', offset, limit, count }
}
