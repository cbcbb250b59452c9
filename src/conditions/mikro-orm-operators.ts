/** The operators of conditions in MikroORM's query language. */
import type { Quantifier } from './where-tree.ts'

/** Operators that compare the value of a column, or a key, with values. */
export const COMPARISONS: readonly string[] = ['$eq', '$ne', '$gt', '$gte', '$lt', '$lte', '$in', '$nin']

/** Operators on the value of a column (MikroORM's `QueryOperator`). */
export const COLUMN_OPERATORS: readonly string[] = [
  ...COMPARISONS,
  '$like',
  '$ilike',
  '$re',
  '$fulltext',
  '$exists',
  '$overlap',
  '$contains',
  '$contained',
  '$hasKey',
  '$hasKeys',
  '$hasSomeKeys',
  '$elemMatch',
]

/** Operators on related rows, which take a condition. */
const QUANTIFIERS: readonly string[] = ['$some', '$none', '$every'] satisfies readonly Quantifier[]

export const isQuantifier = (operator: string): operator is Quantifier => QUANTIFIERS.includes(operator)

/** Operators on a relation: on its key, on the number of related rows, and quantifiers. */
export const RELATION_OPERATORS: readonly string[] = [...COMPARISONS, '$exists', '$size', '$all', ...QUANTIFIERS]

/** Operators that take a list. */
export const LIST_OPERATORS: ReadonlySet<string> = new Set(['$in', '$nin', '$all', '$hasKeys', '$hasSomeKeys'])

/** Operators that group conditions. */
export const GROUPS: readonly string[] = ['$and', '$or', '$not']
