/** The parameters of numbers about groups: `group`, `aggregate`, and an order by what these name. */
import type { GroupDescription, ResourceDescription } from '../../src/explorer/description.ts'
import type { Address, Pair } from './address.ts'
import { withFilter } from './change-filters.ts'
import { choiceOf, withChoice } from './choices.ts'
import { conditionsOf } from './many.ts'
import { namesOf, sortsOf, withNames, withSorts, type SortUse } from './names.ts'

/** The end of the path of numbers, after the path of the resource. */
export const NUMBERS = '/aggregate'

/** Without a sign, groups and numbers are ascending. */
export const ascending = () => 'asc' as const

/** The numbers of a list: those of the records that its filters keep. */
export function numbersOf ({ path, groups, numbers }: ResourceDescription, params: readonly Pair[]): Address {
  const group = groups.find(({ period }) => period === null) ?? groups[0]
  const [number] = numbers
  const grouped = withNames(conditionsOf(params), 'group', group ? [group.name] : [])
  const asked = withNames(grouped, 'aggregate', number ? [number.name] : [])
  const order: SortUse[] = number && group?.period === null ? [{ name: number.name, direction: 'desc' }] : []
  return { path: path + NUMBERS, params: withSorts(asked, order, ascending), own: {} }
}

/** The list of the records that numbers are about. */
export const listOf = ({ path }: ResourceDescription, params: readonly Pair[]): Address => ({
  path, params: conditionsOf(params), own: {},
})

/** Adds a group or a number to the request, or removes it together with the sort by it. */
export function withTerm (
  params: readonly Pair[],
  parameter: 'group' | 'aggregate',
  name: string,
  on: boolean
): Pair[] {
  const names = namesOf(params, parameter) ?? []
  const next = withNames(params, parameter, on ? [...names, name] : names.filter((other) => other !== name))
  return withSorts(next, sortsOf(next).filter((sort) => on || sort.name !== name), ascending)
}

/**
 * The filters of a list that has the records of a group, beside those of the parameters. `undefined` if the caller has
 * no filter that chooses them.
 */
export function withGroup (
  params: readonly Pair[],
  { filter: name, isnull, period }: GroupDescription,
  value: unknown,
  { filters }: ResourceDescription
): Pair[] | undefined {
  const filter = filters.find((filter) => filter.name === name)
  if (filter === undefined || (typeof value === 'object' && value !== null)) return undefined
  const allows = (...operators: string[]): boolean =>
    operators.every((operator) => filter.operators.some(({ name }) => name === operator))
  if (value === null) return isnull ? withChoice(params, filter, { texts: [], isNone: true }) : undefined
  if (period === null) {
    if (!allows('eq') && !allows('in')) return undefined
    return withChoice(params, filter, { ...choiceOf([], filter), texts: [String(value)] })
  }
  // the ends of days in other time zones are not known here
  if (!allows('gte', 'lt') || (period.timeZone !== null && period.timeZone !== 'UTC')) return undefined
  const operand = (operator: string, text: string) => ({ field: filter.name, operator, value: text })
  return withFilter(
    withFilter(params, operand('gte', String(value))),
    operand('lt', nextPeriod(String(value), period.unit))
  )
}

/** The first day of the period after the one that begins at a date. */
export function nextPeriod (date: string, unit: 'day' | 'week' | 'month' | 'year'): string {
  const [year, month, day] = date.split('-').map(Number) as [number, number, number]
  const next = new Date(0)
  next.setUTCFullYear(
    year + Number(unit === 'year'),
    month - 1 + Number(unit === 'month'),
    day + (unit === 'day' ? 1 : unit === 'week' ? 7 : 0)
  )
  return next.toISOString().slice(0, 10)
}
