/** The rows of a page, as each form of a list finds them. */
import type { OrderExpression } from './order-expression.ts'
import type { Sql } from './fragment.ts'
import type { ListShape } from './shape.ts'
import type { Source } from './source.ts'

/** The rows of a page in order: their columns, the values that they are sorted by, and the rest of their query. */
export interface PageRows {
  readonly columns: Map<string, Sql>
  readonly sorts: readonly Sql[]
  readonly from: Sql
  /** Common table expressions that the query needs. */
  readonly expressions: readonly Sql[]
  /** The alias of an expression with all rows that the conditions keep, and with what facets need of them. */
  readonly all?: string
  /** The number of all rows, beside a row with the columns of the answer. Null if the form has no total. */
  readonly total: Sql
}

/** All rows that the conditions of a list keep, and the order of its pages. */
export interface ListRows {
  readonly plan: ListShape
  readonly source: Source
  readonly order: readonly OrderExpression[]
  /** ` from <table> <joins> where ...` */
  readonly from: Sql
  /** ` limit ... offset ...` */
  readonly window: Sql
}

/**
 * Finds the rows of a page.
 *
 * @param columns what the rows have
 */
export type FindPageRows = (rows: ListRows, columns: Map<string, Sql>) => PageRows
