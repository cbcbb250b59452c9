/** Plans all reads. Each planner collects all errors of a request, and then throws one error that lists them. */
import { PAGE_STYLES, pairsOf } from '../pagination.ts'
import type { QueryParamError, QueryParams } from '../query/index.ts'
import { fingerprintOf, planCursor } from './cursor.ts'
import { planFilters } from './filters/index.ts'
import { paginationParameters, rowParameters, selectionParameters } from './given.ts'
import { planKey, type Id } from './key.ts'
import { planPage, readPosition } from './keyset.ts'
import { isCustomTerm, planOrder } from './order.ts'
import { QueryErrors } from './query-errors.ts'
import { refusal } from './refusal.ts'
import { planSelection } from './selection.ts'
import { refuseUnknown, type Purpose, type UnknownOptions } from './unknown/index.ts'
import type {
  CountPlan,
  Deleted,
  GetPlan,
  KeysetPlan,
  ListPlan,
  OrderTerm,
  RecordsPlan,
  SortTexts,
  StreamPlan,
  Window,
} from './types.ts'
import { Values } from './values.ts'
import type { Whitelist } from './whitelist/index.ts'
import { planWindow } from './window.ts'

export interface PlanOptions extends UnknownOptions {
  /** Whether rows that are marked as deleted are included. Default: false. */
  readonly includeDeleted?: boolean
}

/**
 * Plans a list, by page, offset or cursor.
 *
 * @throws the error for the first kind of error that occurs, with all errors in `errors`
 */
export function planList (params: QueryParams, whitelist: Whitelist, options: PlanOptions = {}): ListPlan | KeysetPlan {
  const errors = errorsOf(params, whitelist, 'list', options)
  const values = new Values()
  const read = planRows(params, whitelist, options, values, errors)
  const { order } = read
  const window = planWindow(params, whitelist.pagination, errors)
  if (params.cursor === undefined) {
    errors.throw(whitelist.ignoreInvalidErrors)
    return {
      kind: 'list',
      ...read,
      limits: whitelist.limits,
      window,
      ...windowSlots(window, values),
      values: values.list,
    }
  }
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
  const fingerprint = fingerprintOf(params.filters, terms, whitelist)
  const position = planCursor(params.cursor, terms, comparable ? fingerprint : undefined, errors)
  errors.throw(whitelist.ignoreInvalidErrors)
  const first: KeysetPlan = {
    kind: 'keyset',
    ...read,
    limits: whitelist.limits,
    order: terms,
    limit: window.limit,
    fetchSlot: values.add(window.limit + 1),
    witness: false,
    fingerprint,
    values: values.list,
  }
  return position === undefined ? first : planPage(first, position, { witness: !position.inclusive })
}

/** Plans what lists and streams have in common: the rows, their order and what they show. */
function planRows (
  params: QueryParams,
  whitelist: Whitelist,
  options: PlanOptions,
  values: Values,
  errors: QueryErrors
) {
  const { conditions, customs, deleted = deletedOf(options) } = planFilters(params.filters, whitelist, values, errors)
  const order = planOrder(params.sort, whitelist, errors)
  const selection = planSelection(params, whitelist, errors)
  return { model: whitelist.model, conditions, customs, deleted, order, selection }
}

const deletedOf = ({ includeDeleted }: PlanOptions): Deleted => includeDeleted === true ? 'with' : 'without'

function windowSlots ({ limit, offset, count }: Window, values: Values) {
  const limitSlot = values.add(limit)
  return { limitSlot, fetchSlot: count === 'exact' ? limitSlot : values.add(limit + 1), offsetSlot: values.add(offset) }
}

/**
 * Plans a stream, which is a list without pages.
 *
 * @throws for invalid filters, sorts, fields and includes, and for pagination parameters
 */
export function planStream (params: QueryParams, whitelist: Whitelist, options: PlanOptions = {}): StreamPlan {
  const errors = errorsOf(params, whitelist, 'stream', options)
  const values = new Values()
  const read = planRows(params, whitelist, options, values, errors)
  for (const name of paginationParameters(params)) {
    errors.push(
      refusal(
        'FST_CRUD_PAGINATION_INVALID',
        name,
        'A stream has no pages. It returns all records that the filters keep.'
      )
    )
  }
  errors.throw(whitelist.ignoreInvalidErrors)
  const limits = read.selection.includes.length === 0 ? {} : { limits: whitelist.limitsOfBatch }
  return { kind: 'stream', ...read, ...limits, reads: 'records', values: values.list }
}

