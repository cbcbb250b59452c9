/**
 * The rows of a page, found in two steps: first the keys of the page, then the rows with these keys. All other rows are
 * only skipped or sorted. If the server needs no more than their keys and sort values, it often finds them in an index
 * alone, and a sort takes less memory.
 */
import { keyColumnNames } from '../model/index.ts'
import { equalColumns } from './columns.ts'
import { name, sql, trusted } from './fragment.ts'
import { projection, selectList } from './members.ts'
import { carriedOrder, carry, orderBy } from './order.ts'
import type { FindPageRows, ListRows, PageRows } from './page-rows.ts'
import { keyName } from './related.ts'

/** @param find finds the keys of the page */
export function rowsByKey (list: ListRows, find: FindPageRows): PageRows {
  const { plan, source: { alias, model, context: { names } }, order } = list
  const key = keyColumnNames(model)
  const found = find(list, new Map(key.map((column, index) => [keyName(index), name(alias, column)])))
  const keys = names.expression('keys')
  const rows = names.table()
  const needed = new Map(found.columns)
  const carried = carriedOrder(order, carry(needed, found.sorts), keys)
  const on = equalColumns(rows, key, keys, key.map((_, index) => keyName(index)))
  return {
    ...found,
    columns: projection(plan.selection, rows),
    sorts: carried.map(({ value }) => value),
    from: sql` from (select ${selectList(needed)}${found.from}) as ${name(keys)} inner join ${
      trusted(model.table)
    } as ${name(rows)} on ${on}${orderBy(carried)}`,
  }
}
