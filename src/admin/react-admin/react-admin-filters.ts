/** Translates the filters of react-admin, which are objects of values by name. */
import { isNamedValues } from '../../client/query-string.ts'
import {
  filterOf, NO_RULES, type AdminCondition, type ClientFilter, type FilterRules, type GroupName,
} from '../filter.ts'

/** The operators that react-admin documents. They are written behind the name of the property: `price_gte`. */
const SUFFIXES: ReadonlyMap<string, string> = new Map([
  ['eq', 'eq'],
  ['neq', 'ne'],
  ['eq_any', 'in'],
  ['neq_any', 'nin'],
  ['gt', 'gt'],
  ['gte', 'gte'],
  ['lt', 'lt'],
  ['lte', 'lte'],
  ['q', 'contains'],
  ['inc', 'contains'],
  ['inc_any', 'overlap'],
  ['ninc_any', 'overlap'],
])

const SUFFIX = new RegExp(`^(.+)_(${[...SUFFIXES.keys()].join('|')})$`)

/** Suffixes whose value is a list. A single value stands for a list of one. */
const LISTS: ReadonlySet<string> = new Set(['eq_any', 'neq_any', 'inc', 'inc_any', 'ninc_any'])

/**
 * Returns the conditions of a list, for the client.
 *
 * - `status` compares by the filter's default operator.
 * - `price_gte` has one of react-admin's operators.
 * - `name@ilike` has any operator of the API.
 * - Nested objects, which react-admin makes of names with dots, are paths: `{ author: { name_q: 'a' } }`.
 * - `or` and `and` are lists of such filters, and `not` is one, where the resource offers groups.
 *
 * @param more conditions that the filter does not contain, e.g. the target of a reference
 * @param rules the resource's relations to records with composite keys, and its filters without operators
 * @example
 * filterOfReactAdmin({ status: 'active', price_gte: 100 }) // { status: 'active', price: { gte: 100 } }
 */
export function filterOfReactAdmin (
  filter: object | undefined,
  more: readonly AdminCondition[] = [],
  { references, plainFilters }: FilterRules = NO_RULES
): ClientFilter {
  return filterOf([...more, ...conditionsOf(filter ?? {}, '', plainFilters)], references)
}

function conditionsOf (filter: object, before: string, plain: ReadonlySet<string>): AdminCondition[] {
  return Object.entries(filter).flatMap(([name, value]): AdminCondition[] => {
    const members = before === '' ? membersOf(name, value) : undefined
    if (members !== undefined) {
      return [{ word: name as GroupName, members: members.map((member) => conditionsOf(member, '', plain)) }]
    }
    return isNamedValues(value)
      ? conditionsOf(value, `${before}${name}.`, plain)
      : [conditionOf(before + name, value, plain)]
  })
}

/** The members of a group, or `undefined` for anything else. */
function membersOf (name: string, value: unknown): readonly object[] | undefined {
  if (name === 'not' && isNamedValues(value)) return [value]
  const isGroup = (name === 'or' || name === 'and') && Array.isArray(value) && value.every(isNamedValues)
  return isGroup ? value : undefined
}

function conditionOf (name: string, value: unknown, plain: ReadonlySet<string>): AdminCondition {
  if (plain.has(name)) return { field: name, value }
  const at = name.lastIndexOf('@')
  if (at > 0) return { field: name.slice(0, at), operator: name.slice(at + 1), value }
  const [, field, suffix] = SUFFIX.exec(name) ?? []
  if (field === undefined || suffix === undefined) return { field: name, value }
  const condition = { field, operator: SUFFIXES.get(suffix), value: LISTS.has(suffix) ? asList(value) : value }
  return suffix === 'ninc_any' ? { word: 'not', members: [[condition]] } : condition
}

const asList = (value: unknown): unknown => value === undefined || Array.isArray(value) ? value : [value]
