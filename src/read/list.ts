/** Reads a page of records in one statement. Some pages need a second one, for the total or to look behind the page. */
import { planEstimate, planList, planOtherSide, type KeysetPlan, type ListPlan } from '../plan/index.ts'
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
import { beginRead, findRows, findWithinLimits, hookContext, type Found, type Read } from './rows.ts'

/** Reads a page as JSON. */
export async function readList (
  crud: CrudClass,
  session: Session,
  params: QueryParams,
  options: ReadOptions
): Promise<JsonAnswer> {
  const read = beginRead(crud, session, options, 'list')
  const plan = planList(params, read.resource.whitelist, options)
  return plan.kind === 'keyset' ? await readByCursor(read, plan) : await readPage(read, plan)
}

async function readPage (read: Read, plan: ListPlan): Promise<JsonAnswer> {
  const found = await findWithinLimits(read, plan)
  const row = found.rows[0]!
  const json = itemsOfPage(row)
  const items = isFinal(found.statement.toWire, read.crud) ? json : await convertItems(read, json, found)
  const total = plan.window.count === 'planned' ? await estimateTotal(read, plan, row) : row.total
  return { json: pageJson(items, pageInfo(plan.window, { ...row, total })) }
}

/** The estimated total. PostgreSQL needs a separate statement for it, which is not run if the page shows the total. */
async function estimateTotal (read: Read, plan: ListPlan, row: Row): Promise<number> {
  const told = totalOfPage(plan.window, row)
  if (told !== undefined) return told
  const { rows: [explained] } = await findRows(read, planEstimate(plan))
  return plannedTotal(plan.window, row, explained!)
}

async function readByCursor (read: Read, plan: KeysetPlan): Promise<JsonAnswer> {
  const found = await findWithinLimits(read, plan)
  const page = readKeyset(plan, found.rows)
  const look = planBehind(plan, page)
  const behind = look === undefined ? page.behind === true : (await findRows(read, look)).rows.length > 0
  const json = itemsOfKeyset(page)
  const items = isFinal(found.statement.toWire, read.crud) ? json : await convertItems(read, json, found)
  return { json: pageJson(items, cursorInfo(plan, page, behind)) }
}

async function convertItems (read: Read, json: string, { statement }: Found): Promise<string> {
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
