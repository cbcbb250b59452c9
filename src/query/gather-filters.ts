/** Gathers `filter[<field>]` and `filter[<field>][<operator>]`, in the order in which each filter first appears. */
import { readBrackets } from './brackets.ts'
import { bare, frozen } from './frozen.ts'
import { isReserved, MAX_FILTER_DEPTH } from './limits.ts'
import { queryParamError } from './query-error.ts'
import type { FilterParam, QueryParamError } from './parsed-query.ts'
import { markFilter } from './written.ts'

const CODE = 'FST_CRUD_FILTER_INVALID'
const FORM = 'Write filter[<field>]=<value> or filter[<field>][<operator>]=<value>.'

/** The reason why there is no `or`. */
export const ONLY_AND = "Filters can't be combined by 'or': a record must match all of them."

/** Whether a name stands for `or`, as other query languages write it. */
export const isOr = (name: string): boolean => /^[$_]?or$/i.test(name)

/** A filter while its occurrences are gathered. */
interface FilterSlot {
  readonly field: string
  readonly operator: string | undefined
  /** Whether it is written with `[]`. */
  readonly list: boolean
  value: string | string[]
}

/**
 * Filters by name without the `[]`. A filter is `null` if one of its occurrences could not be read, because the others
 * alone would mean something else.
 */
export type FilterSlots = Map<string, FilterSlot | null>

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
    errors.push(queryParamError(CODE, name, `This filter can't be read. ${FORM}`))
    return
  }
  const { levels, list } = brackets
  if (levels.length > MAX_FILTER_DEPTH) {
    const reason = isOr(levels[0]!) ? ONLY_AND : `This filter has more than ${MAX_FILTER_DEPTH} bracket levels.`
    errors.push(queryParamError(CODE, name, `${reason} ${FORM}`, { limit: true }))
    return
  }
  const reserved = levels.find(isReserved)
  if (reserved !== undefined) {
    errors.push(queryParamError(CODE, name, 'This filter uses a reserved name.', { limit: true }))
    return
  }
  const key = slotKey(name)
  const slot = slots.get(key)
  if (slot === undefined) {
    slots.set(key, { field: levels[0]!, operator: levels[1], list, value: list ? [text] : text })
  } else if (slot !== null && slot.list !== list) {
    slots.set(key, null)
    errors.push(
      queryParamError(CODE, name, 'This filter is given both with [] and without: write all of its values in one way.')
    )
  } else if (slot !== null) {
    if (typeof slot.value === 'string') slot.value = [slot.value, text]
    else slot.value.push(text)
  }
}

/** Drops a filter if one of its occurrences cannot be read, because the others alone would mean something else. */
export function dropFilter (slots: FilterSlots, name: string): void {
  slots.set(slotKey(name), null)
}

/** Returns the filters that could be read. */
export function finishFilters (slots: FilterSlots): readonly FilterParam[] {
  const filters: FilterParam[] = []
  for (const slot of slots.values()) {
    if (slot !== null) filters.push(finishFilter(slot))
  }
  return frozen(filters)
}

function finishFilter ({ field, operator, list, value }: FilterSlot): FilterParam {
  if (typeof value !== 'string') Object.freeze(value)
  const param: FilterParam = bare(operator === undefined ? { field, value } : { field, operator, value })
  if (list) markFilter(param)
  return param
}

function slotKey (name: string): string {
  return name.endsWith('[]') ? name.slice(0, -2) : name
}
