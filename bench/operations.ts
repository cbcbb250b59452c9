/** What is measured: paths of requests, with values that vary, in a sequence that is the same in every run. */
import { CATEGORIES } from './data.ts'

export interface Operation {
  readonly name: string
  readonly title: string
  /** The path of the n-th request. */
  readonly path: (n: number) => string
}

/**
 * Some 100 to 300 categories match: 20 of them on one of the first five pages. Few requests are the same, so that a
 * cache of whole query strings would show nothing.
 */
const list = (n: number) => `/categories?filter[status]=active&filter[price][gte]=${990 + n % 700 / 100}&sort=-created_at&page=${n % 5 + 1}&per_page=20`

export const operations: readonly Operation[] = [
  { name: 'list', title: 'List 20 of a filtered, sorted set, with total', path: list },
  { name: 'include', title: 'The same with a to-many include, 5 each', path: (n) => `${list(n)}&include=products` },
  // in steps of a prime, over the whole table, but for the deleted rows
  { name: 'get', title: 'Get by id', path: (n) => `/categories/${(n * 7919 % (CATEGORIES / 50)) * 50 + 1 + n % 49}` },
]
