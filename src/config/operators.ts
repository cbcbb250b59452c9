/** The operators of a filter: `filter[<name>][<operator>]=<value>`. */

/** How an operator's value is written: one text, a list of texts, or `true` and `false`. */
export type OperatorValue = 'one' | 'list' | 'boolean'

/**
 * Every operator and the kind of value it takes. The order is the order in which errors and documentation list them.
 */
export const OPERATORS = Object.freeze(
  {
    eq: 'one',
    ne: 'one',
    lt: 'one',
    lte: 'one',
    gt: 'one',
    gte: 'one',
    like: 'one',
    ilike: 'one',
    contains: 'one',
    starts: 'one',
    ends: 'one',
    in: 'list',
    nin: 'list',
    between: 'list',
    overlap: 'list',
    isnull: 'boolean',
  } as const satisfies Record<string, OperatorValue>
)

/** The name of an operator. */
export type Operator = keyof typeof OPERATORS

/** The names of all operators. */
export const OPERATOR_NAMES: readonly Operator[] = Object.freeze(Object.keys(OPERATORS) as Operator[])

/** Whether `name` is the name of an operator. */
export function isOperator (name: unknown): name is Operator {
  return typeof name === 'string' && Object.hasOwn(OPERATORS, name)
}
