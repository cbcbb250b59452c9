/** The parts of a plan that lists, streams and counts have in common. */
import { isFromTree, type QueryParams } from '../query/index.ts'
import { planFacets } from './facets.ts'
import { planFilters } from './filters/index.ts'
import { planOrder } from './order.ts'
import { QueryErrors } from './query-errors.ts'
import type { QueryRules } from './query-rules.ts'
import { planSelection } from './selection.ts'
import type { Deleted } from './condition-types.ts'
import type { ListPlan } from './plan-types.ts'
import { refuseUnknown, type Purpose } from './unknown/index.ts'
import type { Values } from './values.ts'
import type { Whitelist } from './whitelist/index.ts'

export interface PlanOptions extends QueryRules {
  /** Whether rows that are marked as deleted are included. Default: false. */
  readonly includeDeleted?: boolean
}

/**
 * The errors that are found before planning: those of the parser, and unknown parameters.
 *
 * @param others parameters of the request that lists take and this route does not. They are never ignored.
 */
export function errorsBeforePlanning (
  params: QueryParams,
  whitelist: Whitelist,
  purpose: Purpose,
  rules: QueryRules,
  others: readonly string[] = []
): QueryErrors {
  const errors = new QueryErrors(params.errors, isFromTree(params))
  refuseUnknown(params, whitelist, purpose, rules, errors, others)
  return errors
}

/** What the plans of lists and streams have in common. Streams refuse facets. */
export type ListedRows =
  & Pick<ListPlan, 'model' | 'conditions' | 'customs' | 'deleted' | 'order' | 'selection'>
  & Partial<Pick<ListPlan, 'facets'>>

/** Plans what lists and streams have in common: the rows, their order and what they show. */
export function planRows (
  params: QueryParams,
  whitelist: Whitelist,
  options: PlanOptions,
  values: Values,
  errors: QueryErrors
): ListedRows {
  const filtered = planFilters(params, whitelist, values, errors, options)
  const { conditions, customs, deleted = deletedOf(options) } = filtered
  const order = planOrder(params, conditions, whitelist, errors)
  const selection = planSelection(params, whitelist, errors)
  const rows = { model: whitelist.model, conditions, customs, deleted, order, selection }
  const { facets: names } = params
  if (names === undefined) return rows
  const facets = planFacets({ ...params, facets: names }, conditions, whitelist, values, options, errors)
  return facets.length === 0 ? rows : { ...rows, facets } // those that are not allowed may be left out
}

export const deletedOf = ({ includeDeleted }: PlanOptions): Deleted => includeDeleted === true ? 'with' : 'without'
