/** The filters of a query string, and the names of their parameters. */
import { readBrackets } from '../../src/query/brackets.ts'
import { readFilterName, type GroupStep } from '../../src/query/filter-names.ts'
import { splitItems } from './items.ts'

/** A filter of the URL. */
export interface FilterUse {
  readonly field: string
  /** `undefined` for the default operator of the filter. */
  readonly operator: string | undefined
  /** The text of the value, or the items of a list that is written as repeated parameters. */
  readonly value: string | readonly string[]
  /** The groups around it, as the URL has them. Absent for a filter in no group. */
  readonly path?: readonly GroupStep[]
}

/** The name of a filter's parameter, as errors name it: `filter[price][gte]`, `filter[or][0][price][gte]`. */
export function parameterOf ({ field, operator, path = [] }: Omit<FilterUse, 'value'>): string {
  const groups = path.map(({ word, index }) => word === 'not' ? '[not]' : `[${word}][${index}]`).join('')
  return `filter${groups}[${field}]${operator === undefined ? '' : `[${operator}]`}`
}

/** The filter that a parameter stands for, read as the server reads it. `undefined` for what it cannot read. */
export function readFilter (name: string): (Omit<FilterUse, 'value'> & { readonly isList: boolean }) | undefined {
  if (!name.startsWith('filter[')) return undefined
  const brackets = readBrackets(name, 'filter'.length)
  if (brackets === undefined || brackets.levels.length === 0) return undefined
  const read = readFilterName(brackets.levels)
  if (typeof read === 'string') return undefined
  const { field, operator, path } = read
  return { field, operator, ...path.length > 0 && { path }, isList: brackets.list }
}

/** The items of a filter's value. A text that is not a list is the only item. */
export function itemsOf (value: FilterUse['value']): readonly string[] {
  return typeof value === 'string' ? splitItems(value) ?? [value] : value
}
