/**
 * Plans reads of lists and of single records. Each planner collects all errors of a request, and then throws one error
 * that lists them.
 */
import { PAGE_STYLES, pairsOf } from '../base/page-styles.ts'
import { NO_PARAMS, type QueryParamError, type QueryParams } from '../query/index.ts'
import { fingerprintOf, planCursor } from './cursor.ts'
import { rowParameters, selectionParameters } from './given.ts'
import { planKey, type Id } from './key.ts'
import { isCustomTerm } from './order.ts'
import { deletedOf, errorsBeforePlanning, planRows, type ListedRows, type PlanOptions } from './plan-rows.ts'
import { planPage } from './position.ts'
import type { QueryErrors } from './query-errors.ts'
import type { QueryRules } from './query-rules.ts'
import { refusal } from './refusal.ts'
import { planSelection } from './selection.ts'
import type { OrderTerm } from './condition-types.ts'
import type { CountPlan, GetPlan, KeysetPlan, ListPlan, Selection, Window } from './plan-types.ts'
import { Values } from './values.ts'
import type { Whitelist } from './whitelist/index.ts'
import { planWindow } from './window.ts'

/**
 * Plans a list, by page, offset or cursor.
 *
 * @throws the error for the first kind of error that occurs, with all errors in `errors`
 */
export function planList (params: QueryParams, whitelist: Whitelist, options: PlanOptions = {}): ListPlan | KeysetPlan {
  const errors = errorsBeforePlanning(params, whitelist, 'list', options)
  const values = new Values()
  const rows = planRows(params, whitelist, options, values, errors)
  const window = planWindow(params, whitelist.pagination, errors)
  if (params.cursor !== undefined) return planFromCursor(params, whitelist, rows, window, values, errors)
  errors.throw(whitelist.ignoreInvalidErrors)
  // the parts are named, because a copy of an object by `...` costs as much as its parts
  const { model, conditions, customs, deleted, order, selection, facets } = rows
  const { limit, offset, count } = window
  const limitSlot = values.add(limit)
  const fetchSlot = count === 'exact' ? limitSlot : values.add(limit + 1)
  const offsetSlot = values.add(offset)
  return {
    kind: 'list',
    model,
    conditions,
    customs,
    deleted,
    order,
    selection,
    facets,
    limits: whitelist.limits,
    window,
    limitSlot,
    fetchSlot,
    offsetSlot,
    values: values.list,
  }
}

/** Plans the page of a list that starts where a cursor says. */
function planFromCursor (
  params: QueryParams,
  whitelist: Whitelist,
  { model, conditions, customs, deleted, order, selection, facets }: ListedRows,
  { limit }: Window,
  values: Values,
  errors: QueryErrors
): KeysetPlan {
  const custom = order.find(isCustomTerm)
  if (custom !== undefined) {
    errors.push(
      refusal(
        'FST_CRUD_PAGINATION_INVALID',
        'cursor',
        `The sort '${custom.sort}' has no cursors; use ${pairsOf([PAGE_STYLES.page, PAGE_STYLES.offset])}.`
      )
    )
  }
  const terms = custom === undefined
    ? order as readonly OrderTerm[]
    : order.filter((term): term is OrderTerm => !isCustomTerm(term))
  // if there are other errors, the order or the filters may differ from those that the cursor was made for
  const comparable = errors.count === 0 || whitelist.ignoreInvalidErrors
  const fingerprint = fingerprintOf(params, terms, whitelist)
  const position = planCursor(params.cursor!, terms, comparable ? fingerprint : undefined, errors)
  errors.throw(whitelist.ignoreInvalidErrors)
  const first: KeysetPlan = {
    kind: 'keyset',
    model,
    conditions,
    customs,
    deleted,
    order: terms,
    selection,
    facets,
    limits: whitelist.limits,
    limit,
    fetchSlot: values.add(limit + 1),
    spare: 1,
    usualFetch: limit === whitelist.pagination.defaultPerPage ? limit + 1 : undefined,
    witness: false,
    fingerprint,
    values: values.list,
  }
  return position === undefined ? first : planPage(first, position, { witness: !position.inclusive })
}

/**
 * Plans the read of one record. Returns `undefined` if no record can have the key.
 *
 * @throws for invalid fields and includes, and for parameters that only lists take
 */
export function planGet (
  id: Id,
  params: QueryParams | undefined,
  whitelist: Whitelist,
  options: PlanOptions = {}
): GetPlan | undefined {
  const selection = selectionOfRecord(params, whitelist, options)
  const values = new Values()
  const conditions = planKey(id, whitelist.model, values)
  if (conditions === undefined) return undefined
  return {
    kind: 'get',
    model: whitelist.model,
    conditions,
    customs: [],
    deleted: deletedOf(options),
    selection,
    limits: whitelist.limitsOfOne,
    values: values.list,
  }
}

/**
 * Checks the query string of the read of one record.
 *
 * @throws the errors of `planGet`
 */
export function checkGet (params: QueryParams, whitelist: Whitelist, options: PlanOptions): void {
  selectionOfRecord(params, whitelist, options)
}

function selectionOfRecord (
  params: QueryParams = NO_PARAMS,
  whitelist: Whitelist,
  options: PlanOptions
): Selection {
  const errors = errorsBeforePlanning(params, whitelist, 'get', options)
  // most requests for one record have no parameters
  for (const [code, name] of params === NO_PARAMS ? [] : rowParameters(params)) {
    errors.push(refusal(code, name, 'A single record takes no filters, sorts or pagination.', ONE_RECORD))
  }
  const selection = planSelection(params, whitelist, errors)
  errors.throw(whitelist.ignoreInvalidErrors)
  return selection
}

/**
 * Plans a count of the rows that the filters of a list keep. Sort, selection and pagination have no effect, but they
 * must be valid.
 */
export function planCount (params: QueryParams, whitelist: Whitelist, options: PlanOptions = {}): CountPlan {
  const { model, conditions, customs, deleted, values } = planList(params, whitelist, options)
  return { kind: 'count', model, conditions, customs, deleted, values }
}

/** Plans the estimate of the total of a list. */
export function planEstimate ({ model, conditions, customs, deleted, values }: ListPlan): CountPlan {
  return { kind: 'estimate', model, conditions, customs, deleted, values }
}

/** Plans the check whether a record exists. Returns `undefined` if no record can have the key. */
export function planExists (id: Id, whitelist: Whitelist, options: PlanOptions = {}): CountPlan | undefined {
  const values = new Values()
  const conditions = planKey(id, whitelist.model, values)
  if (conditions === undefined) return undefined
  return {
    kind: 'exists',
    model: whitelist.model,
    conditions,
    customs: [],
    deleted: deletedOf(options),
    values: values.list,
  }
}

/**
 * Checks the query string of a write, which takes no parameters of the query language.
 *
 * @param own further errors of the query string
 * @throws the error for the first kind of error that occurs, with all errors in `errors`
 */
export function checkWriteQuery (
  params: QueryParams,
  whitelist: Whitelist,
  rules: QueryRules,
  own: readonly QueryParamError[]
): void {
  const errors = errorsBeforePlanning(params, whitelist, 'write', rules)
  const names = [...rowParameters(params).map(([, name]) => name), ...selectionParameters(params)]
  for (const name of names) {
    errors.push(
      refusal('FST_CRUD_QUERY_INVALID', name, 'A write takes no filters, sorts, fields, includes or pagination.')
    )
  }
  for (const error of own) errors.push(error)
  errors.throw()
}

const ONE_RECORD = { allowed: ['include', 'fields'] }
