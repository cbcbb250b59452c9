/** Pagination: which rows of the order are wanted. */
import type { Pagination } from '../config/index.ts'
import type { QueryParams } from '../query/index.ts'
import type { QueryErrors } from './query-errors.ts'
import { refusal } from './refusal.ts'
import type { Window } from './types.ts'

const CODE = 'FST_CRUD_PAGINATION_INVALID'

/** Plans the window of a list; page 1 of the default size when the request names none. Of a page by cursor, only its size counts. */
export function planWindow (params: QueryParams, pagination: Pagination, errors: QueryErrors): Window {
  const { defaultPerPage, maxPerPage, maxOffset, count } = pagination
  const byOffset = params.limit !== undefined || params.offset !== undefined
  const limit = (byOffset ? params.limit : params.per_page) ?? defaultPerPage
  const offset = byOffset ? params.offset ?? 0 : ((params.page ?? 1) - 1) * limit
  const sizeName = byOffset ? 'limit' : 'per_page'
  if (limit > maxPerPage) errors.push(refusal(CODE, sizeName, `'${sizeName}' is at most ${maxPerPage}.`))
  else if (offset > maxOffset) errors.push(refusal(CODE, byOffset ? 'offset' : 'page', `At most ${maxOffset} rows can be skipped; this would skip ${offset}.`))
  return { style: byOffset ? 'offset' : 'page', offset, limit, count }
}
