/** Reads and changes the filters of a query string. */
import type { Pair } from './address.ts'
import { splitItems } from './items.ts'
import { atStart, inOrder } from './names.ts'

/** A filter of the URL. */
export interface FilterUse {
  readonly field: string
  /** `undefined` for the default operator of the filter. */
  readonly operator: string | undefined
  /** The text of the value, or the items of a list that is written as repeated parameters. */
  readonly value: string | readonly string[]
}

/** The name of a filter's parameter, as errors name it: `filter[price][gte]`. */
export function parameterOf ({ field, operator }: Pick<FilterUse, 'field' | 'operator'>): string {
  return `filter[${field}]${operator === undefined ? '' : `[${operator}]`}`
}

const NAME = /^filter\[([^[\]]+)\](?:\[([^[\]]+)\])?(\[\])?$/

/** The filters of a query string. Filters whose names cannot be read are not among them, and stay in the URL. */
export function filtersOf (params: readonly Pair[]): FilterUse[] {
  const found = new Map<string, FilterUse>()
  for (const [name, text] of params) {
    const match = NAME.exec(name)
    if (match === null) continue
    const [, field, operator, list] = match as unknown as [string, string, string | undefined, string | undefined]
    const parameter = parameterOf({ field, operator })
    const value = found.get(parameter)?.value
    const all = value === undefined ? list === undefined ? text : [text] : [value, text].flat()
    found.set(parameter, { field, operator, value: all })
  }
  return [...found.values()]
}

const isOf = (parameter: string) => ([name]: Pair): boolean => name === parameter || name === `${parameter}[]`

function pairsOf (filter: FilterUse): Pair[] {
  const parameter = parameterOf(filter)
  const { value } = filter
  return typeof value === 'string' ? [[parameter, value]] : value.map((item) => [`${parameter}[]`, item])
}

/**
 * Sets a filter, and returns to the first page.
 *
 * @param replaced the parameter of the filter whose place it takes
 */
export function withFilter (params: readonly Pair[], filter: FilterUse, replaced?: string): Pair[] {
  const place = replaced ?? parameterOf(filter)
  const index = params.findIndex(isOf(place))
  const others = params.filter((pair) => !isOf(place)(pair) && !isOf(parameterOf(filter))(pair))
  const before = params.slice(0, Math.max(index, 0)).filter((pair) => others.includes(pair)).length
  const at = index === -1 ? others.length : before
  return atStart(inOrder([...others.slice(0, at), ...pairsOf(filter), ...others.slice(at)]))
}

/** Removes a filter, and returns to the first page. */
export function withoutFilter (params: readonly Pair[], parameter: string): Pair[] {
  return atStart(params.filter((pair) => !isOf(parameter)(pair)))
}

/** Removes all filters, and returns to the first page. */
export function withoutFilters (params: readonly Pair[]): Pair[] {
  return atStart(params.filter(([name]) => !name.startsWith('filter[')))
}

/** The items of a filter's value. A text that is not a list is the only item. */
export function itemsOf (value: FilterUse['value']): readonly string[] {
  return typeof value === 'string' ? splitItems(value) ?? [value] : value
}
