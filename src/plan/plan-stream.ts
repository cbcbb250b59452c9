/** Plans streams, and the parts in which they are read. */
import type { QueryParams } from '../query/index.ts'
import { paginationParameters } from './given.ts'
import { isCustomTerm } from './order.ts'
import { errorsBeforePlanning, planRows, type PlanOptions } from './plan-rows.ts'
import { planPage, readPosition } from './position.ts'
import { excess, refusal } from './refusal.ts'
import type { OrderTerm } from './condition-types.ts'
import type { KeysetPlan, ListPlan, RecordsPlan, SortTexts, StreamPlan, Window } from './plan-types.ts'
import { Values } from './values.ts'
import type { Whitelist } from './whitelist/index.ts'

/**
 * Plans a stream, which is a list without pages.
 *
 * @throws for invalid filters, sorts, fields and includes, and for pagination parameters
 */
export function planStream (params: QueryParams, whitelist: Whitelist, options: PlanOptions = {}): StreamPlan {
  const errors = errorsBeforePlanning(params, whitelist, 'stream', options)
  const values = new Values()
  const { facets, ...read } = planRows(params, whitelist, options, values, errors)
  if (facets !== undefined) {
    errors.push(excess('FST_CRUD_FIELD_INVALID', 'facets', 'A stream has no facets. Ask for them beside a page.'))
  }
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
    spare: 0,
    witness: false,
    fingerprint: '',
    values: [...plan.values, limit],
  }
  return after === undefined
    ? first
    : planPage(first, readPosition({ side: 'after', inclusive: false, texts: after }, order)!)
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
  { model, deleted, selection, limits, isDoubtful }: StreamPlan,
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
    ...(isDoubtful && { isDoubtful }),
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
