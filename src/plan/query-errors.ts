/** What is wrong with a query string, gathered by the planner. */
import { MAX_ERRORS } from '../error-list.ts'
import { queryError, type QueryCode } from '../errors.ts'
import type { QueryParamError } from '../query/index.ts'

/** What `ignoreInvalidErrors` may drop: never pagination, nor unknown parameters, nor a limit of the grammar. */
const IGNORABLE: ReadonlySet<QueryCode> = new Set<QueryCode>([
  'FST_CRUD_FILTER_INVALID',
  'FST_CRUD_SORT_INVALID',
  'FST_CRUD_FIELD_INVALID',
  'FST_CRUD_INCLUDE_INVALID',
])

/** Errors of one code: those that may be ignored, and limits, which may not. */
interface Counts {
  readonly code: QueryCode
  readonly limit: boolean
  count: number
}

/**
 * Spells out the first errors of each kind, and counts the rest. Of each kind, since kinds have an order in which they are
 * answered, and some may be ignored.
 */
export class QueryErrors {
  readonly #items: QueryParamError[] = []
  readonly #counts: Counts[] = []

  constructor (errors: readonly QueryParamError[] = []) {
    for (const error of errors) this.push(error)
  }

  /** Of all errors, those without an item included. */
  get count (): number {
    return total(this.#counts)
  }

  push (error: QueryParamError): void {
    this.add(error.code, () => error, error.limit)
  }

  /** @param make is called only where its item may be listed: sentences and suggestions cost time */
  add (code: QueryCode, make: () => QueryParamError, limit = false): void {
    let counts = this.#counts.find((counts) => counts.code === code && counts.limit === limit)
    if (counts === undefined) this.#counts.push(counts = { code, limit, count: 0 })
    if (counts.count++ < MAX_ERRORS) this.#items.push(make())
  }

  /** @throws the error that stands for all of them, if there are any */
  throw (ignoreInvalid = false): void {
    const counts = this.#counts.filter(({ code, limit }) => !ignoreInvalid || limit || !IGNORABLE.has(code))
    if (counts.length === 0) return
    const items = this.#items.filter((item) =>
      counts.some(({ code, limit }) => code === item.code && limit === (item.limit ?? false))
    )
    throw queryError(items.map(({ limit, ...item }) => item), total(counts))
  }
}

const total = (counts: readonly Counts[]): number => counts.reduce((sum, { count }) => sum + count, 0)
