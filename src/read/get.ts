/** Reads one record by its key. */
import type { Steps } from '../base/steps.ts'
import { planExists, planGet, type Id } from '../plan/index.ts'
import type { QueryParams } from '../query/index.ts'
import { whitelistOfCall, type Call } from '../resource/index.ts'
import { convertRecord, type JsonAnswer } from './answer.ts'
import { beginRead, findRows, prepareRead } from './rows.ts'

/** The record with a key, or `null` if it does not exist. */
export function * readRecord (call: Call, id: Id, params: QueryParams | undefined): Steps<JsonAnswer | null> {
  const conditions = beginRead(call)
  const plan = planGet(id, params, whitelistOfCall(call, params), call.options)
  if (plan === undefined) return null
  const read = yield * prepareRead(call, plan, conditions)
  const { rows: [row], statement: { toWire } } = yield * findRows(read, plan)
  if (row === undefined) return null
  return {
    json: yield * convertRecord(read, row.item as string, toWire),
    version: row.version as string | undefined,
  }
}

/** Whether a record with a key exists. */
export function * recordExists (call: Call, id: Id): Steps<boolean> {
  const conditions = beginRead(call)
  const plan = planExists(id, call.resource.whitelist, call.options)
  if (plan === undefined) return false
  return (yield * findRows(yield * prepareRead(call, plan, conditions), plan)).rows.length > 0
}
