/** The requests whose cost is measured in tables of different sizes. Each finds as many rows in a large table. */
import { createHash } from 'node:crypto'
import { PER_PAGE, type Call } from '../operations.ts'
import type { ServerName } from '../variants.ts'
import { FOUND } from './data.ts'

/** The size of the set from which pages are read. */
export interface Extent {
  /** Number of categories. */
  readonly rows: number
  /** Cursors of pages in the second half of the set. */
  readonly cursors: readonly string[]
}

export interface GrowthOperation {
  readonly name: string
  readonly title: string
  /** The generated routes that answer. `crud-kit-bounded` counts up to 10 000 rows. */
  readonly server: Extract<ServerName, 'crud-kit' | 'crud-kit-bounded'>
  /** Why the cost grows by hand as well. Without a reason it must be flat. */
  readonly grows?: string
  /** Whether the hand-written routes have such a request. */
  readonly byHand: boolean
  /** The smallest table in which the request finds as many rows as in larger ones. */
  readonly atLeast?: number
  readonly writes?: true
  readonly call: (n: number, extent: Extent) => Call
}

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
    server: 'crud-kit',
    byHand: true,
    call: (n, { rows }) => ({ kind: 'list', minPrice: price(n, rows), page: n % 5 + 1, include: false }),
  },
  {
    name: 'include',
    title: 'the same with a to-many include',
    server: 'crud-kit',
    byHand: true,
    call: (n, { rows }) => ({ kind: 'list', minPrice: price(n, rows), page: n % 5 + 1, include: true }),
  },
  {
    name: 'get',
    title: 'get by id',
    server: 'crud-kit',
    byHand: true,
    call: (n, { rows }) => ({ kind: 'get', id: existing(n, rows) }),
  },
  {
    name: 'search',
    title: `search (contains) for a word that ${FOUND} rows have, with total`,
    server: 'crud-kit',
    grows: 'an index of trigrams lists all rows that have a part of the word, and these become more',
    byHand: true,
    call: (n, { rows }) => ({ kind: 'search', text: word(n, rows), page: n % 5 + 1 }),
  },
  {
    name: 'bounded',
    title: 'first page of all, total up to 10 000',
    server: 'crud-kit-bounded',
    byHand: false,
    call: firstPage,
  },
  {
    name: 'bounded-filter',
    title: 'first page of a third, total up to 10 000',
    server: 'crud-kit-bounded',
    byHand: false,
    // a third of 10 000 rows is fewer than the total counts
    atLeast: 100_000,
    call: () => ({ kind: 'list', minPrice: 0, page: 1, include: false }),
  },
  {
    name: 'offset',
    title: 'page after 50 000 others, total up to 10 000',
    server: 'crud-kit-bounded',
    grows: 'the rows that are skipped lie on more pages of a larger table',
    byHand: false,
    atLeast: 100_000,
    call: (n) => ({ kind: 'offset', offset: 50_000 + n % 500 * PER_PAGE }),
  },
  {
    name: 'exact',
    title: 'first page of all, exact total',
    server: 'crud-kit',
    grows: 'PostgreSQL counts all rows',
    byHand: true,
    call: firstPage,
  },
  {
    name: 'cursor-first',
    title: 'first page by cursor',
    server: 'crud-kit',
    byHand: true,
    call: () => ({ kind: 'cursor', cursor: '', perPage: PER_PAGE }),
  },
  {
    name: 'cursor-deep',
    title: 'page by cursor in the second half of all',
    server: 'crud-kit',
    byHand: true,
    call: (n, { cursors }) => ({ kind: 'cursor', cursor: cursors[n % cursors.length]!, perPage: PER_PAGE }),
  },
  {
    name: 'create',
    title: 'create',
    server: 'crud-kit',
    byHand: true,
    writes: true,
    call: (n) => ({ kind: 'create', record: record(n) }),
  },
  {
    name: 'update',
    title: 'update of two properties',
    server: 'crud-kit',
    byHand: true,
    writes: true,
    call: (n, { rows }) => ({
      kind: 'update',
      id: existing(n, rows),
      changes: { description: `The description since update ${n}.`, price: n % 2000 / 100 },
    }),
  },
  {
    name: 'create-many',
    title: 'create 100 at once',
    server: 'crud-kit',
    byHand: true,
    writes: true,
    call: (n) => ({ kind: 'createMany', records: Array.from({ length: 100 }, (_, i) => record(n * 100 + i)) }),
  },
]
