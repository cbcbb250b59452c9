/**
 * Reads a query that is written as JSON, in the body of a request or in a program. It is the same value as a query
 * string with these filters, groups, sorts, fields, includes and pages. Errors point into the JSON.
 */
import { escapedName } from '../base/error-list.ts'
import type { QueryCode } from '../base/errors.ts'
import { isOperator } from '../base/operator-names.ts'
import { PAGE_PARAMETER_NAMES, PAGE_PARAMETERS, type PageParameterName, type PageValues } from '../base/page-styles.ts'
import { mayAddRows, type GroupStep } from './filter-names.ts'
import { isGroupWord, type GroupWord } from './group-words.ts'
import { bare, frozen } from './frozen.ts'
import { TOO_MANY_CONDITIONS } from './gather-filters.ts'
import { readJsonValue } from './json-values.ts'
import { isReserved, MAX_BODY_LIST_ITEMS, MAX_CONDITIONS, MAX_GROUP_DEPTH, MAX_PARAMETERS } from './limits.ts'
import { Refusal } from './refusal.ts'
import { finishPagination, newPagination, takePagination } from './pagination.ts'
import {
  SUMMARY_PARAMETERS, type FilterGroup, type FilterLevel, type FilterParam, type QueryParamError, type QueryParams,
} from './parsed-query.ts'
import { pointed, queryParamError, shownName } from './query-error.ts'
import { NameList, takeNames, tidyName, tidySort, type Tidy } from './read-names.ts'
import { isParsedObject } from './read-object.ts'
import { markTree, noteFilter } from './written.ts'

/** A value of a filter in a tree. A number stays a number, and a text a text. */
export type FilterTreeValue = string | number | bigint | boolean | Date

/** The value of a filter in a tree: a value or a list for its default operator, or values by operator. */
export type FilterTreeCondition =
  | FilterTreeValue
  | readonly FilterTreeValue[]
  | { readonly [operator: string]: FilterTreeValue | readonly FilterTreeValue[] }

/**
 * Filters that must all hold, by name. `and` and `or` are lists of such objects, and `not` is one.
 *
 * @example
 * const tree: FilterTree = { status: 'active', or: [{ price: { gte: 100 } }, { not: { 'tags.name': 'sale' } }] }
 */
export interface FilterTree {
  readonly [name: string]: FilterTreeCondition | FilterTree | readonly FilterTree[] | undefined
}

/** A query as an object: what `POST /query` and `QUERY /` take as JSON, and the methods of `CrudBase` as `params`. */
export interface QueryTree extends PageValues {
  /** Filters by name, and groups of them by `and`, `or` and `not`. */
  readonly filter?: FilterTree
  /** The order, as items of `sort`: `['-price', 'name']`. */
  readonly sort?: readonly string[]
  /** The paths of the included relations, and the names of numbers about relations. */
  readonly include?: readonly string[]
  /** The fields of the records. */
  readonly fields?: readonly string[]
  /** The fields of included records, by the path of the include. */
  readonly fieldsByInclude?: Readonly<Record<string, readonly string[]>>
  /** The facets of a list. */
  readonly facets?: readonly string[]
  /** The groups of aggregates. */
  readonly group?: readonly string[]
  /** The numbers about groups. */
  readonly aggregate?: readonly string[]
}

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

const FILTER = 'FST_CRUD_FILTER_INVALID'

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

const NO_LEVEL: FilterLevel = { filters: frozen<FilterParam>([]), groups: frozen<FilterGroup>([]) }