/**
 * Plans a page of a stream that is read page by page: the first page, or the page after a place. Returns `undefined`
 * for an order by callback, which has no places to start from.
 */
export function planStreamPage (plan: StreamPlan, limit: number, after?: SortTexts): KeysetPlan | undefined {
  const order = plan.order.filter((term): term is OrderTerm => !isCustomTerm(term))
  if (order.length < plan.order.length) return undefined
  const first: KeysetPlan = {
    ...plan,
    order,
    kind: 'keyset',
    limit,
    fetchSlot: plan.values.length,
    witness: false,
    fingerprint: '',
    values: [...plan.values, limit],
  }
  return after === undefined
    ? first
    : planPage(first, readPosition({ side: 'after', inclusive: false, texts: after }, order)!, { spare: 0 })
}

/** A key in a stream of keys: the key as one text, and the texts of its columns. */
export interface StreamKey {
  readonly text: string
  readonly columns: readonly string[]
}

/** Plans a stream of keys, in the order of a stream of records. */
export function planStreamKeys (plan: StreamPlan): StreamPlan {
  return { ...plan, reads: 'keys' }
}

/**
 * Plans the read of the records for some keys of a stream. The filters of the request are not repeated, because the
 * records are read in the same snapshot as the keys. The conditions that hide rows from the caller are repeated.
 */
export function planStreamRecords (
  { model, deleted, selection, limits, weighed }: StreamPlan,
  keys: readonly StreamKey[]
): RecordsPlan {
  const values = new Values()
  const keysSlot = values.add(keys.map(({ text }) => text))
  const columnSlots = keys[0]!.columns.map((_, index) =>
    values.add([...new Set(keys.map(({ columns }) => columns[index]!))])
  )
  return {
    kind: 'records',
    model,
    conditions: [],
    customs: [],
    deleted,
    selection,
    ...(limits !== undefined && { limits }),
    ...(weighed && { weighed }),
    keysSlot,
    columnSlots,
    values: values.list,
  }
}

/** Plans the read of a stream's rows from an offset, for an order without places to start from. */
export function planStreamOffset (plan: StreamPlan, offset: number, limit: number): ListPlan {
  const values = new Values(plan.values)
  const window: Window = { style: 'offset', offset, limit, count: 'none' }
  const slots = { limitSlot: values.add(limit), fetchSlot: values.add(limit), offsetSlot: values.add(offset) }
  return { ...plan, kind: 'list', window, ...slots, values: values.list }
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
  const errors = params === undefined ? new QueryErrors() : errorsOf(params, whitelist, 'get', options)
  for (const [code, name] of params === undefined ? [] : rowParameters(params)) {
    errors.push(refusal(code, name, 'A single record takes no filters, sorts or pagination.', ONE_RECORD))
  }
  const selection = planSelection(params ?? { fields: [], fieldsByInclude: {}, include: [] }, whitelist, errors)
  errors.throw(whitelist.ignoreInvalidErrors)
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
  options: UnknownOptions,
  own: readonly QueryParamError[]
): void {
  const errors = errorsOf(params, whitelist, 'write', options)
  const names = [...rowParameters(params).map(([, name]) => name), ...selectionParameters(params)]
  for (const name of names) {
    errors.push(
      refusal('FST_CRUD_QUERY_INVALID', name, 'A write takes no filters, sorts, fields, includes or pagination.')
    )
  }
  for (const error of own) errors.push(error)
  errors.throw()
}

/** The errors that are found before planning: those of the parser, and unknown parameters. */
function errorsOf (params: QueryParams, whitelist: Whitelist, purpose: Purpose, options: UnknownOptions): QueryErrors {
  const errors = new QueryErrors(params.errors)
  refuseUnknown(params, whitelist, purpose, options, errors)
  return errors
}

const ONE_RECORD = { allowed: ['include', 'fields'] }
