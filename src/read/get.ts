/** Reads one record by its key. */
import type { Steps } from '../base/steps.ts'
import { planExists, planGet, type Id } from '../plan/index.ts'
import type { QueryParams } from '../query/index.ts'
import type { Call } from '../resource/index.ts'
import { convertRecord, type JsonAnswer } from './answer.ts'
import { beginRead, findRows, prepareRead } from './rows.ts'

/** The record with a key, or `null` if it does not exist. */
export function * readRecord (call: Call, id: Id, params: QueryParams | undefined): Steps<JsonAnswer | null> {
  const read = beginRead(call)
  const plan = planGet(id, params, read.resource.whitelist, call.options)
  if (plan === undefined) return null
  const { rows: [row], statement: { toWire } } = yield * findRows(yield * prepareRead(read, plan), plan)
  if (row === undefined) return null
  return {
    json: yield * convertRecord(read, row.item as string, toWire),
    version: row.version as string | undefined,
  }
}

/** Whether a record with a key exists. */
export function * recordExists (call: Call, id: Id): Steps<boolean> {
  const read = beginRead(call)
  const plan = planExists(id, read.resource.whitelist, call.options)
  return plan !== undefined && (yield * findRows(yield * prepareRead(read, plan), plan)).rows.length > 0
}
