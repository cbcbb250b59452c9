/** Reads a page of records in one statement. Some pages need a second one, for the total or to look behind the page. */
import { planEstimate, planList, planOtherSide, type CountPlan, type KeysetPlan, type ListPlan } from '../plan/index.ts'
import type { QueryParams } from '../query/index.ts'
import type { CrudClass, ReadOptions, Session } from '../resource/index.ts'
import {
  cursorInfo,
  pageInfo,
  pageJson,
  plannedTotal,
  readKeyset,
  totalOfPage,
  type KeysetRows,
} from '../answer/index.ts'
import type { Row } from '../sql/index.ts'
import { convertList, isFinal, type JsonAnswer } from './answer.ts'
import { beginRead, findRows, findWithinLimits, hookContext, type FoundRows, type Read } from './rows.ts'

/** Reads a page as JSON. */
export async function readList (
  crud: CrudClass,
  session: Session,
  params: QueryParams,
  options: ReadOptions
): Promise<JsonAnswer> {
  const began = beginRead(crud, session, options, 'list')
  const read = began instanceof Promise ? await began : began
  const plan = planList(params, read.resource.whitelist, options)
  return plan.kind === 'keyset' ? await readByCursor(read, plan) : await readPage(read, plan)
}

async function readPage (read: Read, plan: ListPlan): Promise<JsonAnswer> {
  const found = await findWithinLimits(read, plan)
  const row = found.rows[0]!
  const json = itemsOfPage(row)
  const items = isFinal(found.statement.toWire, read.crud) ? json : await convertItems(read, json, found)
  const estimate = estimateOf(plan, row)
  const explained = estimate && (await findRows(read, estimate)).rows[0]
  return { json: finishPage(plan, row, items, explained) }
}

async function readByCursor (read: Read, plan: KeysetPlan): Promise<JsonAnswer> {
  const found = await findWithinLimits(read, plan)
  const page = readKeyset(plan, found.rows)
  const look = planBehind(plan, page)
  const behind = look && (await findRows(read, look)).rows
  const json = itemsOfKeyset(page)
  const items = isFinal(found.statement.toWire, read.crud) ? json : await convertItems(read, json, found)
  return { json: finishKeyset(plan, page, items, behind) }
}

async function convertItems (read: Read, json: string, { statement }: FoundRows): Promise<string> {
  return await convertList(json, statement.toWire, read.crud, hookContext(read))
}

/** The items of a page as a JSON list. */
export function itemsOfPage (row: Row): string {
  return `[${(row.items as string | null) ?? ''}]`
}

/** The items of a page by cursor as a JSON list. */
export function itemsOfKeyset ({ items }: KeysetRows): string {
  return `[${items.join()}]`
}

/**
 * The plan of a statement that looks for rows on the other side of the page. It is needed only if the row that the
 * cursor was made from has been removed or has moved.
 */
export function planBehind (plan: KeysetPlan, { behind }: KeysetRows): KeysetPlan | undefined {
  return behind === undefined ? planOtherSide(plan) : undefined
}

/**
 * The plan of the statement that estimates the total, which PostgreSQL does in a separate statement. It is `undefined`
 * if the total is not estimated or the page shows it.
 */
export function estimateOf (plan: ListPlan, row: Row): CountPlan | undefined {
  return plan.window.count === 'planned' && totalOfPage(plan.window, row) === undefined ? planEstimate(plan) : undefined
}

/**
 * The JSON of a page.
 *
 * @param explained the row of the statement that `estimateOf` has planned
 */
export function finishPage (plan: ListPlan, row: Row, items: string, explained: Row | undefined): string {
  const { window } = plan
  const total = window.count === 'planned'
    ? totalOfPage(window, row) ?? plannedTotal(window, row, explained!)
    : row.total
  return pageJson(items, pageInfo(window, { ...row, total }))
}

/**
 * The JSON of a page by cursor.
 *
 * @param behind the rows of the statement that `planBehind` has planned
 */
export function finishKeyset (
  plan: KeysetPlan,
  page: KeysetRows,
  items: string,
  behind: readonly Row[] | undefined
): string {
  return pageJson(items, cursorInfo(plan, page, behind === undefined ? page.behind === true : behind.length > 0))
}
