/**
 * The rows of a page, found in two steps: first the keys of the page, then the row of each key. All other rows are only
 * skipped or sorted. If the server needs no more than their keys and sort values, it often finds them in an index
 * alone, and a sort takes less memory.
 *
 * A query with `offset 0` is planned by itself, for one key. For a join, PostgreSQL compares all ways to join two
 * tables of any size, and sorts the rows again. The query takes less time to plan. Only a nested loop can run it, which
 * keeps the order of the keys.
 */
import { keyColumns } from '../model/index.ts'
import { keyName, tableAs } from './columns.ts'
import { name, sql } from './fragment.ts'
import { projection, selectList } from './members.ts'
import { carriedOrder, carry } from './order.ts'
import { hasNamedKey } from './own-key.ts'
import type { FindPageRows, ListRows, PageRows } from './page-rows.ts'
import { whereClause } from './visibility.ts'

/** @param find finds the keys of the page */
export function rowsByKey (list: ListRows, find: FindPageRows): PageRows {
  const { plan, source: { alias, model, context: { names } }, order } = list
  const key = keyColumns(model)
  const found = find(list, new Map(key.map(({ column }, index) => [keyName(index), name(alias, column)])))
  const keys = names.expression('keys')
  const rows = names.table()
  const needed = new Map(found.columns)
  const carried = carriedOrder(order, carry(needed, found.sorts), keys)
  const on = hasNamedKey(key, keys, rows)
  return {
    ...found,
    keys: sql`(select ${selectList(needed)}${found.from}) as ${name(keys)}`,
    columns: projection(plan.selection, rows),
    sorts: carried.map(({ value }) => value),
    from: sql` from ${tableAs(model.table, rows)}${whereClause([on])} offset 0`,
  }
}
