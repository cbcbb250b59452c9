/** The rows of a page, read in its order. The total is counted separately. */
import { numberSql, sql, trusted, type Sql } from './fragment.ts'
import { orderBy } from './order.ts'
import { FETCHED, type FindPageRows, type ListRows } from './page-rows.ts'

export const directRows: FindPageRows = (rows, columns) => {
  const { order, from, window } = rows
  return {
    columns,
    sorts: order.map(({ value }) => value),
    from: sql`${from}${orderBy(order)}${window}`,
    expressions: [],
    total: countedTotal(rows),
  }
}

/**
 * The total. Rows are counted only if the page does not tell it. A page that is neither full nor empty is the last one,
 * and an empty first page means that there are no rows. CASE does not evaluate the branch that it does not take.
 */
function countedTotal ({ plan: { fetchSlot, offsetSlot }, source: { table, where, form } }: ListRows): Sql {
  const { total } = form
  if (total === 'none') return trusted('null')
  const known = sql`${FETCHED} < ${fetchSlot} and (${FETCHED} > 0 or ${offsetSlot} = 0)`
  const counted = total === 'exact'
    ? sql`(select count(*) from ${table}${where})`
    // one row more tells whether there are more
    : sql`(select count(*) from (select from ${table}${where} limit ${numberSql(total + 1)}) as "@counted")`
  return sql`case when ${known} then ${offsetSlot} + ${FETCHED} else ${counted} end`
}
