/**
 * Reads a query that is written as JSON, in the body of a request or in a program. It is the same value as a query
 * string with these filters, groups, sorts, fields, includes and pages. Errors point into the JSON.
 */
import { escapedName } from '../base/error-list.ts'
import type { QueryCode } from '../base/errors.ts'
import { isBareObject } from '../base/is-object.ts'
import { PAGE_PARAMETER_NAMES, PAGE_PARAMETERS, type PageParameterName } from '../base/page-styles.ts'
import { frozen, withoutPrototype, type Settable } from './frozen.ts'
import { NO_LEVEL } from './gather-filters.ts'
import { isReserved, MAX_BODY_LIST_ITEMS, MAX_PARAMETERS } from './limits.ts'
import { finishPagination, newPagination, takePagination } from './pagination.ts'
import { SUMMARY_PARAMETERS, type QueryParamError, type QueryParams } from './parsed-query.ts'
import { pointed, queryParamError, shownName } from './query-error.ts'
import { FilterTreeReader } from './read-filter-tree.ts'
import { NameList, takeNames, tidyName, tidySort, type Tidy } from './read-names.ts'
import { Refusal } from './refusal.ts'
import { markTree } from './written.ts'

/**
 * Reads a tree. Never throws. What cannot be read is in `errors`.
 *
 * @param tree an object of JSON
 */
export function parseQueryTree (tree: unknown): QueryParams {
  let reader = new TreeReader()
  try {
    reader.read(tree)
  } catch (thrown) {
    reader = new TreeReader()
    reader.errors.push(Refusal.itemOf(thrown))
  }
  return reader.finish()
}

const LISTS = {
  sort: [tidySort, 'FST_CRUD_SORT_INVALID'],
  include: [tidyName, 'FST_CRUD_INCLUDE_INVALID'],
  fields: [tidyName, 'FST_CRUD_FIELD_INVALID'],
  facets: [tidyName, 'FST_CRUD_FIELD_INVALID'],
  group: [tidyName, 'FST_CRUD_FIELD_INVALID'],
  aggregate: [tidyName, 'FST_CRUD_FIELD_INVALID'],
} as const satisfies Record<string, readonly [Tidy, QueryCode]>

/** The members of a tree. */
export const TREE_MEMBERS: ReadonlySet<string> = new Set([
  'filter', ...Object.keys(LISTS), 'fieldsByInclude', ...PAGE_PARAMETER_NAMES,
])

class TreeReader {
  readonly errors: QueryParamError[] = []
  readonly #filters = new FilterTreeReader(this.errors)
  #level = NO_LEVEL
  readonly #names: Readonly<Record<keyof typeof LISTS, NameList>> = {
    sort: new NameList(),
    include: new NameList(),
    fields: new NameList(),
    facets: new NameList(),
    group: new NameList(),
    aggregate: new NameList(),
  }

  readonly #fieldsByInclude = new Map<string, NameList>()
  readonly #pagination = newPagination()
  readonly #unknown: string[] = []

  read (tree: unknown): void {
    if (!isBareObject(tree)) throw new Refusal('A query in JSON is an object, such as {"filter":{"name":"x"}}.')
    for (const name of Object.keys(tree)) {
      const value = tree[name]
      if (value === undefined) continue
      if (name === 'filter') this.#level = this.#filters.read(value)
      else if (Object.hasOwn(LISTS, name)) this.#readNames(name as keyof typeof LISTS, value)
      else if (name === 'fieldsByInclude') this.#readFieldsByInclude(value)
      else if (Object.hasOwn(PAGE_PARAMETERS, name)) this.#readPage(name as PageParameterName, value)
      else this.#unknown.push(name)
      if (this.#unknown.length > MAX_PARAMETERS) throw Refusal.tooMany('object')
    }
    this.#filters.finish()
  }

  finish (): QueryParams {
    const { sort, include, fields } = this.#names
    const params: Settable<QueryParams> = {
      ...this.#level,
      sort: sort.finish(),
      include: include.finishDistinct(),
      fields: fields.finishDistinct(),
      fieldsByInclude: withoutPrototype(
        Object.fromEntries([...this.#fieldsByInclude].map(([path, names]) => [path, names.finishDistinct()]))
      ),
      unknown: frozen(this.#unknown),
      errors: frozen(this.errors.map(pointed)),
    }
    for (const name of SUMMARY_PARAMETERS) {
      if (this.#names[name].length > 0) params[name] = this.#names[name].finishDistinct()
    }
    finishPagination(params, this.#pagination)
    const finished = withoutPrototype(params)
    markTree(finished)
    return finished
  }

  #readNames (name: keyof typeof LISTS, value: unknown): void {
    const [tidy, code] = LISTS[name]
    this.#readList(this.#names[name], tidy, code, `/${name}`, value)
  }

  #readFieldsByInclude (value: unknown): void {
    const [tidy, code] = LISTS.fields
    if (!isBareObject(value)) {
      this.errors.push(
        queryParamError(
          code,
          '/fieldsByInclude',
          'The value of /fieldsByInclude must be an object of lists by include.'
        )
      )
      return
    }
    const paths = Object.keys(value)
    if (paths.length > MAX_PARAMETERS) throw Refusal.tooMany('object')
    for (const path of paths) {
      const pointer = `/fieldsByInclude/${escapedName(path)}`
      const names = new NameList()
      if (isReserved(path)) {
        this.errors.push(queryParamError(code, pointer, 'This list of fields uses a reserved name.', { limit: true }))
      } else if (value[path] !== undefined) {
        this.#readList(names, tidy, code, pointer, value[path])
        if (names.length > 0) this.#fieldsByInclude.set(path, names)
      }
    }
  }

  #readList (names: NameList, tidy: Tidy, code: QueryCode, pointer: string, value: unknown): void {
    if (!Array.isArray(value) || value.length > MAX_BODY_LIST_ITEMS) {
      const sentence = Array.isArray(value)
        ? `The list ${shownName(pointer)} has ${value.length} items; at most ${MAX_BODY_LIST_ITEMS} are allowed.`
        : `The value of ${shownName(pointer)} must be a list of texts, such as ["name"].`
      this.errors.push(queryParamError(code, pointer, sentence, { limit: true }))
      return
    }
    for (const [index, item] of (value as readonly unknown[]).entries()) {
      const at = `${pointer}/${index}`
      if (typeof item !== 'string' || item.trim() === '' || item.includes(',') || !item.isWellFormed()) {
        this.errors.push(queryParamError(code, at, `The value of ${shownName(at)} must be a text with one name.`))
      } else takeNames(names, tidy, code, at, item, this.errors)
    }
  }

  #readPage (name: PageParameterName, value: unknown): void {
    const takes = PAGE_PARAMETERS[name].value
    const isRight = takes === 'number' ? typeof value === 'number' : typeof value === 'string'
    if (!isRight) {
      const expected = takes === 'number' ? 'a number' : 'a text'
      this.errors.push(queryParamError('FST_CRUD_PAGINATION_INVALID', name, `${name} must be ${expected}.`))
    } else takePagination(this.#pagination, name, name, String(value), this.errors)
  }
}
