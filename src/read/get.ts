/** Reads one record by its key. */
import { planExists, planGet, type Id } from '../plan/index.ts'
import type { QueryParams } from '../query/index.ts'
import type { Call } from '../resource/index.ts'
import { enterStage } from '../run/index.ts'
import { convertRecord, isFinal, type JsonAnswer } from './answer.ts'
import { beginRead, hookContext, sendRead, readingRows, readingWithinLimits } from './rows.ts'

/** The record with a key, or `null` if it does not exist. */
export async function readRecord (call: Call, id: Id, params: QueryParams | undefined): Promise<JsonAnswer | null> {
  const read = beginRead(call)
  const { crud } = read
  const plan = planGet(id, params, read.resource.whitelist, call.options)
  enterStage()
  if (plan === undefined) return null
  const { rows: [row], statement: { toWire } } = await sendRead(read, plan, (read) => readingWithinLimits(read, plan))
  if (row === undefined) return null
  const json = row.item as string
  return {
    json: isFinal(toWire, crud) ? json : await convertRecord(json, toWire, crud, hookContext(read)),
    version: row.version as string | undefined,
  }
}

/** Whether a record with a key exists. */
export async function recordExists (call: Call, id: Id): Promise<boolean> {
  const read = beginRead(call)
  const plan = planExists(id, read.resource.whitelist, call.options)
  enterStage()
  return plan !== undefined && (await sendRead(read, plan, (read) => readingRows(read, plan))).rows.length > 0
}
