/** The requests whose cost is measured in tables of different sizes. Each finds as many rows in a large table. */
import { createHash } from 'node:crypto'
import { PER_PAGE } from '../amounts.ts'
import { bulkOperations } from '../bulk/operations.ts'
import type { Call } from '../calls.ts'
import type { HttpRequest } from '../dialects/dialect.ts'
import { own } from '../dialects/own.ts'
import type { ServerName } from '../variants.ts'
import { ARTICLES_PART, FOUND, type WrittenTable } from './data.ts'

/** The smallest table. */
const SMALLEST = 10_000

/** The size of the set from which pages are read. */
interface Extent {
  /** Number of categories. */
  readonly rows: number
  /** Cursors of pages in the second half of the set. */
  readonly cursors: readonly string[]
}

export type Owner = 'generated' | 'hand-written'

export interface GrowthOperation {
  readonly name: string
  readonly title: string
  /** The routes that answer. Some requests have no hand-written route. */
  readonly servers: Readonly<Partial<Record<Owner, ServerName>>> & { readonly generated: ServerName }
  /** Why the cost grows by hand as well. Without a reason it must be flat. */
  readonly grows?: string
  /** The smallest table in which the request finds as many rows as in larger ones. */
  readonly atLeast?: number
  /** The table that a round changes. */
  readonly writes?: WrittenTable
  /** Number of requests before they start over. Default: 1 000. */
  readonly requests?: number
  /** Whether each request may be sent once only. */
  readonly once?: true
  readonly request: (n: number, extent: Extent) => HttpRequest
}

const MAIN = { generated: 'crud-kit', 'hand-written': 'hand-written' } as const
const BOUNDED = { generated: 'crud-kit-bounded' } as const
const BULK = { generated: 'bulk-crud-kit', 'hand-written': 'bulk-hand-written' } as const

/** A request of the main operations' routes. */
const calling = (call: (n: number, extent: Extent) => Call): GrowthOperation['request'] =>
  (n, extent) => own.request(call(n, extent))

/** Some 100 to 300 rows have this price or a higher one, and are active. */
function price (n: number, rows: number): number {
  return Math.round((1 - 3 * (100 + n % 7 * 33) / rows) * 100_000) / 100
}

/** A prime number of steps through the whole table, without the deleted rows. */
const existing = (n: number, rows: number): number => Math.floor(n * 7_919_317 % rows / 50) * 50 + 1 + n % 49

const record = (n: number) => ({
  name: `New category ${n}`,
  description: 'The description of a new category, one sentence.',
  price: n % 1000 / 100,
  status: 'draft',
})

/** The words of names are made by the database in the same way. */
const word = (n: number, rows: number): string =>
  createHash('md5').update(String(n * 7919 % Math.max(1, rows / FOUND))).digest('hex').slice(0, 8)

const firstPage = (): Call => ({ kind: 'offset', offset: 0 })

