/** Reads a page of records in one statement. Some pages need a second one, for the total or to look behind the page. */
import type { InfoOf, StyleName } from '../base/page-styles.ts'
import type { Steps } from '../base/steps.ts'
import { planEstimate, planList, planOtherSide, type CountPlan, type KeysetPlan, type ListPlan } from '../plan/index.ts'
import type { QueryParams } from '../query/index.ts'
import type { Call, PlannedList } from '../resource/index.ts'
import {
  cursorInfo, facetsJson, listJson, pageInfo, pageJson, plannedTotal, readKeyset, totalOfPage, type KeysetRows,
} from '../answer/index.ts'
import type { Row } from '../sql/index.ts'
import { convertList, type JsonAnswer } from './answer.ts'
import { beginRead, findRows, prepareRead, type PreparedRead } from './rows.ts'

/** Reads a page as JSON. */
export function * readList (call: Call, params: QueryParams): Steps<JsonAnswer> {
  const read = beginRead(call)
  const plan = plannedOf(call, params) ?? planList(params, read.resource.whitelist, call.options)
  const prepared = yield * prepareRead(read, plan)
  return plan.kind === 'keyset' ? yield * readByCursor(prepared, plan) : yield * readPage(prepared, plan)
}

/** The plan that the validation of the request has made of the same parameters. */
function plannedOf ({ planned, resource, options }: Call, params: QueryParams): PlannedList['plan'] | undefined {
  const fits = planned?.params === params && planned.whitelist === resource.whitelist && options.includeDeleted !== true
  return fits ? planned.plan : undefined
}

function * readPage (read: PreparedRead, plan: ListPlan): Steps<JsonAnswer> {
  const { rows: [row], statement: { toWire } } = yield * findRows(read, plan)
  const estimate = estimateOf(plan, row!)
  const explained = estimate && (yield * findRows(read, estimate)).rows[0]
  const items = yield * convertList(read, `[${(row!.items as string | null) ?? ''}]`, toWire)
  return finishPage(plan, row!, items, explained)
}

function * readByCursor (read: PreparedRead, plan: KeysetPlan): Steps<JsonAnswer> {
  const { rows, statement: { toWire } } = yield * findRows(read, plan)
  const page = readKeyset(plan, rows)
  const look = planBehind(plan, page)
  const behind = look && (yield * findRows(read, look)).rows
  const items = yield * convertList(read, listJson(page.items), toWire)
  const info = cursorInfo(plan, page, behind === undefined ? page.behind === true : behind.length > 0)
  return pageAnswer(items, info, facetsJson(plan, rows[0]!))
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
 * The answer of a page.
 *
 * @param explained the row of the statement that `estimateOf` has planned
 */
function finishPage (plan: ListPlan, row: Row, items: string, explained: Row | undefined): JsonAnswer {
  const { window } = plan
  const total = window.count === 'planned'
    ? totalOfPage(window, row) ?? plannedTotal(window, row, explained!)
    : row.total
  return pageAnswer(items, pageInfo(window, { ...row, total }), facetsJson(plan, row))
}

const pageAnswer = (items: string, page: InfoOf<StyleName>, facets: ReturnType<typeof facetsJson>): JsonAnswer => ({
  json: pageJson(items, page, facets),
  page,
})
