/** Collects the conditions of a list, as the client takes them. */
import { splitId } from './id.ts'

/** Conditions by field: a value for the default operator, or values by operator. */
export type ClientFilter = Readonly<Record<string, unknown>>

/** A condition. Without an operator, the filter's default operator applies. */
export interface FieldCondition {
  readonly field: string
  readonly operator?: string | undefined
  readonly value: unknown
}

/** Relations to records with composite keys, each with the parts of that key. */
export type References = ReadonlyMap<string, readonly string[]>

/** The rules of a resource for filters. */
export interface FilterRules {
  readonly references: References
  /** Filters that take no operator. */
  readonly plainFilters: ReadonlySet<string>
}

/** The rules of requests that belong to no resource. */
export const NO_RULES: FilterRules = { references: new Map(), plainFilters: new Set() }

/**
 * Joins conditions, all of which apply. A condition on one of the `references` becomes one for each part of the key.
 *
 * @throws {TypeError} if two conditions cannot be sent together: the same operator twice on one field, or conditions
 *   with and without an operator
 */
export function filterOf (conditions: readonly FieldCondition[], references: References): ClientFilter {
  const plain = new Map<string, unknown>()
  const byOperator = new Map<string, Map<string, unknown>>()
  for (const { field, operator, value } of conditions.flatMap((one) => byParts(one, references))) {
    if (value === undefined) continue
    const operators = byOperator.get(field)
    if (plain.has(field) || (operator === undefined && operators !== undefined)) {
      throw new TypeError(`Two conditions on '${field}': give each of them its own operator.`)
    }
    if (operator === undefined) plain.set(field, value)
    else if (operators === undefined) byOperator.set(field, new Map([[operator, value]]))
    else if (operators.has(operator)) {
      throw new TypeError(`Two conditions '${operator}' on '${field}': a list takes one for each operator.`)
    } else operators.set(operator, value)
  }
  const named = Array.from(byOperator, ([field, operators]) => [field, Object.fromEntries(operators)] as const)
  return Object.fromEntries<unknown>([...plain, ...named])
}

/** The conditions on the parts of a composite key, if a condition compares a relation with the id of a record. */
function byParts (condition: FieldCondition, references: References): readonly FieldCondition[] {
  const { field, operator = 'eq', value } = condition
  const names = references.get(field)
  const id: unknown = operator === 'in' && Array.isArray(value) && value.length === 1 ? value[0] : value
  if (names === undefined || typeof id !== 'string' || (operator !== 'eq' && operator !== 'in')) return [condition]
  const parts = splitId(id)
  return names.map((name, index) => ({ field: `${field}.${name}`, operator: 'eq', value: parts[index] }))
}
