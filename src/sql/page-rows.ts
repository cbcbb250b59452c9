/** The rows of a page, as each form of a list finds them. */
import { name, sql, trusted, type Sql } from './fragment.ts'
import { selectList } from './members.ts'
import type { OrderExpression } from './order-expression.ts'
import type { ListShape } from './shape.ts'
import type { Source } from './source.ts'

/** The rows of a page in order: their columns, the values that they are sorted by, and the rest of their query. */
export interface PageRows {
  /** `(select ...) as <alias>`: the keys of the page in order, if the query finds the row of one key. */
  readonly keys?: Sql
  readonly columns: Map<string, Sql>
  readonly sorts: readonly Sql[]
  readonly from: Sql
  /** Common table expressions that the query needs. */
  readonly expressions: readonly Sql[]
  /** The alias of an expression with all rows that the conditions keep, and with what facets need of them. */
  readonly all?: string
  /** The number of all rows, in the query that counts the rows of the page. Null if the form has no total. */
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

/** The number of rows of a page, in the query that joins their records into one text. */
export const FETCHED = trusted('count(*)')

/**
 * Finds the rows of a page.
 *
 * @param columns what the rows have
 */
export type FindPageRows = (rows: ListRows, columns: Map<string, Sql>) => PageRows

/** The rows of a page, for a common table expression with this name. */
export function pageQuery (page: string, rows: PageRows): Sql {
  return rows.keys === undefined ? rowsQuery(rows) : sql`select ${name(page)}.* from ${pageItem(page, rows)}`
}

/** The rows of a page as an item of a from clause. */
export function pageItem (page: string, rows: PageRows): Sql {
  const query = sql`(${rowsQuery(rows)}) as ${name(page)}`
  return rows.keys === undefined ? query : sql`${rows.keys} cross join lateral ${query}`
}

const rowsQuery = ({ columns, from }: PageRows): Sql => sql`select ${selectList(columns)}${from}`
