/**
 * Gathers `filter[<field>]`, `filter[<field>][<operator>]` and the same in groups, in the order in which each filter
 * first appears.
 */
import { readBrackets } from './brackets.ts'
import { LevelDraft } from './filter-levels.ts'
import { mayAddRows, readFilterName, UNREADABLE_FILTER, UNREADABLE_IN_GROUP, type FilterName } from './filter-names.ts'
import { emptyWithoutPrototype, frozen } from './frozen.ts'
import { MAX_CONDITIONS, type QueryForm } from './limits.ts'
import { queryParamError } from './query-error.ts'
import type { FilterGroup, FilterLevel, FilterParam, QueryParamError } from './parsed-query.ts'
import { noteFilter } from './written.ts'

const CODE = 'FST_CRUD_FILTER_INVALID'

/** A filter while its occurrences are gathered. */
interface FilterSlot extends FilterName {
  /** The name of its first occurrence. */
  readonly parameter: string
  /** Whether it is written with `[]`. */
  readonly list: boolean
  /** Absent if one of its occurrences could not be read, because the others alone would mean something else. */
  value: string | string[] | undefined
}

/** Filters by name without the `[]`. */
export type FilterSlots = Map<string, FilterSlot>

/** Adds one occurrence of a filter. If the occurrence cannot be read, it adds the reason to `errors`. */
export function takeFilter (
  slots: FilterSlots,
  name: string,
  open: number,
  text: string,
  errors: QueryParamError[]
): void {
  const brackets = readBrackets(name, open)
  if (brackets === undefined || brackets.levels.length === 0) {
    errors.push(
      hasGroups(name)
        ? queryParamError(CODE, name, UNREADABLE_IN_GROUP, { limit: true })
        : queryParamError(CODE, name, UNREADABLE_FILTER)
    )
    return
  }
  const { levels, list } = brackets
  const key = slotKey(name)
  const slot = slots.get(key)
  if (slot === undefined) {
    const read = readFilterName(levels)
    if (typeof read === 'string') errors.push(queryParamError(CODE, name, read, { limit: true }))
    else slots.set(key, slotOf(read, name, list, list ? [text] : text))
  } else if (slot.list !== list && slot.value !== undefined) {
    slot.value = undefined
    errors.push(queryParamError(CODE, name, MIXED, limitOf(slot)))
  } else if (typeof slot.value === 'string') {
    slot.value = [slot.value, text]
  } else {
    slot.value?.push(text)
  }
}

const MIXED = 'This filter is given both with [] and without: write all of its values in one way.'

/** Names in which a group may have been meant. */
const hasGroups = (name: string): boolean => /\[(?:or|not)\]/.test(name)

/** An error of a filter inside of `or` or `not` is never ignored. */
const limitOf = ({ path }: FilterName): { readonly limit: true } | undefined =>
  mayAddRows(path) ? { limit: true } : undefined

/**
 * Drops a filter if one of its occurrences cannot be read, because the others alone would mean something else.
 *
 * @returns the members that the error needs
 */
export function dropFilter (slots: FilterSlots, name: string, open: number): { readonly limit: true } | undefined {
  const levels = readBrackets(name, open)?.levels ?? []
  const read = levels.length === 0 ? undefined : readFilterName(levels)
  if (read === undefined || typeof read === 'string') return hasGroups(name) ? { limit: true } : undefined
  slots.set(slotKey(name), slotOf(read, name, name.endsWith('[]'), undefined))
  return limitOf(read)
}

/** Returns the filters and groups that could be read. Adds errors of the groups as a whole to `errors`. */
export function finishFilters (slots: FilterSlots, form: QueryForm, errors: QueryParamError[]): FilterLevel {
  if (slots.size === 0) return NO_LEVEL
  const filters: FilterParam[] = []
  for (const slot of slots.values()) {
    if (slot.path.length > 0) return finishGroups(slots, form, errors)
    if (slot.value !== undefined) filters.push(finishFilter(slot, form))
  }
  return { filters: frozen(filters), groups: NO_LEVEL.groups }
}

/** The same for a query in which some filters are in groups. */
function finishGroups (slots: FilterSlots, form: QueryForm, errors: QueryParamError[]): FilterLevel {
  const read = [...slots.values()]
  const excess = read[MAX_CONDITIONS]
  if (excess !== undefined) {
    errors.push(queryParamError(CODE, excess.parameter, TOO_MANY_CONDITIONS, { limit: true }))
    return NO_LEVEL
  }
  const root = new LevelDraft('filter')
  for (const slot of read) {
    const level = root.at(slot.path, slot.parameter)
    if (slot.value !== undefined) level.add(finishFilter(slot, form))
  }
  return root.finish((word, missing, name) => {
    const detail = `The members of '${word}' have the numbers 0, 1, 2 and so on; ${missing} is missing.`
    errors.push(queryParamError(CODE, name, detail, { limit: true }))
  })
}

/** Filters that ask for nothing. */
export const NO_LEVEL: FilterLevel = Object.freeze({
  filters: frozen<FilterParam>([]),
  groups: frozen<FilterGroup>([]),
})

/** The error of a query with groups that has too many conditions. */
export const TOO_MANY_CONDITIONS = `A query with groups has at most ${MAX_CONDITIONS} conditions.`

function finishFilter ({ field, operator, list, value = '' }: FilterSlot, form: QueryForm): FilterParam {
  if (typeof value !== 'string') Object.freeze(value)
  const param = emptyWithoutPrototype<FilterParam>()
  param.field = field
  if (operator !== undefined) param.operator = operator
  param.value = value
  Object.freeze(param)
  if (list || form === 'body') noteFilter(param, { list, inBody: form === 'body' })
  return param
}

/** A slot with a new value. Its members are named, because each filter of each request makes one. */
const slotOf = (
  { path, field, operator }: FilterName,
  parameter: string,
  list: boolean,
  value: FilterSlot['value']
): FilterSlot => ({ path, field, operator, parameter, list, value })

function slotKey (name: string): string {
  return name.endsWith('[]') ? name.slice(0, -2) : name
}
