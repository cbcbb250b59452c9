/** The types of a query that is written as JSON, or as an object of a program. */
import type { PageValues } from '../base/page-styles.ts'

/** A value of a filter in a tree. A number stays a number, and a text a text. */
export type FilterTreeValue = string | number | bigint | boolean | Date

/** The value of a filter in a tree: a value or a list for its default operator, or values by operator. */
export type FilterTreeCondition =
  | FilterTreeValue
  | readonly FilterTreeValue[]
  | { readonly [operator: string]: FilterTreeValue | readonly FilterTreeValue[] }

/**
 * Filters that must all hold, by name. `and` and `or` are lists of such objects, and `not` is one.
 *
 * @example
 * const tree: FilterTree = { status: 'active', or: [{ price: { gte: 100 } }, { not: { 'tags.name': 'sale' } }] }
 */
export interface FilterTree {
  readonly [name: string]: FilterTreeCondition | FilterTree | readonly FilterTree[] | undefined
}

/** A query as an object: what `POST /query` and `QUERY /` take as JSON, and the methods of `CrudBase` as `params`. */
export interface QueryTree extends PageValues {
  /** Filters by name, and groups of them by `and`, `or` and `not`. */
  readonly filter?: FilterTree
  /** The order, as items of `sort`: `['-price', 'name']`. */
  readonly sort?: readonly string[]
  /** The paths of the included relations, and the names of numbers about relations. */
  readonly include?: readonly string[]
  /** The fields of the records. */
  readonly fields?: readonly string[]
  /** The fields of included records, by the path of the include. */
  readonly fieldsByInclude?: Readonly<Record<string, readonly string[]>>
  /** The facets of a list. */
  readonly facets?: readonly string[]
  /** The groups of aggregates. */
  readonly group?: readonly string[]
  /** The numbers about groups. */
  readonly aggregate?: readonly string[]
}
