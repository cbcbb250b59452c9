/** Reads of data providers: one page, all records, records by their keys. */
import type { AnyQuery } from '../client/query-string.ts'
import type { AnyPage, AnyRecord, Bound, Id } from './resource.ts'

/** The conditions of a list, and what its records contain. */
export interface ListQuery extends AnyQuery {
  readonly signal?: AbortSignal | undefined
}

/** The server takes at most this many items in a list of values. */
const MAX_ITEMS = 100

/** Reads the records of a page. A page that is larger than the resource allows takes several requests. */
export async function readPage (
  { resource, maxPerPage }: Bound,
  query: ListQuery,
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
export async function readAll ({ resource, maxPerPage }: Bound, query: ListQuery): Promise<AnyRecord[]> {
  const records: AnyRecord[] = []
  for await (const record of resource.each({ ...query, per_page: maxPerPage })) records.push(record)
  return records
}

/** Reads records by their keys, in one request for each hundred. Keys without a record are left out. */
export async function readMany (
  { resource, id, maxPerPage }: Bound,
  ids: readonly Id[],
  query: ListQuery
): Promise<AnyRecord[]> {
  const keys = [...new Set(ids)]
  const records: AnyRecord[] = []
  const size = Math.min(maxPerPage, MAX_ITEMS)
  for (let start = 0; start < keys.length; start += size) {
    const some = keys.slice(start, start + size)
    const { items } = await resource.list({ ...query, filter: { [id]: { in: some } }, per_page: some.length })
    records.push(...items)
  }
  return records
}
