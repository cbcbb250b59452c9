/** Reads on a synchronous session. */
import type { SyncSession } from '../database/index.ts'
import { planCount, planExists, planGet, planList, type Id, type Plan } from '../plan/index.ts'
import type { QueryParams } from '../query/index.ts'
import {
  beginRead,
  countOf,
  readingPage,
  readingRows,
  readingWithinLimits,
  type JsonAnswer,
  type PreparedRead,
  type Read,
  type Reading,
  sendAndWait,
} from '../read/index.ts'
import type { Call } from '../resource/index.ts'
import { finishList, finishRecord } from './answer.ts'
import { readFilters } from './find-rows.ts'

type SyncRead = Read<SyncSession>

/** Sends the statements of a read. */
function sendRead<Result> (read: SyncRead, plan: Plan, prepare: (read: PreparedRead) => Reading<Result>): Result {
  return sendAndWait(prepare({ ...read, filters: readFilters(read, plan) }), (statement) => read.session.run(statement))
}

export function listSync (call: Call<SyncSession>, params: QueryParams): JsonAnswer {
  const read = beginRead(call)
  const plan = planList(params, read.resource.whitelist, call.options)
  const { items, toWire, withItems } = sendRead(read, plan, (read) => readingPage(read, plan))
  return { json: withItems(finishList(read, items, toWire)) }
}

export function getSync (call: Call<SyncSession>, id: Id, params: QueryParams | undefined): JsonAnswer | null {
  const read = beginRead(call)
  const plan = planGet(id, params, read.resource.whitelist, call.options)
  if (plan === undefined) return null
  const { rows: [row], statement } = sendRead(read, plan, (read) => readingWithinLimits(read, plan))
  if (row === undefined) return null
  return {
    json: finishRecord(read, row['item'] as string, statement.toWire),
    version: row['version'] as string | undefined,
  }
}

export function countSync (call: Call<SyncSession>, params: QueryParams): number {
  const read = beginRead(call)
  const plan = planCount(params, read.resource.whitelist, call.options)
  return countOf(sendRead(read, plan, (read) => readingRows(read, plan)).rows)
}

export function existsSync (call: Call<SyncSession>, id: Id): boolean {
  const read = beginRead(call)
  const plan = planExists(id, read.resource.whitelist, call.options)
  return plan !== undefined && sendRead(read, plan, (read) => readingRows(read, plan)).rows.length > 0
}
