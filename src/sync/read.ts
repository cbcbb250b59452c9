/** Reads on a synchronous session. */
import type { SyncSession } from '../database/index.ts'
import { planCount, planExists, planGet, planList, type Id, type Plan } from '../plan/index.ts'
import type { QueryParams } from '../query/index.ts'
import {
  beginReadAs,
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
import { knownActor, type CrudClass, type ReadOptions } from '../resource/index.ts'
import type { QueryOperation } from '../run/index.ts'
import { finishList, finishRecord } from './answer.ts'
import { readFilters } from './find-rows.ts'

type SyncRead = Read<SyncSession>

const begin = (crud: CrudClass, session: SyncSession, options: ReadOptions, operation: QueryOperation): SyncRead =>
  beginReadAs(knownActor(session), crud, session, options, operation)

/** Sends the statements of a read. */
function sendRead<Result> (read: SyncRead, plan: Plan, prepare: (read: PreparedRead) => Reading<Result>): Result {
  return sendAndWait(prepare({ ...read, filters: readFilters(read, plan) }), (statement) => read.session.run(statement))
}

export function listSync (
  crud: CrudClass,
  session: SyncSession,
  params: QueryParams,
  options: ReadOptions
): JsonAnswer {
  const read = begin(crud, session, options, 'list')
  const plan = planList(params, read.resource.whitelist, options)
  const { items, toWire, withItems } = sendRead(read, plan, (read) => readingPage(read, plan))
  return { json: withItems(finishList(read, items, toWire)) }
}

export function getSync (
  crud: CrudClass,
  session: SyncSession,
  id: Id,
  params: QueryParams | undefined,
  options: ReadOptions
): JsonAnswer | null {
  const read = begin(crud, session, options, 'get')
  const plan = planGet(id, params, read.resource.whitelist, options)
  if (plan === undefined) return null
  const { rows: [row], statement } = sendRead(read, plan, (read) => readingWithinLimits(read, plan))
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
  const read = begin(crud, session, options, 'count')
  const plan = planCount(params, read.resource.whitelist, options)
  return countOf(sendRead(read, plan, (read) => readingRows(read, plan)).rows)
}

export function existsSync (crud: CrudClass, session: SyncSession, id: Id, options: ReadOptions): boolean {
  const read = begin(crud, session, options, 'exists')
  const plan = planExists(id, read.resource.whitelist, options)
  return plan !== undefined && sendRead(read, plan, (read) => readingRows(read, plan)).rows.length > 0
}
