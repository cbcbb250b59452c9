/** The parameters of numbers about groups: `group`, `aggregate`, and an order by what these name. */
import type { GroupDescription, ResourceDescription } from '../../src/explorer/description.ts'
import type { Address, Pair } from './address.ts'
import { withFilter } from './change-filters.ts'
import { choiceOf, withChoice } from './choices.ts'
import { filterTreeOf, isGroup } from './filter-tree.ts'
import { parameterOf } from './filters.ts'
import { conditionsOf } from './many.ts'
import { namesOf, withNames } from './names.ts'
import { sortsOf, withSorts, type SortUse } from './sorts.ts'
import { momentOf, nextPeriod, startOfDay } from './periods.ts'

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
  path,
  params: conditionsOf(params),
  own: {},
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
  { filters }: Pick<ResourceDescription, 'filters'>
): readonly Pair[] | undefined {
  const filter = filters.find((filter) => filter.name === name)
  if (filter === undefined || (typeof value === 'object' && value !== null)) return undefined
  const allows = (...operators: string[]): boolean =>
    operators.every((operator) => filter.operators.some(({ name }) => name === operator))
  if (value === null) return isnull ? withChoice(params, filter, { texts: [], isNone: true }) : undefined
  if (period === null) {
    if (!allows('eq') && !allows('in')) return undefined
    return withChoice(params, filter, { ...choiceOf([], filter), texts: [String(value)] })
  }
  if (!allows('gte', 'lt')) return undefined
  const { timeZone, unit } = period
  const startOf = (date: string): string | undefined =>
    timeZone === null || timeZone === 'UTC' ? date : startOfDay(date, timeZone)
  const start = startOf(String(value))
  const end = startOf(nextPeriod(String(value), unit))
  if (start === undefined || end === undefined) return undefined
  return withBound(withBound(params, filter.name, 'gte', start), filter.name, 'lt', end)
}

/** Adds a bound to the filters, unless they have a narrower one already. */
function withBound (params: readonly Pair[], field: string, operator: 'gte' | 'lt', value: string): readonly Pair[] {
  const use = { field, operator, value }
  const parameter = parameterOf(use)
  const isNarrower = filterTreeOf(params).some((node) => {
    if (isGroup(node) || parameterOf(node) !== parameter) return false
    const distance = momentOf(String(node.value)) - momentOf(value)
    return operator === 'gte' ? distance > 0 : distance < 0
  })
  return isNarrower ? params : withFilter(params, use)
}
