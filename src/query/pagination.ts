/**
 * Reads the pagination parameters. A query string may use one of three pairs: `page` and `per_page`, `limit` and
 * `offset`, or `cursor` and `per_page`.
 * `planWindow` in `src/plan/window.ts` checks later whether a number is within the maximums of a whitelist.
 */
import { queryError } from './query-error.ts'
import type { QueryParamError } from './types.ts'

const CODE = 'FST_CRUD_PAGINATION_INVALID'

export type PaginationName = 'page' | 'per_page' | 'limit' | 'offset' | 'cursor'

/** For each parameter, those that it must not be combined with. */
const RIVALS: Readonly<Record<PaginationName, readonly PaginationName[]>> = {
  page: ['limit', 'offset', 'cursor'],
  per_page: ['limit', 'offset'],
  limit: ['page', 'per_page', 'cursor'],
  offset: ['page', 'per_page', 'cursor'],
  cursor: ['page', 'limit', 'offset'],
}

interface PaginationValues {
  page?: number
  per_page?: number
  limit?: number
  offset?: number
  cursor?: string
}

/** The pagination read so far: the values, and how often each parameter was given. */
export interface PaginationDraft {
  readonly values: PaginationValues
  readonly given: Record<PaginationName, number>
  mixed: boolean
}

export function newPagination (): PaginationDraft {
  return { values: {}, given: { page: 0, per_page: 0, limit: 0, offset: 0, cursor: 0 }, mixed: false }
}

/**
 * Takes one pagination parameter. If it is not valid, the reason is added to `errors`.
 *
 * @param name the root of the parameter's name
 * @param parameter the whole name. It differs from `name` if it has brackets, which are an error here.
 */
export function takePagination (
  draft: PaginationDraft,
  name: PaginationName,
  parameter: string,
  text: string,
  errors: QueryParamError[]
): void {
  if (parameter !== name) {
    errors.push(queryError(CODE, parameter, `${name} takes one value and no brackets.`, { suggestion: name }))
    return
  }
  const before = draft.given[name]++
  if (before > 0) {
    if (before === 1) errors.push(queryError(CODE, name, `${name} is given more than once.`))
    return
  }
  if (!draft.mixed && RIVALS[name].some((rival) => draft.given[rival] > 0)) {
    draft.mixed = true
    errors.push(queryError(CODE, name, 'Use either page and per_page, or limit and offset, or cursor and per_page.'))
  }
  if (name === 'cursor') draft.values.cursor = text
  else takeNumber(draft, name, text, errors)
}

/** Copies the values that were read. */
export function finishPagination (target: PaginationValues, { values }: PaginationDraft): void {
  if (values.page !== undefined) target.page = values.page
  if (values.per_page !== undefined) target.per_page = values.per_page
  if (values.limit !== undefined) target.limit = values.limit
  if (values.offset !== undefined) target.offset = values.offset
  if (values.cursor !== undefined) target.cursor = values.cursor
}

function takeNumber (
  draft: PaginationDraft,
  name: Exclude<PaginationName, 'cursor'>,
  text: string,
  errors: QueryParamError[]
): void {
  const minimum = name === 'offset' ? 0 : 1
  const value = /^[0-9]+$/.test(text) ? Number(text) : NaN
  if (Number.isSafeInteger(value) && value >= minimum) {
    draft.values[name] = value
  } else if (value > Number.MAX_SAFE_INTEGER) {
    errors.push(queryError(CODE, name, `${name} is too large.`))
  } else {
    errors.push(queryError(CODE, name, `${name} must be a whole number, at least ${minimum}, in decimal digits only.`))
  }
}
