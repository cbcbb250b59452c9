/** Collects the conditions of a list, as the client takes them. */

/** Conditions by field: a value for the default operator, or values by operator. */
export type Filter = Readonly<Record<string, unknown>>

/** A condition. Without an operator, the filter's default operator applies. */
export interface Condition {
  readonly field: string
  readonly operator?: string | undefined
  readonly value: unknown
}

/**
 * Joins conditions, all of which apply.
 *
 * @throws {TypeError} if two conditions cannot be sent together: the same operator twice on one field, or conditions
 *   with and without an operator
 */
export function filterOf (conditions: readonly Condition[]): Filter {
  const plain = new Map<string, unknown>()
  const byOperator = new Map<string, Map<string, unknown>>()
  for (const { field, operator, value } of conditions) {
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
