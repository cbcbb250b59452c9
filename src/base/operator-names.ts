/**
 * The names of the operators of filters. The grammar needs them to tell `filter[not][eq]=1`, which is a filter named
 * `not`, from `filter[not][name]=x`. What an operator does is in its entry of `src/operators/table.ts`.
 */

/** The names of all operators, in the order of errors and documentation. */
export const OPERATOR_NAMES = Object.freeze(
  [
    'eq', 'ne', 'lt', 'lte', 'gt', 'gte', 'ieq', 'like', 'ilike', 'contains', 'starts', 'ends', 'in', 'nin', 'between',
    'overlap', 'isnull',
  ] as const
)

/** The name of an operator. */
export type Operator = (typeof OPERATOR_NAMES)[number]

const NAMES: ReadonlySet<unknown> = new Set(OPERATOR_NAMES)

/** Whether `name` is the name of an operator. */
export const isOperator = (name: unknown): name is Operator => NAMES.has(name)