export const growthOperations: readonly GrowthOperation[] = [
  {
    name: 'list',
    title: '20 of 100 to 300 that a filter finds, sorted, with total',
    servers: MAIN,
    request: calling((n, { rows }) => ({ kind: 'list', minPrice: price(n, rows), page: n % 5 + 1, include: false })),
  },
  {
    name: 'include',
    title: 'the same with a to-many include',
    servers: MAIN,
    request: calling((n, { rows }) => ({ kind: 'list', minPrice: price(n, rows), page: n % 5 + 1, include: true })),
  },
  {
    name: 'get',
    title: 'get by id',
    servers: MAIN,
    request: calling((n, { rows }) => ({ kind: 'get', id: existing(n, rows) })),
  },
  {
    name: 'search',
    title: `search (contains) for a word that ${FOUND} rows have, with total`,
    servers: MAIN,
    grows: 'an index of trigrams lists all rows that have a part of the word, and these become more',
    request: calling((n, { rows }) => ({ kind: 'search', text: word(n, rows), page: n % 5 + 1 })),
  },
  {
    name: 'words',
    title: `search by words for one that ${FOUND} articles have, the best first, with total (a tenth as many articles)`,
    servers: MAIN,
    request: calling((n, { rows }) => ({ kind: 'words', text: word(n, rows * ARTICLES_PART), page: n % 5 + 1 })),
  },
  {
    name: 'either',
    title: '20 of 100 to 500 that match one of two conditions, with total',
    servers: MAIN,
    request: calling((n, { rows }) => ({
      kind: 'either',
      minPrice: price(n, rows),
      maxPrice: Math.round(3 * (n % 7 * 33) / rows * 100_000) / 100,
      page: n % 5 + 1,
    })),
  },
  {
    name: 'facets',
    title: 'the first list with three facets',
    servers: MAIN,
    request: calling((n, { rows }) => ({ kind: 'facets', minPrice: price(n, rows) })),
  },
  {
    name: 'groups',
    title: 'count, sum and mean by status of 300 to 900 that a filter finds',
    servers: MAIN,
    grows: 'the rows that the filter finds lie on more pages of a larger table',
    request: calling((n, { rows }) => ({ kind: 'groups', minPrice: price(n, rows) })),
  },
  {
    name: 'numbers',
    title: 'the first list with the number and the highest price of products',
    servers: MAIN,
    request: calling((n, { rows }) => ({ kind: 'numbers', minPrice: price(n, rows), page: n % 5 + 1 })),
  },
  {
    name: 'by-number',
    title: 'the first list, filtered by the number and sorted by the highest price of products',
    servers: MAIN,
    request: calling((n, { rows }) => ({ kind: 'byNumber', minPrice: price(n, rows), least: 0, page: n % 5 + 1 })),
  },
  {
    name: 'bounded',
    title: 'first page of all, total up to 10 000',
    servers: BOUNDED,
    request: calling(firstPage),
  },
  {
    name: 'bounded-filter',
    title: 'first page of a third, total up to 10 000',
    servers: BOUNDED,
    // a third of 10 000 rows is fewer than the total counts
    atLeast: 100_000,
    request: calling(() => ({ kind: 'list', minPrice: 0, page: 1, include: false })),
  },
  {
    name: 'offset',
    title: 'page after 50 000 others, total up to 10 000',
    servers: BOUNDED,
    grows: 'the rows that are skipped lie on more pages of a larger table',
    atLeast: 100_000,
    request: calling((n) => ({ kind: 'offset', offset: 50_000 + n % 500 * PER_PAGE })),
  },
  {
    name: 'exact',
    title: 'first page of all, exact total',
    servers: MAIN,
    grows: 'PostgreSQL counts all rows',
    request: calling(firstPage),
  },
  {
    name: 'cursor-first',
    title: 'first page by cursor',
    servers: MAIN,
    request: calling(() => ({ kind: 'cursor', cursor: '', perPage: PER_PAGE })),
  },
  {
    name: 'cursor-deep',
    title: 'page by cursor in the second half of all',
    servers: MAIN,
    request: calling((n, { cursors }) => ({ kind: 'cursor', cursor: cursors[n % cursors.length]!, perPage: PER_PAGE })),
  },
  {
    name: 'create',
    title: 'create',
    servers: MAIN,
    writes: 'categories',
    request: calling((n) => ({ kind: 'create', record: record(n) })),
  },
  {
    name: 'update',
    title: 'update of two properties',
    servers: MAIN,
    writes: 'categories',
    request: calling((n, { rows }) => ({
      kind: 'update',
      id: existing(n, rows),
      changes: { description: `The description since update ${n}.`, price: n % 2000 / 100 },
    })),
  },
  {
    name: 'create-many',
    title: 'create 100 at once',
    servers: MAIN,
    writes: 'categories',
    requests: 20,
    request: calling((n) => ({
      kind: 'createMany',
      records: Array.from({ length: 100 }, (_, i) => record(n * 100 + i)),
    })),
  },
  ...bulkOperations.map(({ name, title, table, request, requests }): GrowthOperation => ({
    name,
    title: title.charAt(0).toLowerCase() + title.slice(1),
    servers: BULK,
    writes: table,
    requests: Math.min(requests(SMALLEST), name === 'upsert-one' ? 2_000 : 60),
    once: true,
    request: (n, { rows }) => request(n, rows),
  })),
]
