/** Reads of data providers: one page, all records, records by their keys. */
import type { AnyQuery } from '../client/query-string.ts'
import type { ClientFilter } from './filter.ts'
import { groupsOf } from './record-key.ts'
import type { AnyPage, Bound, RecordId } from './admin-resource.ts'
import type { AnyRecord } from '../client/url-names.ts'

/** The conditions of a list, and what its records contain. */
export interface PageQuery extends AnyQuery {
  readonly signal?: AbortSignal | undefined
}

/** The server takes at most this many items in a list of values. */
const MAX_ITEMS = 100

/** Reads the records of a page. A page that is larger than the resource allows takes several requests. */
export async function readOnePage (
  { resource, maxPerPage }: Bound,
  query: PageQuery,
  page: number,
  perPage: number
): Promise<AnyPage> {
  if (perPage <= maxPerPage) return await resource.list({ ...query, page, per_page: perPage })
  const skipped = (page - 1) * perPage
  const items: AnyRecord[] = []
  for (;;) {
    const limit = Math.min(maxPerPage, perPage - items.length)
    const answer = await resource.list({ ...query, limit, offset: skipped + items.length })
    items.push(...answer.items)
    if (!answer.has_next || items.length >= perPage) return { ...answer, items, has_prev: skipped > 0 }
  }
}

/** Reads all records of a list, by cursor. */
export async function readAll ({ resource, maxPerPage }: Bound, query: PageQuery): Promise<AnyRecord[]> {
  const records: AnyRecord[] = []
  for await (const record of resource.each({ ...query, per_page: maxPerPage })) records.push(record)
  return records
}

/** Reads records by their ids, in one request for each hundred. Ids without a record are left out. */
export async function readMany (bound: Bound, ids: readonly RecordId[], query: PageQuery): Promise<AnyRecord[]> {
  const pages = await inTurns(
    partsOfIds(bound, [...new Set(ids)], bound.maxPerPage),
    async ({ filter, count }) => await bound.resource.list({ ...query, filter, per_page: count })
  )
  return pages.flatMap(({ items }) => items)
}

/** Some of the records with given ids: the filter that finds them, and their number. */
interface PartOfIds {
  readonly filter: ClientFilter
  readonly count: number
}

/** Divides records into parts that one request can name. An id with a wrong number of parts is left out. */
export function partsOfIds (bound: Bound, ids: readonly RecordId[], max = MAX_ITEMS): PartOfIds[] {
  return groupsOf(ids, bound).flatMap(({ same, part, values }) =>
    chunksOf(values, Math.min(max, MAX_ITEMS)).map((some) => ({
      filter: { ...same, [part]: { in: some } },
      count: some.length,
    }))
  )
}

function chunksOf<Item> (items: readonly Item[], size: number): Item[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, at) => items.slice(at * size, (at + 1) * size))
}

/** Number of requests that are sent at the same time. */
const AT_ONCE = 4

/** Calls `work` for each item, and returns the results in the same order. */
export async function inTurns<Item, Result> (
  items: readonly Item[],
  work: (item: Item) => Promise<Result>
): Promise<Result[]> {
  const results: Result[] = []
  const queue = items.entries()
  const takeTurns = async (): Promise<void> => {
    for (const [index, item] of queue) results[index] = await work(item)
  }
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, items.length) }, takeTurns))
  return results
}
