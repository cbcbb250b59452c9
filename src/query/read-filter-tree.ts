/** Reads the filters of a query that is written as JSON: conditions by name, and groups of them. */
import { escapedName } from '../base/error-list.ts'
import { isBareObject } from '../base/is-object.ts'
import { isOperator } from '../base/operator-names.ts'
import { isGroupWord, mayAddRows, type GroupStep, type GroupWord } from './filter-names.ts'
import { withoutPrototype, frozen } from './frozen.ts'
import { TOO_MANY_CONDITIONS } from './gather-filters.ts'
import { readJsonValue } from './json-values.ts'
import { isReserved, MAX_BODY_LIST_ITEMS, MAX_CONDITIONS, MAX_GROUP_DEPTH, MAX_PARAMETERS } from './limits.ts'
import type { FilterGroup, FilterLevel, FilterParam, QueryParamError } from './parsed-query.ts'
import { queryParamError } from './query-error.ts'
import { Refusal } from './refusal.ts'
import { noteFilter } from './written.ts'

const FILTER = 'FST_CRUD_FILTER_INVALID'

export class FilterTreeReader {
  readonly #errors: QueryParamError[]
  #conditions = 0
  #grouped = false

  /** @param errors to which it adds what it cannot read */
  constructor (errors: QueryParamError[]) {
    this.#errors = errors
  }

  /** Reads the object of a query's filters. */
  read (filter: unknown): FilterLevel {
    return this.#readLevel(filter, '/filter', [])
  }

  /** Refuses too many conditions of a query with groups, also those that stand before its first group. */
  finish (): void {
    if (this.#grouped && this.#conditions > MAX_CONDITIONS) throw tooMany()
  }

  /** Reads an object of filters and groups. */
  #readLevel (value: unknown, pointer: string, path: readonly GroupStep[]): FilterLevel {
    const filters: FilterParam[] = []
    const groups: FilterGroup[] = []
    if (!isBareObject(value)) {
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
        else if (isGroupMember(name, member)) groups.push(...this.#readGroup(name, member, at, path))
        else this.#readFilter(name, member, at, path, filters)
      }
    }
    return withoutPrototype({ filters: frozen(filters), groups: frozen(groups) })
  }

  #readGroup (word: GroupWord, value: unknown, pointer: string, path: readonly GroupStep[]): FilterGroup[] {
    if (path.length === MAX_GROUP_DEPTH) {
      this.#refuse(pointer, path, `This condition is in more than ${MAX_GROUP_DEPTH} groups.`, true)
      return []
    }
    this.#grouped = true
    if (word === 'not') {
      const member = this.#readLevel(value, pointer, [...path, { word, index: 0 }])
      return isEmptyLevel(member) ? [] : [withoutPrototype({ word, members: frozen([member]) })]
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
      if (!isEmptyLevel(member)) members.push(member)
    }
    return members.length === 0 ? [] : [withoutPrototype({ word, members: frozen(members) })]
  }

  #readFilter (
    field: string,
    value: unknown,
    pointer: string,
    path: readonly GroupStep[],
    filters: FilterParam[]
  ): void {
    if (!isBareObject(value)) return this.#readCondition(field, undefined, value, pointer, path, filters)
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
    this.#conditions++
    if (this.#grouped && this.#conditions > MAX_CONDITIONS) throw tooMany()
    if (this.#conditions > MAX_PARAMETERS) throw Refusal.tooMany('object')
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
    const param: FilterParam = withoutPrototype(
      operator === undefined ? { field, value: text } : { field, operator, value: text }
    )
    noteFilter(param, { pointer, kinds: read.map(({ kind }) => kind), inBody: true })
    filters.push(param)
  }

  #refuse (pointer: string, path: readonly GroupStep[], sentence: string, limit = mayAddRows(path)): void {
    if (this.#errors.length > MAX_PARAMETERS) throw new Refusal('The query has too many errors.')
    this.#errors.push(queryParamError(FILTER, pointer, sentence, limit ? { limit } : undefined))
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

const isEmptyLevel = ({ filters, groups }: FilterLevel): boolean => filters.length === 0 && groups.length === 0

/**
 * Whether a member of a level is a group. A value, a list of values and an object of operators make it a filter of this
 * name, as in a query string.
 */
function isGroupMember (name: string, value: unknown): name is GroupWord {
  if (!isGroupWord(name)) return false
  if (Array.isArray(value)) return value.length === 0 || value.some((item) => isBareObject(item))
  return isBareObject(value) && !Object.keys(value).some(isOperator)
}
