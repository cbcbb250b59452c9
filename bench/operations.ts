/** The measured operations: calls with varying values, in the same sequence in every run. Writes come last. */
import {
  ALL, CATEGORIES, highestPriceOf, LEAST, MOST, NAMES, pageOf, PER_PAGE, priceOf, someRows, wordOf,
} from './amounts.ts'
import type { Call, NewCategory } from './calls.ts'
import type { AmountOperationName } from './amounts/names.ts'

export type MainOperationName =
  | 'list'
  | 'include'
  | 'get'
  | 'search'
  | 'words'
  | 'either'
  | 'facets'
  | 'groups'
  | 'numbers'
  | 'by-number'
  | 'offset'
  | 'cursor-first'
  | 'cursor-deep'
  | 'create'
  | 'update'
  | 'create-many'

export type OperationName = MainOperationName | AmountOperationName

export interface Operation<Name extends OperationName = OperationName> {
  readonly name: Name
  readonly title: string
  /**
   * Returns the n-th call.
   *
   * @param cursors of pages deep in the set, in the server's form
   */
  readonly call: (n: number, cursors: readonly string[]) => Call
  /** Number of calls before they start over. Default: `REQUESTS`. */
  readonly requests?: number
  /** The smallest and the largest number of rows that the filters of a call keep, if the answer has it as its total. */
  readonly keeps?: readonly [least: number, most: number]
  /** Whether the operation adds or changes rows. */
  readonly writes?: true
  /** Whether it has processes of servers that do nothing else. Its garbage would be collected in other operations. */
  readonly alone?: true
  /** Whether only variants with this package's query language have it. */
  readonly own?: true
}

export const REQUESTS = 2_000

const BATCH = 100

/**
 * Some 30 to 1 700 categories match. The request shows 20 of them, on one of the first five pages. Few requests are
 * equal, so a cache of whole query strings would gain nothing.
 */
const filtered = (n: number) => ({ minPrice: priceOf(someRows(n)), page: pageOf(n, someRows(n)) })

/** The numbers of rows that they keep. Rows are not spread quite evenly. */
const KEPT = [LEAST - 5, MOST + 20] as const

/** Texts that some 20, 280 and 1 100 names contain. */
const SEARCHED = [20, 280, 1_100] as const
function searched (n: number): Call {
  const rows = SEARCHED[n % SEARCHED.length]!
  return { kind: 'search', text: NAMES[rows](n), page: pageOf(n, rows) }
}

/** Goes through the whole table in steps of a prime number, and skips deleted rows. */
const existing = (n: number): number => (n * 7919 % (CATEGORIES / 50)) * 50 + 1 + n % 49

const created = (n: number): NewCategory => ({
  name: `New category ${n}`,
  description: 'What a new category holds, in a sentence or two as they stand in a catalogue.',
  price: n % 1000 / 100,
  status: 'draft',
})

/** Updates drafts, which no list here shows. When the sequence starts over, the new values differ from the row's. */
const updated = (n: number): Call => ({
  kind: 'update',
  id: (n % (REQUESTS / 2)) * 90 + 6,
  changes: { description: `What this category holds since update ${n}, in a sentence or two.`, price: n % 2000 / 100 },
})

export const operations: ReadonlyArray<Operation<MainOperationName>> = [
  {
    name: 'list',
    title: 'List 20 of a filtered, sorted set, with total',
    call: (n) => ({ kind: 'list', ...filtered(n), include: false }),
    keeps: KEPT,
  },
  {
    name: 'include',
    title: 'The same with a to-many include, 5 each',
    call: (n) => ({ kind: 'list', ...filtered(n), include: true }),
    keeps: KEPT,
  },
  { name: 'get', title: 'Get by id', call: (n) => ({ kind: 'get', id: existing(n) }) },
  { name: 'search', title: 'Search (contains), with total', call: searched, keeps: [5, 1_200] },
  {
    name: 'words',
    title: 'Search by words, the best matches first, with total',
    call: (n) => ({ kind: 'words', text: wordOf(someRows(n), n), page: pageOf(n, someRows(n)) }),
    keeps: KEPT,
    own: true,
  },
  {
    name: 'either',
    title: 'List 20 that match one of two conditions, sorted, with total',
    call: (n) => ({ kind: 'either', ...filtered(n), maxPrice: highestPriceOf(someRows(n * 7) / 2) }),
    own: true,
  },
  {
    name: 'facets',
    title: 'The first list with three facets',
    call: (n) => ({ kind: 'facets', minPrice: priceOf(someRows(n)) }),
    own: true,
  },
  {
    name: 'groups',
    title: 'Count, sum and mean by status, of a filtered set',
    call: (n) => ({ kind: 'groups', minPrice: priceOf(someRows(n), ALL) }),
    own: true,
  },
  {
    name: 'numbers',
    title: 'The first list with the number and the highest price of products',
    call: (n) => ({ kind: 'numbers', ...filtered(n) }),
    own: true,
  },
  {
    name: 'by-number',
    title: 'A filter by the number of products, sorted by their highest price, with total',
    call: (n) => ({ kind: 'byNumber', ...filtered(n), least: n % 5 + 1 }),
    own: true,
  },
  {
    name: 'offset',
    title: 'Deep page by offset, with total',
    call: (n) => ({ kind: 'offset', offset: 50_000 + n % 500 * 20 }),
  },
  {
    name: 'cursor-first',
    title: 'First page by cursor',
    call: () => ({ kind: 'cursor', cursor: '', perPage: PER_PAGE }),
  },
  {
    name: 'cursor-deep',
    title: 'Deep page by cursor',
    call: (n, cursors) => ({ kind: 'cursor', cursor: cursors[n % cursors.length]!, perPage: PER_PAGE }),
  },
  { name: 'create', title: 'Create', call: (n) => ({ kind: 'create', record: created(n) }), writes: true },
  { name: 'update', title: 'Update', call: updated, writes: true },
  {
    name: 'create-many',
    title: `Create ${BATCH} at once`,
    call: (n) => ({ kind: 'createMany', records: Array.from({ length: BATCH }, (_, i) => created(n * BATCH + i)) }),
    requests: 50,
    writes: true,
    alone: true,
  },
]
