/** Reads on a synchronous session. */
import type { SyncSession } from '../database/index.ts'
import {
  planCount,
  planEstimate,
  planExists,
  planGet,
  planList,
  type GetPlan,
  type Id,
  type KeysetPlan,
  type ListPlan,
} from '../plan/index.ts'
import type { QueryParams } from '../query/index.ts'
import {
  beginRead,
  itemsOfKeyset,
  itemsOfPage,
  planBehind,
  type Found,
  type JsonAnswer,
  type Read,
} from '../read/index.ts'
import type { CrudClass, ReadOptions } from '../resource/index.ts'
import { cursorInfo, isDoubtful, pageInfo, pageJson, plannedTotal, readKeyset, totalOfPage } from '../answer/index.ts'
import { finishList, finishRecord } from './answer.ts'
import { findRows } from './statements.ts'

export function listSync (
  crud: CrudClass,
  session: SyncSession,
  params: QueryParams,
  options: ReadOptions
): JsonAnswer {
  const read = beginRead(crud, session, options, 'list')
  const plan = planList(params, read.resource.whitelist, options)
  return { json: plan.kind === 'keyset' ? byCursor(read, plan) : byPage(read, plan) }
}

function byPage (read: Read<SyncSession>, plan: ListPlan): string {
  const { rows, statement } = findWithinLimits(read, plan)
  const row = rows[0]!
  const items = finishList(read, itemsOfPage(row), statement.toWire)
  const total = plan.window.count === 'planned'
    ? totalOfPage(plan.window, row) ?? plannedTotal(plan.window, row, findRows(read, planEstimate(plan)).rows[0]!)
    : row.total
  return pageJson(items, pageInfo(plan.window, { ...row, total }))
}

function byCursor (read: Read<SyncSession>, plan: KeysetPlan): string {
  const { rows, statement } = findWithinLimits(read, plan)
  const page = readKeyset(plan, rows)
  const look = planBehind(plan, page)
  const behind = look === undefined ? page.behind === true : findRows(read, look).rows.length > 0
  return pageJson(finishList(read, itemsOfKeyset(page), statement.toWire), cursorInfo(plan, page, behind))
}

export function getSync (
  crud: CrudClass,
  session: SyncSession,
  id: Id,
  params: QueryParams | undefined,
  options: ReadOptions
): JsonAnswer | null {
  const read = beginRead(crud, session, options, 'get')
  const plan = planGet(id, params, read.resource.whitelist, options)
  if (plan === undefined) return null
  const { rows: [row], statement } = findWithinLimits(read, plan)
  if (row === undefined) return null
  return {
    json: finishRecord(read, row['item'] as string, statement.toWire),
    version: row['version'] as string | undefined,
  }
}

export function countSync (
  crud: CrudClass,
  session: SyncSession,
  params: QueryParams,
  options: ReadOptions
): number {
  const read = beginRead(crud, session, options, 'count')
  return Number(findRows(read, planCount(params, read.resource.whitelist, options)).rows[0]!['count'])
}

export function existsSync (crud: CrudClass, session: SyncSession, id: Id, options: ReadOptions): boolean {
  const read = beginRead(crud, session, options, 'exists')
  const plan = planExists(id, read.resource.whitelist, options)
  return plan !== undefined && findRows(read, plan).rows.length > 0
}

function findWithinLimits (read: Read<SyncSession>, plan: ListPlan | KeysetPlan | GetPlan): Found {
  const found = findRows(read, plan)
  if (!isDoubtful(plan, found.rows)) return found
  const weighed = { ...plan, weighed: true }
  const certain = findRows(read, weighed)
  isDoubtful(weighed, certain.rows)
  return certain
}
