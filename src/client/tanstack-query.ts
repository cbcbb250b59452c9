/**
 * Options for TanStack Query 5, for any framework. They are plain objects, so that this module needs no package.
 */
import { etagOf } from './create-client.ts'
import { isCrudError } from './error.ts'

interface Signal {
  readonly signal?: AbortSignal
}

/** The options of one query. */
export interface QueryOptions<Data> {
  /** The key of the query: that of the resource, and the arguments of the method. */
  readonly queryKey: readonly unknown[]
  /** Calls the method. The call ends if TanStack Query no longer needs the answer. */
  readonly queryFn: (context: { readonly signal: AbortSignal }) => Promise<Data>
  /** Whether a failed read is repeated, see `retry`. */
  readonly retry: typeof retry
  /**
   * Returns the previous data if nothing has changed, and otherwise the new data. TanStack Query's own function makes a
   * copy of changed data, and a copy of a record has no version for `ifMatch`.
   */
  readonly structuralSharing: (previous: unknown, data: unknown) => unknown
}

/** The options of a query that is read page by page. */
export interface InfiniteQueryOptions<Page> {
  /** The key of the query: that of the resource, and the arguments of the method. */
  readonly queryKey: readonly unknown[]
  /** Calls the method. The call ends if TanStack Query no longer needs the answer. */
  readonly queryFn: (context: { readonly signal: AbortSignal, readonly pageParam: string }) => Promise<Page>
  /** The cursor of the first page, an empty text. */
  readonly initialPageParam: string
  /** The cursor of the page after a page, or null after the last one. */
  readonly getNextPageParam: (page: Page) => string | null
  /** The cursor of the page before a page, or null before the first one. */
  readonly getPreviousPageParam: (page: Page) => string | null
  /** Whether a failed read is repeated, see `retry`. */
  readonly retry: typeof retry
}

const RETRIES = 3

/**
 * Decides whether a failed read is repeated: three times, if no answer arrived. The client repeats reads that are
 * answered with 503 itself, and every other answer would be the same again. Do not use it for mutations: a write
 * without an answer may have been done. The client itself repeats a write that has an `idempotencyKey`.
 */
export function retry (failures: number, error: Error): boolean {
  return failures < RETRIES && isCrudError(error) && error.status === 0
}

/**
 * Keeps the previous data if the new data is equal and has the same version, so that components need no new render. The
 * first time, the previous data is undefined.
 */
function share (previous: unknown, data: unknown): unknown {
  const isSame = etagOf(previous as object) === etagOf(data as object) &&
    JSON.stringify(previous) === JSON.stringify(data)
  return isSame ? previous : data
}

/**
 * Returns a function that takes the arguments of a reading method, and returns the options of a query with them.
 *
 * @param key the beginning of the query's key, e.g. to invalidate all queries of a resource. Queries of different
 *   methods need different keys
 * @param method `list` or `get` of a resource
 * @example
 * const categoryList = queryOptions(['categories', 'list'], api['/categories'].list)
 * const { data } = useQuery(categoryList({ filter: { status: 'active' }, include: ['products'] }))
 */
export function queryOptions<Arguments extends readonly unknown[], Data> (
  key: readonly unknown[],
  method: (...args: Arguments) => Promise<Data>
): (...args: Arguments) => QueryOptions<Data> {
  return (...args) => ({
    queryKey: keyOf(key, args),
    queryFn: ({ signal }) => method(...withSignal(args, signal) as unknown as Arguments),
    retry,
    structuralSharing: share,
  })
}

/**
 * Returns a function that takes the query of a list, and returns the options of an infinite query with it. Its pages
 * follow cursors.
 *
 * @param key the beginning of the query's key. It must differ from the keys of other queries
 * @param pages the method `pages` of a resource
 * @example
 * const categoryPages = infiniteQueryOptions(['categories', 'pages'], api['/categories'].pages)
 * const { data, fetchNextPage } = useInfiniteQuery(categoryPages({ sort: ['name'], per_page: 50 }))
 */
export function infiniteQueryOptions<
  Arguments extends readonly [query?: { readonly cursor?: string } | undefined],
  Page extends { readonly next_cursor: string | null, readonly prev_cursor: string | null }
> (
  key: readonly unknown[],
  pages: (...args: Arguments) => AsyncIterableIterator<Page>
): (...args: Arguments) => InfiniteQueryOptions<Page> {
  return (...args) => ({
    queryKey: keyOf(key, args),
    async queryFn ({ signal, pageParam: cursor }) {
      const { value } = await pages(...[{ ...args[0], cursor, signal }] as unknown as Arguments).next()
      return value
    },
    initialPageParam: args[0]?.cursor ?? '',
    getNextPageParam: (page) => page.next_cursor,
    getPreviousPageParam: (page) => page.prev_cursor,
    retry,
  })
}

/** The key of a query: JSON values, since TanStack Query cannot hash a bigint. */
function keyOf (key: readonly unknown[], args: readonly unknown[]): readonly unknown[] {
  const text = JSON.stringify(args, (_, value: unknown) => typeof value === 'bigint' ? String(value) : value)
  return [...key, ...JSON.parse(text) as unknown[]]
}

/** Adds the signal to the last argument, which has the options. A key, which comes before it, is no plain object. */
function withSignal (args: readonly unknown[], signal: AbortSignal): unknown[] {
  const last = args.at(-1)
  return typeof last === 'object' && last !== null && !Array.isArray(last)
    ? [...args.slice(0, -1), { signal, ...last as Signal }]
    : [...args.filter((argument) => argument !== undefined), { signal }]
}
