/** The errors of a query string, gathered by the planner. */
import { MAX_ERRORS } from '../base/error-list.ts'
import { queryError, type QueryCode } from '../base/errors.ts'
import { pointed, type QueryParamError } from '../query/index.ts'

/** The codes that `ignoreInvalidErrors` ignores. Pagination, unknown parameters and limits are always errors. */
const IGNORABLE: ReadonlySet<QueryCode> = new Set<QueryCode>([
  'FST_CRUD_FILTER_INVALID', 'FST_CRUD_SORT_INVALID', 'FST_CRUD_FIELD_INVALID', 'FST_CRUD_INCLUDE_INVALID',
])

/** The number of errors of one code. Limits are counted separately, because they are never ignored. */
interface Counts {
  readonly code: QueryCode
  readonly limit: boolean
  count: number
}

/**
 * Keeps the first errors of each kind, and counts the rest. Each kind is kept separately, because the response is for
 * the first kind in a fixed order, and some kinds may be ignored.
 */
export class QueryErrors {
  readonly #items: QueryParamError[] = []
  readonly #counts: Counts[] = []

  readonly #inTree: boolean = false

  /**
   * @param errors those of the parser, which point to the right place
   * @param inTree whether the query is a tree of JSON, into which the other errors point
   */
  constructor (errors: readonly QueryParamError[] = [], inTree = false) {
    for (const error of errors) this.push(error)
    this.#inTree = inTree
  }

  /** The number of all errors, including those without an item. */
  get count (): number {
    return total(this.#counts)
  }

  push (error: QueryParamError): void {
    this.add(error.code, () => error, error.limit)
  }

  /** @param make makes the item. It is called only if the item may be listed, because suggestions take time. */
  add (code: QueryCode, make: () => QueryParamError, limit = false): void {
    let counts = this.#counts.find((counts) => counts.code === code && counts.limit === limit)
    if (counts === undefined) this.#counts.push(counts = { code, limit, count: 0 })
    if (counts.count++ >= MAX_ERRORS) return
    const item = this.#inTree ? pointed(make()) : make()
    this.#items.push(limit ? { ...item, limit } : item)
  }

  /**
   * @param ignorable the codes that `ignoreInvalid` ignores
   * @throws one error that lists all errors, if there are any
   */
  throw (ignoreInvalid = false, ignorable = IGNORABLE): void {
    if (this.#counts.length === 0) return
    const counts = this.#counts.filter(({ code, limit }) => !ignoreInvalid || limit || !ignorable.has(code))
    if (counts.length === 0) return
    const items = this.#items.filter((item) =>
      counts.some(({ code, limit }) => code === item.code && limit === (item.limit ?? false))
    )
    const shown = items.map(({ limit, ...item }) => item)
    throw queryError(shown, total(counts))
  }
}

const total = (counts: readonly Counts[]): number => counts.reduce((sum, { count }) => sum + count, 0)
