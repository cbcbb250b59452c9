/** Reads one record by its key. */
import { planExists, planGet, type Id } from '../plan/index.ts'
import type { QueryParams } from '../query/index.ts'
import type { CrudClass, ReadOptions, Session } from '../resource/index.ts'
import { enterStage } from '../run/index.ts'
import { convertRecord, isFinal, type JsonAnswer } from './answer.ts'
import { beginRead, hookContext, sendRead, readingRows, readingWithinLimits } from './rows.ts'

/** The record with a key, or `null` if it does not exist. */
export async function readRecord (
  crud: CrudClass,
  session: Session,
  id: Id,
  params: QueryParams | undefined,
  options: ReadOptions
): Promise<JsonAnswer | null> {
  const began = beginRead(crud, session, options, 'get')
  const read = began instanceof Promise ? await began : began
  const plan = planGet(id, params, read.resource.whitelist, options)
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
export async function recordExists (
  crud: CrudClass,
  session: Session,
  id: Id,
  options: ReadOptions
): Promise<boolean> {
  const read = await beginRead(crud, session, options, 'exists')
  const plan = planExists(id, read.resource.whitelist, options)
  enterStage()
  return plan !== undefined && (await sendRead(read, plan, (read) => readingRows(read, plan))).rows.length > 0
}
