/** Counts records. */
import type { Steps } from '../base/steps.ts'
import { planCount } from '../plan/index.ts'
import type { QueryParams } from '../query/index.ts'
import type { Call } from '../resource/index.ts'
import { beginRead, findRows, prepareRead } from './rows.ts'

/** The number of records that match the filters of `params`. */
export function * countRecords (call: Call, params: QueryParams): Steps<number> {
  const plan = planCount(params, call.resource.whitelist, call.options)
  const { rows: [row] } = yield * findRows(yield * prepareRead(call, plan, beginRead(call)), plan)
  return Number(row!.count)
}
