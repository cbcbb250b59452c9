/** Streams: all records of a list, in batches, in constant memory. */
import type { EntityManager } from '@mikro-orm/postgresql'
import type { ValueType } from '../model/index.ts'
import { planPage, planStreamKeys, planStreamOffset, planStreamPage, planStreamRecords, readPosition, type Plan, type Selection, type StreamKey, type StreamPlan } from '../plan/index.ts'
import { BatchSize, enterStage, isEmbedded, readKeyset, run, streamRows, throwIfStopped, type Row } from '../run/index.ts'
import { STREAM_ROW, showsRelated } from '../sql/index.ts'
import { convertJson, type AfterRead } from './records.ts'
import type { ReadOptions } from './foreign.ts'
import type { Resource } from './resource.ts'
import type { CompiledRead } from './statements.ts'
import { performAsync } from './steps.ts'

/** What a stream takes beside what other reads take. */
export interface StreamReadOptions extends ReadOptions {
  /** Ends the stream, also while the database is working for it. */
  readonly signal?: AbortSignal
}

/** The JSON of all records of a plan, in batches. */
export async function * streamBatches (resource: Resource, em: EntityManager, plan: StreamPlan, options: StreamReadOptions, afterRead: AfterRead): AsyncGenerator<string[], void, undefined> {
  const context = { ...options.context, em }
  const batches = await isEmbedded(em) ? readPages(resource, em, plan, options) : readCursor(resource, em, plan, options)
  for await (const { items, toWire } of batches) {
    yield toWire === undefined && afterRead === undefined ? items : await Promise.all(items.map((item) => performAsync(convertJson(item, toWire, afterRead, context))))
  }
}

interface Batch {
  readonly items: string[]
  readonly toWire: CompiledRead['toWire']
}

async function compiled (resource: Resource, em: EntityManager, plan: Plan, options: ReadOptions): Promise<CompiledRead> {
  enterStage('compile')
  const statement = await resource.compile(em, plan, options, 'stream')
  enterStage()
  return statement
}

/**
 * One statement, whose rows are those of one moment. What records show of others is read for some of them at a time, by
 * their keys: the server would have to collect it for all of them before it could send the first.
 */
async function * readCursor (resource: Resource, em: EntityManager, plan: StreamPlan, options: StreamReadOptions): AsyncGenerator<Batch, void, undefined> {
  const related = showsRelated(plan.selection)
  const read = await compiled(resource, em, related ? planStreamKeys(plan) : plan, options)
  const complete = related ? (keys: readonly Row[]) => compiled(resource, em, planStreamRecords(plan, keys.map(keyOf)), options) : undefined
  for await (const rows of streamRows(em, read, { complete, signal: options.signal })) {
    yield { items: rows.map((row) => row[STREAM_ROW.item] as string), toWire: read.toWire }
  }
}

function keyOf (row: Row): StreamKey {
  const { [STREAM_ROW.key]: text, ...columns } = row as Record<string, string>
  return { text: text!, columns: Object.values(columns) }
}

/** Page by page: PGlite has one connection, and a transaction on it would keep everybody else waiting. */
async function * readPages (resource: Resource, em: EntityManager, plan: StreamPlan, options: StreamReadOptions): AsyncGenerator<Batch, void, undefined> {
  const size = new BatchSize()
  let next = planStreamPage(plan, size.rows)
  if (next === undefined) return yield * readOffsets(resource, em, plan, options, size)
  while (next !== undefined) {
    throwIfStopped(options.signal)
    const read = await compiled(resource, em, next, options)
    const page = readKeyset(next, await run(em, read))
    const items = [...page.items]
    size.learn(items.length, lengthOf(items))
    if (items.length > 0) yield { items, toWire: read.toWire }
    next = page.ahead ? planPage(next, readPosition({ side: 'after', inclusive: false, texts: page.last! }, next.order)!, { limit: size.rows }) : undefined
  }
}

/** Page by page by the number of rows before: slower the further it gets. */
async function * readOffsets (resource: Resource, em: EntityManager, plan: StreamPlan, options: StreamReadOptions, size: BatchSize): AsyncGenerator<Batch, void, undefined> {
  for (let offset = 0; ;) {
    throwIfStopped(options.signal)
    const limit = size.rows
    const read = await compiled(resource, em, planStreamOffset(plan, offset, limit), options)
    const [row] = await run(em, read)
    const items = (JSON.parse(`[${(row!['items'] as string | null) ?? ''}]`) as unknown[]).map((item) => JSON.stringify(item))
    size.learn(items.length, lengthOf(items))
    if (items.length > 0) yield { items, toWire: read.toWire }
    if (Number(row!['fetched']) <= limit) return
    offset += limit
  }
}

function lengthOf (items: readonly string[]): number {
  let length = 0
  for (const item of items) length += item.length
  return length
}

const NUMERIC: ReadonlySet<ValueType['kind']> = new Set(['integer', 'bigint', 'decimal', 'float', 'date', 'datetime', 'time'])

/** What records of a selection show, in order, and whether that are numbers, dates or times. */
export function columnsOf ({ properties, includes, aggregates }: Selection): ReadonlyArray<{ readonly name: string, readonly numeric: boolean }> {
  return [
    ...properties.map((property) => ({ name: property.publicName, numeric: isNumeric(property) })),
    ...includes.map(({ relation }) => ({ name: relation.publicName, numeric: false })),
    ...aggregates.map(({ name, type, property }) => ({ name, numeric: property?.codec === undefined && NUMERIC.has(type.kind) })),
  ]
}

/** A custom type may write anything. */
function isNumeric (property: Selection['properties'][number]): boolean {
  if (property.kind === 'embedded') return false
  const { codec, type } = property.kind === 'scalar' ? property : property.key[0]!
  return codec === undefined && NUMERIC.has(type.kind)
}
