/** Streams all records of a list in batches, in constant memory. */
import type { EntityManager } from '@mikro-orm/postgresql'
import { doInTurn } from '../base/steps.ts'
import { parseExact } from '../model/index.ts'
import {
  planStream, planStreamKeys, planStreamOffset, planStreamPage, planStreamRecords, type ReadPlan, type SortTexts,
  type StreamKey, type StreamPlan,
} from '../plan/index.ts'
import type { QueryParams } from '../query/index.ts'
import { whitelistOfCall, type Call, type CompiledRead } from '../resource/index.ts'
import { checkRecord, readKeyset, tooLarge } from '../answer/index.ts'
import { BatchSize, isPglite, run, streamRows, throwIfStopped, type Completion } from '../run/index.ts'
import { type Row, EXCESS_COLUMN, forecastOf, KEYSET_ROW, STREAM_ROW, showsRelated } from '../sql/index.ts'
import { convertRecord, isSentUnchanged } from './answer.ts'
import { beginRead } from './rows.ts'

/** The JSON texts of all records that match `params`, in batches. */
export async function * readStream (
  call: Call<EntityManager>,
  params: QueryParams
): AsyncGenerator<string[], void, undefined> {
  const { crud, session: em, options, resource } = call
  const conditions = beginRead(call)
  const plan = planStream(params, whitelistOfCall(call, params), options)
  const statementOf: StatementOf = (plan) => doInTurn(resource.prepare(em, plan, conditions, 'stream'))
  const batches = isPglite(em)
    ? readPages(statementOf, em, plan, options.signal)
    : readCursor(statementOf, em, plan, options.signal)
  for await (const { items, toWire } of batches) {
    for (const item of items) checkRecord(plan, item)
    yield isSentUnchanged(toWire, crud)
      ? items
      : await Promise.all(items.map((item) => doInTurn(convertRecord({ crud, session: em, conditions }, item, toWire))))
  }
}

/** Returns the statement of a plan, with the conditions of the stream's request. */
type StatementOf = (plan: ReadPlan) => Promise<CompiledRead>

interface Batch {
  readonly items: string[]
  readonly toWire: CompiledRead['toWire']
}

/** The plan measures included records if they can exceed a limit: a batch that is too large is read in parts. */
function measuredPlan (plan: StreamPlan): StreamPlan {
  const { limits, ...unlimited } = plan
  return limits !== undefined && forecastOf(plan.selection, limits).unbounded
    ? { ...plan, isDoubtful: true }
    : unlimited
}

/**
 * Reads all rows by one statement, from one snapshot. Related records are read by separate statements, by the keys of
 * some records at a time: in one statement, the server would have to collect them for all records before it could send
 * the first.
 */
async function * readCursor (
  statementOf: StatementOf,
  em: EntityManager,
  plan: StreamPlan,
  signal: AbortSignal | undefined
): AsyncGenerator<Batch, void, undefined> {
  const related = showsRelated(plan.selection)
  const read = await statementOf(related ? planStreamKeys(plan) : plan)
  const measured = measuredPlan(plan)
  const complete: Completion = {
    read: (keys) => statementOf(planStreamRecords(measured, keys.map(streamKey))),
    excessOf: (row) => (row[STREAM_ROW.excess] as string | null | undefined) ?? undefined,
    refusal: (excess) => tooLarge(plan, excess),
  }
  for await (const rows of streamRows(em, read, { complete: related ? complete : undefined, signal })) {
    yield { items: rows.map((row) => row[STREAM_ROW.item] as string), toWire: read.toWire }
  }
}

function streamKey (row: Row): StreamKey {
  const { [STREAM_ROW.key]: text, ...columns } = row as Record<string, string>
  return { text: text!, columns: Object.values(columns) }
}

/** Reads page by page: PGlite has one connection, and a transaction on it would block all other requests. */
async function * readPages (
  statementOf: StatementOf,
  em: EntityManager,
  plan: StreamPlan,
  signal: AbortSignal | undefined
): AsyncGenerator<Batch, void, undefined> {
  const measured = measuredPlan(plan)
  const size = new BatchSize()
  let after: SortTexts | undefined
  for (let offset = 0, more = true; more;) {
    throwIfStopped(signal)
    const limit = size.of(size.rows)
    const byPlace = planStreamPage(measured, limit, after)
    // the order cannot be continued by a cursor: an offset is slower the further it gets
    const read = await statementOf(byPlace ?? planStreamOffset(measured, offset, limit))
    const rows = await run(em, read)
    const excess = rows[0]?.[byPlace === undefined ? EXCESS_COLUMN : KEYSET_ROW.excess]
    if (typeof excess === 'string') {
      if (limit === 1) throw tooLarge(plan, excess)
      size.refuse(limit)
      continue
    }
    size.accept()
    const page = byPlace === undefined ? undefined : readKeyset(byPlace, rows)
    const items = page === undefined ? itemsOf(rows[0]!) : [...page.items]
    size.learn(items.length, lengthOf(items))
    if (items.length > 0) yield { items, toWire: read.toWire }
    after = page?.last
    offset += limit
    more = items.length === limit
  }
}

/** The JSON texts of the records of a page. */
function itemsOf (row: Row): string[] {
  return (parseExact(`[${(row['items'] as string | null) ?? ''}]`) as unknown[]).map((item) => JSON.stringify(item))
}

function lengthOf (items: readonly string[]): number {
  let length = 0
  for (const item of items) length += item.length
  return length
}
