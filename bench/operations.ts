/** The measured operations: calls with varying values, in the same sequence in every run. Writes come last. */
import { CATEGORIES } from './data.ts'

/** A request, independent of its syntax; the dialect writes it. */
export type Call =
  | { readonly kind: 'list', readonly minPrice: number, readonly page: number, readonly include: boolean }
  | { readonly kind: 'get', readonly id: number }
  | OwnCall
  | { readonly kind: 'search', readonly text: string, readonly page: number }
  | { readonly kind: 'offset', readonly offset: number }
  | { readonly kind: 'cursor', readonly cursor: string, readonly perPage: number }
  | { readonly kind: 'create', readonly record: NewCategory }
  | { readonly kind: 'createMany', readonly records: readonly NewCategory[] }
  | { readonly kind: 'update', readonly id: number, readonly changes: Partial<NewCategory> }

/** Calls that only the query language of this package has, and the routes that are written by hand for it. */
export type OwnCall =
  | { readonly kind: 'either', readonly minPrice: number, readonly maxPrice: number, readonly page: number }
  | { readonly kind: 'facets', readonly minPrice: number }
  | { readonly kind: 'groups', readonly minPrice: number }

/** Calls that every library has. */
export type CommonCall = Exclude<Call, OwnCall>

export interface NewCategory {
  readonly name: string
  readonly description: string
  readonly price: number
  readonly status: string
}

export type OperationName =
  | 'list'
  | 'include'
  | 'get'
  | 'search'
  | 'either'
  | 'facets'
  | 'groups'
  | 'offset'
  | 'cursor-first'
  | 'cursor-deep'
  | 'create'
  | 'update'
  | 'create-many'

export interface Operation {
  readonly name: OperationName
  readonly title: string
  /**
   * Returns the n-th call.
   *
   * @param cursors of pages deep in the set, in the server's form
   */
  readonly call: (n: number, cursors: readonly string[]) => Call
  /** Number of calls before they start over. Default: `REQUESTS`. */
  readonly requests?: number
  /** Whether the operation adds or changes rows. */
  readonly writes?: true
  /** Whether only variants with this package's query language have it. */
  readonly own?: true
}

export const REQUESTS = 2_000

export const PER_PAGE = 20
const BATCH = 100

const minPrice = (n: number): number => (9_990 - n * 37 % 1_100) / 10

/**
 * Some 30 to 3 600 categories match, which is fewer or more than a statement gathers at once. The request shows 20 of
 * them, on one of the first five pages. Few requests are equal, so a cache of whole query strings would gain nothing.
 */
const list = (n: number, include: boolean): Call => ({
  kind: 'list',
  minPrice: minPrice(n),
  page: n % 5 + 1,
  include,
})

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
  id: (n % (REQUESTS / 2)) * 75 + 3,
  changes: { description: `What this category holds since update ${n}, in a sentence or two.`, price: n % 2000 / 100 },
})

export const operations: readonly Operation[] = [
  { name: 'list', title: 'List 20 of a filtered, sorted set, with total', call: (n) => list(n, false) },
  { name: 'include', title: 'The same with a to-many include, 5 each', call: (n) => list(n, true) },
  { name: 'get', title: 'Get by id', call: (n) => ({ kind: 'get', id: existing(n) }) },
  // three digits match some 280 rows
  {
    name: 'search',
    title: 'Search (contains), with total',
    call: (n) => ({ kind: 'search', text: String(100 + n * 7 % 900), page: n % 5 + 1 }),
  },
  {
    name: 'either',
    title: 'List 20 that match one of two conditions, sorted, with total',
    call: (n) => ({ kind: 'either', minPrice: minPrice(n), maxPrice: n % 13 / 4, page: n % 5 + 1 }),
    own: true,
  },
  {
    name: 'facets',
    title: 'The first list with three facets',
    call: (n) => ({ kind: 'facets', minPrice: minPrice(n) }),
    own: true,
  },
  {
    name: 'groups',
    title: 'Count, sum and mean by status, of a filtered set',
    call: (n) => ({ kind: 'groups', minPrice: minPrice(n) }),
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
  },
]
