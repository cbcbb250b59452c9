/** Translates the filters of react-admin, which are objects of values by name. */
import { filterOf, NO_RULES, type ClientFilter, type FieldCondition, type FilterRules } from '../filter.ts'

/**
 * The operators that react-admin documents. They are written behind the name of the property: `price_gte`. `undefined`
 * marks one that the API has no operator for.
 */
const SUFFIXES: ReadonlyMap<string, string | undefined> = new Map([
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
  ['ninc_any', undefined],
])

const SUFFIX = new RegExp(`^(.+)_(${[...SUFFIXES.keys()].join('|')})$`)

/** Suffixes whose value is a list. A single value stands for a list of one. */
const LISTS: ReadonlySet<string> = new Set(['eq_any', 'neq_any', 'inc', 'inc_any'])

/**
 * Returns the conditions of a list, for the client.
 *
 * - `status` compares by the filter's default operator.
 * - `price_gte` has one of react-admin's operators.
 * - `name@ilike` has any operator of the API.
 * - Nested objects, which react-admin makes of names with dots, are paths: `{ author: { name_q: 'a' } }`.
 *
 * @param more conditions that the filter does not contain, e.g. the target of a reference
 * @param rules the resource's relations to records with composite keys, and its filters without operators
 * @throws {TypeError} for an operator that the API does not have, and for conditions that exclude each other
 * @example
 * filterFrom({ status: 'active', price_gte: 100 }) // { status: 'active', price: { gte: 100 } }
 */
export function filterOfReactAdmin (
  filter: object | undefined,
  more: readonly FieldCondition[] = [],
  { references, plainFilters }: FilterRules = NO_RULES
): ClientFilter {
  return filterOf([...more, ...conditionsOf(filter ?? {}, '', plainFilters)], references)
}

function conditionsOf (filter: object, before: string, plain: ReadonlySet<string>): FieldCondition[] {
  return Object.entries(filter).flatMap(([name, value]) =>
    isNested(value) ? conditionsOf(value, `${before}${name}.`, plain) : conditionOf(before + name, value, plain)
  )
}

function conditionOf (name: string, value: unknown, plain: ReadonlySet<string>): FieldCondition {
  if (plain.has(name)) return { field: name, value }
  const at = name.lastIndexOf('@')
  if (at > 0) return { field: name.slice(0, at), operator: name.slice(at + 1), value }
  const [, field, suffix] = SUFFIX.exec(name) ?? []
  if (field === undefined || suffix === undefined) return { field: name, value }
  const operator = SUFFIXES.get(suffix)
  if (operator === undefined) {
    const known = [...SUFFIXES].flatMap(([known, operator]) => operator === undefined ? [] : [`_${known}`])
    throw new TypeError(`The filter '${name}': the API has no operator for '_${suffix}', but for ${known.join(', ')}.`)
  }
  return { field, operator, value: LISTS.has(suffix) ? asList(value) : value }
}

const asList = (value: unknown): unknown => value === undefined || Array.isArray(value) ? value : [value]

const isNested = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date)
