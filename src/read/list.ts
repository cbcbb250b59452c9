/** Reads a page of records in one statement. Some pages need a second one, for the total or to look behind the page. */
import { planEstimate, planList, planOtherSide, type CountPlan, type KeysetPlan, type ListPlan } from '../plan/index.ts'
import type { QueryParams } from '../query/index.ts'
import type { Call } from '../resource/index.ts'
import {
  cursorInfo,
  pageInfo,
  pageJson,
  plannedTotal,
  readKeyset,
  totalOfPage,
  type KeysetRows,
  type ToWire,
} from '../answer/index.ts'
import type { Row } from '../sql/index.ts'
import { convertList, isFinal, type JsonAnswer } from './answer.ts'
import type { Reading } from './reading.ts'
import { beginRead, hookContext, sendRead, readingRows, readingWithinLimits, type PreparedRead } from './rows.ts'

/** A page whose items are as the database wrote them. */
export interface FoundPage {
  /** The items as a JSON list. */
  readonly items: string
  readonly toWire: ToWire | undefined
  /** The JSON of the page with its items in wire form. */
  readonly withItems: (items: string) => string
}

/** Reads a page as JSON. */
export async function readList (call: Call, params: QueryParams): Promise<JsonAnswer> {
  const read = beginRead(call)
  const { crud } = read
  const plan = planList(params, read.resource.whitelist, call.options)
  const { items, toWire, withItems } = await sendRead(read, plan, (read) => readingPage(read, plan))
  return { json: withItems(isFinal(toWire, crud) ? items : await convertList(items, toWire, crud, hookContext(read))) }
}

/** The statements of a page. */
export function readingPage (read: PreparedRead, plan: ListPlan | KeysetPlan): Reading<FoundPage> {
  return plan.kind === 'keyset' ? readingByCursor(read, plan) : readingByNumber(read, plan)
}

function * readingByNumber (read: PreparedRead, plan: ListPlan): Reading<FoundPage> {
  const { rows: [row], statement: { toWire } } = yield * readingWithinLimits(read, plan)
  const estimate = estimateOf(plan, row!)
  const explained = estimate && (yield * readingRows(read, estimate)).rows[0]
  return {
    items: `[${(row!.items as string | null) ?? ''}]`,
    toWire,
    withItems: (items) => finishPage(plan, row!, items, explained),
  }
}

function * readingByCursor (read: PreparedRead, plan: KeysetPlan): Reading<FoundPage> {
  const { rows, statement: { toWire } } = yield * readingWithinLimits(read, plan)
  const page = readKeyset(plan, rows)
  const look = planBehind(plan, page)
  const behind = look && (yield * readingRows(read, look)).rows
  return {
    items: `[${page.items.join()}]`,
    toWire,
    withItems: (items) =>
      pageJson(items, cursorInfo(plan, page, behind === undefined ? page.behind === true : behind.length > 0)),
  }
}

/**
 * The plan of a statement that looks for rows on the other side of the page. It is needed only if the row that the
 * cursor was made from has been removed or has moved.
 */
function planBehind (plan: KeysetPlan, { behind }: KeysetRows): KeysetPlan | undefined {
  return behind === undefined ? planOtherSide(plan) : undefined
}

/**
 * The plan of the statement that estimates the total, which PostgreSQL does in a separate statement. It is `undefined`
 * if the total is not estimated or the page shows it.
 */
function estimateOf (plan: ListPlan, row: Row): CountPlan | undefined {
  return plan.window.count === 'planned' && totalOfPage(plan.window, row) === undefined ? planEstimate(plan) : undefined
}

/**
 * The JSON of a page.
 *
 * @param explained the row of the statement that `estimateOf` has planned
 */
function finishPage (plan: ListPlan, row: Row, items: string, explained: Row | undefined): string {
  const { window } = plan
  const total = window.count === 'planned'
    ? totalOfPage(window, row) ?? plannedTotal(window, row, explained!)
    : row.total
  return pageJson(items, pageInfo(window, { ...row, total }))
}
