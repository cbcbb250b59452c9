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
  const byOperator = new Map<string, Record<string, unknown>>()
  for (const { field, operator, value } of conditions) {
    if (value === undefined) continue
    if (plain.has(field) || (operator === undefined && byOperator.has(field))) {
      throw new TypeError(`Two conditions on '${field}': give each of them its own operator.`)
    }
    if (operator === undefined) {
      plain.set(field, value)
      continue
    }
    const operators = byOperator.get(field) ?? Object.create(null) as Record<string, unknown>
    if (operator in operators) {
      throw new TypeError(`Two conditions '${operator}' on '${field}': a list takes one for each operator.`)
    }
    operators[operator] = value
    byOperator.set(field, operators)
  }
  return Object.fromEntries([...plain, ...byOperator])
}
