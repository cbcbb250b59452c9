/** Plans the pagination: which rows make the page, within `maxPerPage` and `maxOffset` of the whitelist. */
import type { Pagination } from '../config/index.ts'
import type { ErrorSource } from '../base/errors.ts'
import {
  COUNT_CHOICES, PAGE_PARAMETER_NAMES, PAGE_PARAMETERS, PAGE_STYLES, SKIPPING_STYLES, type PageParameterName,
  type SkippingStyle,
} from '../base/page-styles.ts'
import type { QueryParams } from '../query/index.ts'
import type { QueryErrors } from './query-errors.ts'
import { refusal } from './refusal.ts'
import type { Window } from './plan-types.ts'

const CODE = 'FST_CRUD_PAGINATION_INVALID'

/** The style of a request. The parser has refused parameters of several styles. */
function styleOf (params: QueryParams): SkippingStyle {
  return SKIPPING_STYLES.findLast((name) => {
    const { place, size } = PAGE_STYLES[name]
    return params[place] !== undefined || params[size] !== undefined
  }) ?? SKIPPING_STYLES[0]!
}

const isOf = (source: ErrorSource | undefined, parameter: string): boolean =>
  source !== undefined && 'parameter' in source && source.parameter === parameter

/** How a list gets its total. A request may ask for less than the whitelist's setting, and never for more. */
function planTotal ({ count }: QueryParams, pagination: Pagination, errors: QueryErrors): Window['count'] {
  if (count === undefined) return pagination.count
  const allowed = countChoices(pagination)
  if (allowed.length === 0) errors.push(refusal(CODE, 'count', "'count' is not enabled for this list."))
  else if (!allowed.includes(count)) {
    errors.push(refusal(CODE, 'count', `'${count}' would count more than this list does.`, { allowed }))
  }
  return count
}

/** The values of the parameter `count`. None, unless the whitelist allows the parameter. */
export function countChoices ({ count, countParameter }: Pagination): ReadonlyArray<typeof COUNT_CHOICES[number]> {
  return countParameter ? COUNT_CHOICES.filter((choice) => choice === 'none' || choice === count) : []
}

/** The parameters of the pagination that lists of a whitelist take. */
export function pageParametersOf (pagination: Pagination): readonly PageParameterName[] {
  return PAGE_PARAMETER_NAMES.filter((name) => name !== 'count' || countChoices(pagination).length > 0)
}

/**
 * Plans the window of a list. The default is page 1 of the default size. For a page by cursor, only the limit of the
 * window is used.
 */
export function planWindow (params: QueryParams, pagination: Pagination, errors: QueryErrors): Window {
  const style = styleOf(params)
  const { place, size, skips } = PAGE_STYLES[style]
  const limit = params[size] ?? pagination.defaultPerPage
  // `maxPerPage`, for both sizes
  const maximum = pagination[PAGE_PARAMETERS[size].maximum]
  const tooLarge = limit > maximum
  if (tooLarge) errors.push(refusal(CODE, size, `'${size}' is at most ${maximum}.`))
  // if the size is invalid, the offset of a page number is unknown, so it is not checked
  const known = !skips.bySize || !(tooLarge || params.errors.some(({ source }) => isOf(source, size)))
  const offset = skips.rows(params[place], limit)
  if (known && offset > pagination.maxOffset) {
    errors.push(
      refusal(CODE, place, `At most ${pagination.maxOffset} rows can be skipped; this would skip ${offset}.`)
    )
  }
  return { style, offset, limit, count: planTotal(params, pagination, errors) }
}
