/**
 * The rows of a deep page, found in two steps: first the keys of the page, then the rows with these keys. The server
 * skips many rows. If it needs only their keys and sort values, it often finds them in an index alone, and a sort takes
 * less memory.
 */
import { keyColumns } from '../model/index.ts'
import { equalColumns } from './columns.ts'
import { name, sql, trusted } from './fragment.ts'
import { projection, selectList } from './members.ts'
import { carriedOrder, carry, orderBy } from './order.ts'
import type { FindPageRows } from './page-rows.ts'
import { keyName } from './related.ts'
import { countedTotal } from './rows-direct.ts'

export const keysFirstRows: FindPageRows = (list) => {
  const { plan, source: { alias, model, context: { names } }, order, from, window } = list
  const keys = names.expression('keys')
  const rows = names.table()
  const key = keyColumns(model).map(({ column }) => column)
  const needed = new Map(key.map((column, index) => [keyName(index), name(alias, column)]))
  const carried = carriedOrder(order, carry(needed, order.map(({ value }) => value)), keys)
  const on = equalColumns(rows, key, keys, key.map((_, index) => keyName(index)))
  return {
    columns: projection(plan.selection, rows),
    sorts: carried.map(({ value }) => value),
    from: sql` from (select ${selectList(needed)}${from}${orderBy(order)}${window}) as ${name(keys)} inner join ${
      trusted(model.table)
    } as ${name(rows)} on ${on}${orderBy(carried)}`,
    expressions: [],
    total: countedTotal(list),
  }
}
