/** Reads a page of groups with numbers about their rows, in one statement. */
import type { Steps } from '../base/steps.ts'
import { pageInfo, pageJson, refuseLongGroups, refuseManyGroups } from '../answer/index.ts'
import type { AggregatePlan } from '../plan/index.ts'
import type { Call } from '../resource/index.ts'
import { convertRows, type JsonAnswer } from './answer.ts'
import { beginRead, findRows, prepareRead } from './rows.ts'

/** Reads groups as JSON. Hooks on records do not apply, because groups are not records. */
export function * readGroups (call: Call, plan: AggregatePlan): Steps<JsonAnswer> {
  const read = yield * prepareRead(call, plan, beginRead(call))
  const { rows: [row], statement: { toWire } } = yield * findRows(read, plan)
  const items = `[${(row!.items as string | null) ?? ''}]`
  const info = pageInfo(plan.window, row!)
  refuseManyGroups(plan, info.total)
  refuseLongGroups(plan, items)
  return { json: pageJson(convertRows(items, toWire), info) }
}
