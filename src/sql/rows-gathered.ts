/**
 * The rows of a page, and the total, from all rows that the filters keep. So the filters are evaluated once. If there
 * are too many for the form `gathered`, the statement has no answer, and no total.
 */
import { carryFacets } from './facets.ts'
import { mostGathered } from './form.ts'
import { EMPTY, name, numberSql, sql, type Sql } from './fragment.ts'
import { selectList } from './members.ts'
import { carriedOrder, carry, orderBy } from './order.ts'
import type { FindPageRows } from './page-rows.ts'

export const gatheredRows: FindPageRows = ({ plan, source, order, from, window }, needed) => {
  const { alias, context, form, isOneTooMany } = source
  const gathered = context.names.expression('gathered')
  const columns = new Map(needed)
  const carried = carriedOrder(order, carry(columns, order.map(({ value }) => value)), gathered)
  const most = form.rows === 'gathered' ? mostGathered(form.total) : Infinity
  const [limit, total] = most === Infinity
    ? [EMPTY, COUNT]
    : [sql` limit ${numberSql(most + 1)}`, sql`case when ${areAll(most, isOneTooMany)} then ${COUNT} end`]
  carryFacets(columns, plan, alias)
  if (isOneTooMany !== undefined) columns.set(ONE_TOO_MANY, isOneTooMany)
  return {
    columns: new Map([...needed.keys()].map((column) => [column, name(gathered, column)])),
    sorts: carried.map(({ value }) => value),
    from: sql` from ${name(gathered)}${orderBy(carried)}${window}`,
    all: gathered,
    expressions: [sql`${name(gathered)} as materialized (select ${selectList(columns)}${from}${limit})`],
    total: sql`(select ${total} from ${name(gathered)})`,
  }
}

const COUNT = sql`count(*)`

/** The column that marks the row beyond the most that are gathered. No property has this name. */
const ONE_TOO_MANY = '@oneTooMany'

/** Whether the gathered rows are all that there are. */
const areAll = (most: number, isOneTooMany: Sql | undefined): Sql =>
  isOneTooMany === undefined
    ? sql`${COUNT} <= ${numberSql(most)}`
    : sql`count(*) filter (where ${name(ONE_TOO_MANY)}) = 0`
