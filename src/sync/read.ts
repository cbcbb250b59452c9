/** Reads on a synchronous session. */
import type { SyncSession } from '../database/index.ts'
import { planCount, planExists, planGet, planList, type Id, type KeysetPlan, type ListPlan } from '../plan/index.ts'
import type { QueryParams } from '../query/index.ts'
import {
  beginReadAs,
  countOf,
  estimateOf,
  finishKeyset,
  finishPage,
  itemsOfKeyset,
  itemsOfPage,
  planBehind,
  weighedPlan,
  type FoundRows,
  type JsonAnswer,
  type LimitedPlan,
  type Read,
} from '../read/index.ts'
import { knownActor, type CrudClass, type ReadOptions } from '../resource/index.ts'
import { readKeyset } from '../answer/index.ts'
import { finishList, finishRecord } from './answer.ts'
import { findRows } from './find-rows.ts'

export function listSync (
  crud: CrudClass,
  session: SyncSession,
  params: QueryParams,
  options: ReadOptions
): JsonAnswer {
  const read = beginReadAs(knownActor(session), crud, session, options, 'list')
  const plan = planList(params, read.resource.whitelist, options)
  return { json: plan.kind === 'keyset' ? byCursor(read, plan) : byPage(read, plan) }
}

function byPage (read: Read<SyncSession>, plan: ListPlan): string {
  const { rows, statement } = findWithinLimits(read, plan)
  const row = rows[0]!
  const items = finishList(read, itemsOfPage(row), statement.toWire)
  const estimate = estimateOf(plan, row)
  return finishPage(plan, row, items, estimate && findRows(read, estimate).rows[0])
}

function byCursor (read: Read<SyncSession>, plan: KeysetPlan): string {
  const { rows, statement } = findWithinLimits(read, plan)
  const page = readKeyset(plan, rows)
  const look = planBehind(plan, page)
  const behind = look && findRows(read, look).rows
  return finishKeyset(plan, page, finishList(read, itemsOfKeyset(page), statement.toWire), behind)
}

export function getSync (
  crud: CrudClass,
  session: SyncSession,
  id: Id,
  params: QueryParams | undefined,
  options: ReadOptions
): JsonAnswer | null {
  const read = beginReadAs(knownActor(session), crud, session, options, 'get')
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
  const read = beginReadAs(knownActor(session), crud, session, options, 'count')
  return countOf(findRows(read, planCount(params, read.resource.whitelist, options)).rows)
}

export function existsSync (crud: CrudClass, session: SyncSession, id: Id, options: ReadOptions): boolean {
  const read = beginReadAs(knownActor(session), crud, session, options, 'exists')
  const plan = planExists(id, read.resource.whitelist, options)
  return plan !== undefined && findRows(read, plan).rows.length > 0
}

function findWithinLimits (read: Read<SyncSession>, plan: LimitedPlan): FoundRows {
  const found = findRows(read, plan)
  const weighed = weighedPlan(plan, found)
  if (weighed === undefined) return found
  const certain = findRows(read, weighed)
  weighedPlan(weighed, certain)
  return certain
}
