/** Streams: all records of a list, in batches, in constant memory. */
import type { EntityManager } from '@mikro-orm/postgresql'
import { planPage, planStreamOffset, planStreamPage, readPosition, type Plan, type StreamPlan } from '../plan/index.ts'
import { enterStage, isEmbedded, readKeyset, run, streamRows } from '../run/index.ts'
import { convertJson, type AfterRead } from './records.ts'
import type { ReadOptions } from './foreign.ts'
import type { Resource } from './resource.ts'
import type { CompiledRead } from './statements.ts'
import { performAsync } from './steps.ts'

/** Records read at a time: the memory that a stream needs, and the statements that it costs. */
const BATCH = 500

/** The JSON of all records of a plan, in batches. */
export async function * streamBatches (resource: Resource, em: EntityManager, plan: StreamPlan, options: ReadOptions, afterRead: AfterRead): AsyncGenerator<string[], void, undefined> {
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

/** One statement, whose rows are those of one moment. */
async function * readCursor (resource: Resource, em: EntityManager, plan: StreamPlan, options: ReadOptions): AsyncGenerator<Batch, void, undefined> {
  const read = await compiled(resource, em, plan, options)
  for await (const rows of streamRows(em, read, BATCH)) yield { items: rows.map((row) => row['item'] as string), toWire: read.toWire }
}

/** Page by page: PGlite has one connection, and a transaction on it would keep everybody else waiting. */
async function * readPages (resource: Resource, em: EntityManager, plan: StreamPlan, options: ReadOptions): AsyncGenerator<Batch, void, undefined> {
  let next = planStreamPage(plan, BATCH)
  if (next === undefined) return yield * readOffsets(resource, em, plan, options)
  while (next !== undefined) {
    const read = await compiled(resource, em, next, options)
    const page = readKeyset(next, await run(em, read))
    if (page.items.length > 0) yield { items: [...page.items], toWire: read.toWire }
    next = page.ahead ? planPage(next, readPosition({ side: 'after', inclusive: false, texts: page.last! }, next.order)!) : undefined
  }
}

/** Page by page by the number of rows before: slower the further it gets. */
async function * readOffsets (resource: Resource, em: EntityManager, plan: StreamPlan, options: ReadOptions): AsyncGenerator<Batch, void, undefined> {
  for (let offset = 0; ; offset += BATCH) {
    const read = await compiled(resource, em, planStreamOffset(plan, offset, BATCH), options)
    const [row] = await run(em, read)
    const items = JSON.parse(`[${(row!['items'] as string | null) ?? ''}]`) as unknown[]
    if (items.length > 0) yield { items: items.map((item) => JSON.stringify(item)), toWire: read.toWire }
    if (Number(row!['fetched']) <= BATCH) return
  }
}
