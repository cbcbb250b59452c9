/** What has been read of a query string so far. It belongs to one call of the parser and never leaves this folder. */
import type { QueryCode } from '../errors.ts'
import { readBrackets } from './brackets.ts'
import { dropFilter, finishFilters, takeFilter } from './filters.ts'
import type { FilterSlots } from './filters.ts'
import { bare, frozen } from './frozen.ts'
import { isReserved, MAX_PARAMETERS, Refusal } from './limits.ts'
import { finishNames, takeNames, tidyName, tidySort } from './names.ts'
import { isNearMiss, nearMissError } from './near-misses.ts'
import { finishPagination, newPagination, takePagination } from './pagination.ts'
import type { PaginationName } from './pagination.ts'
import { queryError } from './query-error.ts'
import type { QueryParamError, QueryParams } from './types.ts'

/** Our parameters by the root of their name, and the code of their errors. */
const CODES: ReadonlyMap<string, QueryCode> = new Map<string, QueryCode>([
  ['filter', 'FST_CRUD_FILTER_INVALID'],
  ['sort', 'FST_CRUD_SORT_INVALID'],
  ['fields', 'FST_CRUD_FIELD_INVALID'],
  ['include', 'FST_CRUD_INCLUDE_INVALID'],
  ['page', 'FST_CRUD_PAGINATION_INVALID'],
  ['per_page', 'FST_CRUD_PAGINATION_INVALID'],
  ['limit', 'FST_CRUD_PAGINATION_INVALID'],
  ['offset', 'FST_CRUD_PAGINATION_INVALID'],
  ['cursor', 'FST_CRUD_PAGINATION_INVALID'],
])

const NO_FIELDS: QueryParams['fieldsByInclude'] = Object.freeze(Object.create(null))

/** What says which names the application declares itself. It is asked only about names that are nearly ours. */
export interface Declaring {
  readonly declared?: readonly string[] | ReadonlySet<string>
}

/** Gathers the parameters of one query string, in its order. */
export class Draft {
  readonly #options: Declaring | undefined
  readonly #errors: QueryParamError[]
  readonly #filters: FilterSlots = new Map()
  readonly #sort: string[] = []
  readonly #include: string[] = []
  readonly #fields: string[] = []
  readonly #fieldsByInclude = new Map<string, string[]>()
  readonly #pagination = newPagination()
  #parameters = 0

  constructor (options?: Declaring, errors: QueryParamError[] = []) {
    this.#options = options
    this.#errors = errors
  }

  /** Whether a parameter is for this parser to read or to refuse; all others are the application's. */
  concerns (name: string): boolean {
    const root = rootOf(name)
    return CODES.has(root) || (isNearMiss(root) && !this.#isDeclared(name, root))
  }

  /** Takes one occurrence of a parameter; ignores the application's own. */
  take (name: string, text: string): void {
    const open = name.indexOf('[')
    const root = open === -1 ? name : name.slice(0, open)
    const code = CODES.get(root)
    if (code === undefined) return this.#takeOther(name, root)
    if (!text.isWellFormed() || !name.isWellFormed()) return this.refuse(name, 'This parameter is not valid Unicode text.')
    this.#count()
    switch (root) {
      case 'filter': return takeFilter(this.#filters, name, open, text, this.#errors)
      case 'sort': return this.#takeList(this.#sort, name, open, text, code)
      case 'include': return this.#takeList(this.#include, name, open, text, code)
      case 'fields': return this.#takeFields(name, open, text, code)
      default: return takePagination(this.#pagination, root as PaginationName, name, text, this.#errors)
    }
  }

  /** Records that an occurrence of a parameter can't be read at all; ignores the application's own. */
  refuse (name: string, detail: string, more?: Pick<QueryParamError, 'limit'>): void {
    const root = rootOf(name)
    const code = CODES.get(root)
    if (code === undefined) return this.#takeOther(name, root)
    this.#count()
    if (root === 'filter') dropFilter(this.#filters, name)
    this.#errors.push(queryError(code, name, detail, more))
  }

  /** Records that a parameter can't be read, not even its name. */
  refuseUnnamed (detail: string): void {
    this.#count()
    this.#errors.push(queryError('FST_CRUD_QUERY_INVALID', undefined, detail))
  }

  /** All that was taken, frozen. */
  finish (): QueryParams {
    const params: { -readonly [Key in keyof QueryParams]: QueryParams[Key] } = {
      filters: finishFilters(this.#filters),
      sort: frozen(this.#sort),
      include: finishNames(this.#include),
      fields: finishNames(this.#fields),
      fieldsByInclude: finishFields(this.#fieldsByInclude),
      errors: frozen(this.#errors),
    }
    finishPagination(params, this.#pagination)
    return bare(params)
  }

  #takeList (names: string[], name: string, open: number, text: string, code: QueryCode): void {
    if (readBrackets(name, open)?.levels.length === 0) {
      takeNames(names, names === this.#sort ? tidySort : tidyName, code, name, text, this.#errors)
    } else {
      const root = rootOf(name)
      this.#errors.push(queryError(code, name, `${root} takes no name in brackets: write ${root}=a,b.`, { suggestion: root }))
    }
  }

  #takeFields (name: string, open: number, text: string, code: QueryCode): void {
    const levels = readBrackets(name, open)?.levels
    if (levels === undefined || levels.length > 1) {
      this.#errors.push(queryError(code, name, 'This list of fields can\'t be read. Write fields=a,b or fields[<include>]=a,b.'))
      return
    }
    const [path] = levels
    if (path === undefined) return takeNames(this.#fields, tidyName, code, name, text, this.#errors)
    if (isReserved(path)) {
      this.#errors.push(queryError(code, name, 'This list of fields uses a reserved name.', { limit: true }))
      return
    }
    const names = this.#fieldsByInclude.get(path) ?? []
    takeNames(names, tidyName, code, name, text, this.#errors)
    if (names.length > 0) this.#fieldsByInclude.set(path, names)
  }

  #takeOther (name: string, root: string): void {
    if (!isNearMiss(root) || this.#isDeclared(name, root)) return
    this.#count()
    this.#errors.push(nearMissError(name, root))
  }

  #isDeclared (name: string, root: string): boolean {
    const declared = this.#options?.declared
    if (declared === undefined) return false
    return 'has' in declared
      ? declared.has(root) || declared.has(name)
      : declared.includes(root) || declared.includes(name)
  }

  #count (): void {
    if (++this.#parameters > MAX_PARAMETERS) throw Refusal.tooMany()
  }
}

function rootOf (name: string): string {
  const open = name.indexOf('[')
  return open === -1 ? name : name.slice(0, open)
}

function finishFields (fieldsByInclude: ReadonlyMap<string, string[]>): QueryParams['fieldsByInclude'] {
  if (fieldsByInclude.size === 0) return NO_FIELDS
  const fields: Record<string, readonly string[]> = Object.create(null)
  for (const [path, names] of fieldsByInclude) fields[path] = finishNames(names)
  return Object.freeze(fields)
}
