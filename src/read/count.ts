/** Counts records. */
import { planCount } from '../plan/index.ts'
import type { QueryParams } from '../query/index.ts'
import type { Row } from '../sql/index.ts'
import type { Call } from '../resource/index.ts'
import { beginRead, sendRead, readingRows } from './rows.ts'

/** The number of records that match the filters of `params`. */
export async function countRecords (call: Call, params: QueryParams): Promise<number> {
  const read = beginRead(call)
  const plan = planCount(params, read.resource.whitelist, call.options)
  const { rows } = await sendRead(read, plan, (read) => readingRows(read, plan))
  return countOf(rows)
}

/** The number in the row of a count. */
export function countOf ([row]: readonly Row[]): number {
  return Number(row!.count)
}
