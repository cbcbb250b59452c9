/** Streams: all records of a list, in batches, in constant memory. */
import type { EntityManager } from '@mikro-orm/postgresql'
import { parseExact, type ValueType } from '../model/index.ts'
import {
  planStreamKeys,
  planStreamOffset,
  planStreamPage,
  planStreamRecords,
  type Plan,
  type Selection,
  type SortTexts,
  type StreamKey,
  type StreamPlan,
} from '../plan/index.ts'
import {
  BatchSize,
  checkRecord,
  enterStage,
  isEmbedded,
  readKeyset,
  run,
  streamRows,
  throwIfStopped,
  tooLarge,
  type Completion,
  type Row,
} from '../run/index.ts'
import { EXCESS_COLUMN, forecastOf, KEYSET_ROW, STREAM_ROW, showsRelated } from '../sql/index.ts'
import { convertJson, type AfterRead } from './records.ts'
import { performAsync, type CompiledRead, type ReadOptions, type Resource } from '../resource/index.ts'

/** What a stream takes beside what other reads take. */
export interface StreamReadOptions extends ReadOptions {
  /** Ends the stream, also while the database is working for it. */
  readonly signal?: AbortSignal
}

/** The JSON of all records of a plan, in batches. */
export async function * streamBatches (
  resource: Resource,
  em: EntityManager,
  plan: StreamPlan,
  options: StreamReadOptions,
  afterRead: AfterRead
): AsyncGenerator<string[], void, undefined> {
  const context = { ...options.context, em }
  const batches = await isEmbedded(em)
    ? readPages(resource, em, plan, options)
    : readCursor(resource, em, plan, options)
  for await (const { items, toWire } of batches) {
    for (const item of items) checkRecord(plan, item)
    yield toWire === undefined && afterRead === undefined
      ? items
      : await Promise.all(items.map((item) => performAsync(convertJson(item, toWire, afterRead, context))))
  }
}

interface Batch {
  readonly items: string[]
  readonly toWire: CompiledRead['toWire']
}

async function compiled (
  resource: Resource,
  em: EntityManager,
  plan: Plan,
  options: ReadOptions
): Promise<CompiledRead> {
  enterStage('compile')
  const statement = await resource.compile(em, plan, options, 'stream')
  enterStage()
  return statement
}

/** What a stream includes is weighed where it can be too much: a batch that is too large is read in parts. */
function weighedPlan (plan: StreamPlan): StreamPlan {
  const { limits, selection } = plan
  return limits !== undefined && forecastOf(selection, limits).unbounded
    ? { ...plan, weighed: true }
    : withoutLimits(plan)
}

const withoutLimits = ({ limits, ...plan }: StreamPlan): StreamPlan => plan

/**
 * One statement, whose rows are those of one moment. What records show of others is read for some of them at a time, by
 * their keys: the server would have to collect it for all of them before it could send the first.
 */
async function * readCursor (
  resource: Resource,
  em: EntityManager,
  plan: StreamPlan,
  options: StreamReadOptions
): AsyncGenerator<Batch, void, undefined> {
  const related = showsRelated(plan.selection)
  const read = await compiled(resource, em, related ? planStreamKeys(plan) : plan, options)
  const weighed = weighedPlan(plan)
  const complete: Completion = {
    read: (keys) => compiled(resource, em, planStreamRecords(weighed, keys.map(keyOf)), options),
    excessOf: (row) => (row[STREAM_ROW.excess] as string | null | undefined) ?? undefined,
    refusal: (excess) => tooLarge(plan, excess),
  }
  for await (const rows of streamRows(em, read, { complete: related ? complete : undefined, signal: options.signal })) {
    yield { items: rows.map((row) => row[STREAM_ROW.item] as string), toWire: read.toWire }
  }
}

function keyOf (row: Row): StreamKey {
  const { [STREAM_ROW.key]: text, ...columns } = row as Record<string, string>
  return { text: text!, columns: Object.values(columns) }
}

/** Page by page: PGlite has one connection, and a transaction on it would keep everybody else waiting. */
async function * readPages (
  resource: Resource,
  em: EntityManager,
  plan: StreamPlan,
  options: StreamReadOptions
): AsyncGenerator<Batch, void, undefined> {
  const weighed = weighedPlan(plan)
  const size = new BatchSize()
  let after: SortTexts | undefined
  for (let offset = 0, more = true; more;) {
    throwIfStopped(options.signal)
    const limit = size.of(size.rows)
    const byPlace = planStreamPage(weighed, limit, after)
    // an order without places: slower the further it gets
    const read = await compiled(resource, em, byPlace ?? planStreamOffset(weighed, offset, limit), options)
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

/** The records of a list, one by one. */
function itemsOf (row: Row): string[] {
  return (parseExact(`[${(row['items'] as string | null) ?? ''}]`) as unknown[]).map((item) => JSON.stringify(item))
}

function lengthOf (items: readonly string[]): number {
  let length = 0
  for (const item of items) length += item.length
  return length
}

const NUMERIC: ReadonlySet<ValueType['kind']> = new Set([
  'integer',
  'bigint',
  'decimal',
  'float',
  'date',
  'datetime',
  'time',
])

/** What records of a selection show, in order, and whether that are numbers, dates or times. */
export function columnsOf (
  { properties, includes, aggregates }: Selection
): ReadonlyArray<{ readonly name: string, readonly numeric: boolean }> {
  return [
    ...properties.map((property) => ({ name: property.publicName, numeric: isNumeric(property) })),
    ...includes.map(({ relation }) => ({ name: relation.publicName, numeric: false })),
    ...aggregates.map(({ name, type, property }) => ({
      name,
      numeric: property?.codec === undefined && NUMERIC.has(type.kind),
    })),
  ]
}

/** A custom type may write anything. */
function isNumeric (property: Selection['properties'][number]): boolean {
  if (property.kind === 'embedded') return false
  const { codec, type } = property.kind === 'scalar' ? property : property.key[0]!
  return codec === undefined && NUMERIC.has(type.kind)
}
