/** Reads a page of records in one statement. Some pages need a second one, for the total or to look behind the page. */
import type { InfoOf, StyleName } from '../base/page-styles.ts'
import type { Steps } from '../base/steps.ts'
import { planEstimate, planList, planOtherSide, type KeysetPlan, type ListPlan } from '../plan/index.ts'
import type { QueryParams } from '../query/index.ts'
import { whitelistOfCall, type Call, type CheckedQuery } from '../resource/index.ts'
import {
  cursorInfo, facetsJson, listJson, pageInfo, pageJson, plannedTotal, readKeyset, totalOfPage,
} from '../answer/index.ts'
import type { Row } from '../sql/index.ts'
import { convertList, type JsonAnswer } from './answer.ts'
import { beginRead, findRows, prepareRead, type PreparedRead } from './rows.ts'

/** Reads a page as JSON. */
export function * readList (call: Call, params: QueryParams): Steps<JsonAnswer> {
  const conditions = beginRead(call)
  const plan = plannedOf(call, params) ?? planList(params, whitelistOfCall(call, params), call.options)
  const read = yield * prepareRead(call, plan, conditions)
  return plan.kind === 'keyset' ? yield * readByCursor(read, plan) : yield * readPage(read, plan)
}

/** The plan that the validation of the request has made of the same parameters. */
function plannedOf ({ checked, resource, options }: Call, params: QueryParams): CheckedQuery['plan'] {
  const fits = checked?.params === params && checked.of === resource.whitelist && options.includeDeleted !== true
  return fits ? checked.plan : undefined
}

function * readPage (read: PreparedRead, plan: ListPlan): Steps<JsonAnswer> {
  const { window } = plan
  const { rows: [row], statement: { toWire } } = yield * findRows(read, plan)
  const total = window.count === 'planned'
    ? totalOfPage(window, row!) ?? (yield * estimatedTotal(read, plan, row!))
    : row!.total
  const items = yield * convertList(read, `[${(row!.items as string | null) ?? ''}]`, toWire)
  return pageAnswer(items, pageInfo(window, row!, total), facetsJson(plan, row!))
}

/** The estimate of PostgreSQL's planner, which takes a second statement. */
function * estimatedTotal (read: PreparedRead, plan: ListPlan, row: Row): Steps<number> {
  const { rows: [explained] } = yield * findRows(read, planEstimate(plan))
  return plannedTotal(plan.window, row, explained!)
}

function * readByCursor (read: PreparedRead, plan: KeysetPlan): Steps<JsonAnswer> {
  const { rows, statement: { toWire } } = yield * findRows(read, plan)
  const page = readKeyset(plan, rows)
  const behind = page.behind ?? (yield * hasRowsBehind(read, plan))
  const items = yield * convertList(read, listJson(page.items), toWire)
  return pageAnswer(items, cursorInfo(plan, page, behind), facetsJson(plan, rows[0]!))
}

/**
 * Whether there are rows on the other side of the page. A second statement looks for them, only if the row that the
 * cursor was made from has been removed or has moved.
 */
function * hasRowsBehind (read: PreparedRead, plan: KeysetPlan): Steps<boolean> {
  const other = planOtherSide(plan)
  return other !== undefined && (yield * findRows(read, other)).rows.length > 0
}

const pageAnswer = (items: string, page: InfoOf<StyleName>, facets: ReturnType<typeof facetsJson>): JsonAnswer => ({
  json: pageJson(items, page, facets),
  page,
})