class TreeReader {
  readonly errors: QueryParamError[] = []
  #level: FilterLevel = NO_LEVEL
  #conditions = 0
  #grouped = false
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
    if (!isParsedObject(tree)) throw new Refusal('A query in JSON is an object, such as {"filter":{"name":"x"}}.')
    for (const name of Object.keys(tree)) {
      const value = tree[name]
      if (value === undefined) continue
      if (name === 'filter') this.#level = this.#readLevel(value, '/filter', [])
      else if (Object.hasOwn(LISTS, name)) this.#readNames(name as keyof typeof LISTS, value)
      else if (name === 'fieldsByInclude') this.#readFieldsByInclude(value)
      else if (Object.hasOwn(PAGE_PARAMETERS, name)) this.#readPage(name as PageParameterName, value)
      else this.#unknown.push(name)
      if (this.#unknown.length > MAX_PARAMETERS) throw Refusal.tooMany('object')
    }
    if (this.#grouped && this.#conditions > MAX_CONDITIONS) throw tooMany()
  }

  finish (): QueryParams {
    const { sort, include, fields } = this.#names
    const params: { -readonly [Key in keyof QueryParams]: QueryParams[Key] } = {
      ...this.#level,
      sort: sort.finish(),
      include: include.finishDistinct(),
      fields: fields.finishDistinct(),
      fieldsByInclude: bare(
        Object.fromEntries([...this.#fieldsByInclude].map(([path, names]) => [path, names.finishDistinct()]))
      ),
      unknown: frozen(this.#unknown),
      errors: frozen(this.errors.map(pointed)),
    }
    for (const name of SUMMARY_PARAMETERS) {
      if (this.#names[name].length > 0) params[name] = this.#names[name].finishDistinct()
    }
    finishPagination(params, this.#pagination)
    markTree(params)
    return bare(params)
  }

  /** Reads an object of filters and groups. */
  #readLevel (value: unknown, pointer: string, path: readonly GroupStep[]): FilterLevel {
    const filters: FilterParam[] = []
    const groups: FilterGroup[] = []
    if (!isParsedObject(value)) {
      const what = path.length === 0 ? "'filter'" : 'A member of a group'
      this.#refuse(
        pointer,
        path,
        path.at(-1)?.word === 'not' ? groupForm('not') : `${what} is an object, such as ${ONE}.`
      )
    } else {
      const names = Object.keys(value)
      if (names.length === 0 && path.length > 0) this.#refuse(pointer, path, 'A group needs a condition.')
      for (const name of names) {
        const at = `${pointer}/${escapedName(name)}`
        const member = value[name]
        if (isReserved(name)) this.#refuse(at, path, 'This filter uses a reserved name.', true)
        else if (!name.isWellFormed()) this.#refuse(at, path, 'This filter is not valid Unicode text.')
        else if (isGroup(name, member)) groups.push(...this.#readGroup(name, member, at, path))
        else this.#readFilter(name, member, at, path, filters)
      }
    }
    return bare({ filters: frozen(filters), groups: frozen(groups) })
  }

  #readGroup (word: GroupWord, value: unknown, pointer: string, path: readonly GroupStep[]): FilterGroup[] {
    if (path.length === MAX_GROUP_DEPTH) {
      this.#refuse(pointer, path, `This condition is in more than ${MAX_GROUP_DEPTH} groups.`, true)
      return []
    }
    this.#grouped = true
    if (word === 'not') {
      const member = this.#readLevel(value, pointer, [...path, { word, index: 0 }])
      return isEmpty(member) ? [] : [bare({ word, members: frozen([member]) })]
    }
    if (!Array.isArray(value)) {
      this.#refuse(pointer, [...path, { word: 'or', index: 0 }], groupForm(word))
      return []
    }
    if (value.length === 0) this.#refuse(pointer, [...path, { word, index: 0 }], `'${word}' needs a condition.`)
    const members: FilterLevel[] = []
    for (const [index, item] of value.entries()) {
      if (index > MAX_CONDITIONS) throw tooMany()
      const member = this.#readLevel(item, `${pointer}/${index}`, [...path, { word, index }])
      if (!isEmpty(member)) members.push(member)
    }
    return members.length === 0 ? [] : [bare({ word, members: frozen(members) })]
  }

  #readFilter (
    field: string,
    value: unknown,
    pointer: string,
    path: readonly GroupStep[],
    filters: FilterParam[]
  ): void {
    if (!isParsedObject(value)) return this.#readCondition(field, undefined, value, pointer, path, filters)
    const operators = Object.keys(value)
    if (operators.length === 0) this.#refuse(pointer, path, 'This filter has no value.')
    for (const operator of operators) {
      const at = `${pointer}/${escapedName(operator)}`
      if (isReserved(operator)) this.#refuse(at, path, 'This filter uses a reserved name.', true)
      else this.#readCondition(field, operator, value[operator], at, path, filters)
    }
  }

  #readCondition (
    field: string,
    operator: string | undefined,
    value: unknown,
    pointer: string,
    path: readonly GroupStep[],
    filters: FilterParam[]
  ): void {
    if (++this.#conditions > (this.#grouped ? MAX_CONDITIONS : MAX_PARAMETERS)) throw tooMany()
    if (value === undefined) return this.#refuse(pointer, path, 'This filter has no value.')
    if (Array.isArray(value) && value.length > MAX_BODY_LIST_ITEMS) {
      const sentence = `The list has ${value.length} items; at most ${MAX_BODY_LIST_ITEMS} are allowed.`
      return this.#refuse(pointer, path, sentence, true)
    }
    const read = (Array.isArray(value) ? value as readonly unknown[] : [value]).map(readJsonValue)
    if (!read.every(({ text }) => text.isWellFormed())) {
      return this.#refuse(pointer, path, 'This filter is not valid Unicode text.')
    }
    const texts = read.map(({ text }) => text)
    const text = Array.isArray(value) ? frozen(texts) : texts[0]!
    const param: FilterParam = bare(operator === undefined ? { field, value: text } : { field, operator, value: text })
    noteFilter(param, { pointer, kinds: read.map(({ kind }) => kind), inBody: true })
    filters.push(param)
  }

  #readNames (name: keyof typeof LISTS, value: unknown): void {
    const [tidy, code] = LISTS[name]
    this.#readList(this.#names[name], tidy, code, `/${name}`, value)
  }

  #readFieldsByInclude (value: unknown): void {
    const [tidy, code] = LISTS.fields
    if (!isParsedObject(value)) {
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

  #refuse (pointer: string, path: readonly GroupStep[], sentence: string, limit = mayAddRows(path)): void {
    if (this.errors.length > MAX_PARAMETERS) throw new Refusal('The query has too many errors.')
    this.errors.push(queryParamError(FILTER, pointer, sentence, limit ? { limit } : undefined))
  }
}

/** A condition in JSON. */
const ONE = '{"<field>":<value>}'

/** The sentence that says what a group in JSON looks like. */
export function groupForm (word: GroupWord): string {
  const isList = word !== 'not'
  return `'${word}' takes ${isList ? 'a list of objects' : 'an object'}, such as {"${word}":${
    isList ? `[${ONE},${ONE}]` : ONE
  }}.`
}

const tooMany = (): Refusal => new Refusal(TOO_MANY_CONDITIONS)

const isEmpty = ({ filters, groups }: FilterLevel): boolean => filters.length === 0 && groups.length === 0

/**
 * Whether a member of a level is a group. A value, a list of values and an object of operators make it a filter of this
 * name, as in a query string.
 */
function isGroup (name: string, value: unknown): name is GroupWord {
  if (!isGroupWord(name)) return false
  if (Array.isArray(value)) return value.length === 0 || value.some((item) => isParsedObject(item))
  return isParsedObject(value) && !Object.keys(value).some(isOperator)
}
