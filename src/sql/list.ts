/** The statements of lists: a page of rows, what they include, and the total; or all rows, one by one. */
import type { ListPlan, StreamPlan } from '../plan/index.ts'
import { EMPTY, join, name, sql, type Sql } from './fragment.ts'
import { carriedOrder, orderBy, orderSql, sortName } from './order.ts'
import { projection, recordSql, selectList, showsRelated } from './record.ts'
import { ROW, ROW_JSON, type Source } from './source.ts'

export const LIST_COLUMNS: readonly string[] = ['items', 'fetched', 'total']

/** `items`: the records as the inside of a JSON array, null for none; `fetched`: how many rows there were; `total`. */
export function listSql (plan: ListPlan, source: Source): Sql {
  const { expressions, select } = orderedRecords(plan, source, sql` limit ${plan.fetchSlot} offset ${plan.offsetSlot}`)
  return sql`${expressions}${answer(plan, source)} from ${rows(plan, select)}`
}

/** `item`: a record, in a row for each of them. */
export function streamSql (plan: StreamPlan, source: Source): Sql {
  const { expressions, select } = orderedRecords(plan, source, EMPTY)
  return sql`${expressions}select ${ROW_JSON} as "item" from (${select}) as ${ROW}`
}

/** The members of the records as columns, in order; and the expressions that are needed for them. */
function orderedRecords ({ order: terms, selection }: ListPlan | StreamPlan, source: Source, limits: Sql): { readonly expressions: Sql, readonly select: Sql } {
  const { alias, table, where, context } = source
  const { joins, expressions: order } = orderSql(terms, alias, context, { custom: source })
  const columns = projection(selection, alias)
  const page = context.names.expression('page')

  if (!showsRelated(selection)) {
    const { members } = recordSql(selection, page, true, context)
    const pageSql = sql`(select ${selectList(columns)} from ${table}${joins}${where}${orderBy(order)}${limits}) as ${name(page)}`
    return { expressions: EMPTY, select: sql`select ${selectList(members)} from ${pageSql}` }
  }

  // joining what is included may put the page out of order: it carries what it was ordered by
  for (const [index, { value }] of order.entries()) columns.set(sortName(index), value)
  const { members, expressions, joins: includes } = recordSql(selection, page, true, context)
  const pageSql = sql`${name(page)} as (select ${selectList(columns)} from ${table}${joins}${where}${orderBy(order)}${limits})`
  return { expressions: sql`with ${join([pageSql, ...expressions])} `, select: sql`select ${selectList(members)} from ${name(page)}${includes}${orderBy(carriedOrder(order, page))}` }
}

/** The rows in order, made into one text; when one row more than wanted was fetched, it is only counted. */
function rows ({ window, limitSlot }: ListPlan, select: Sql): Sql {
  const items = sql`string_agg(${ROW_JSON}, ',')`
  if (window.count === 'exact') return sql`(select ${items} as "items", count(*) as "fetched" from (${select}) as ${ROW}) as "@rows"`
  return sql`(select string_agg("item", ',') filter (where "number" <= ${limitSlot}) as "items", count(*) as "fetched" from (select ${ROW_JSON} as "item", row_number() over () as "number" from (${select}) as ${ROW}) as "@numbered") as "@rows"`
}

/**
 * The columns of the answer. The total is counted only when the page doesn't tell it: a page that is not full and not
 * empty is the last one, and an empty first page is all there is. CASE does not evaluate the branch it doesn't take.
 */
function answer ({ window, fetchSlot, offsetSlot }: ListPlan, { table, where }: Source): Sql {
  if (window.count !== 'exact') return sql`select "items", "fetched", null as "total"`
  const known = sql`"fetched" < ${fetchSlot} and ("fetched" > 0 or ${offsetSlot} = 0)`
  return sql`select "items", "fetched", case when ${known} then ${offsetSlot} + "fetched" else (select count(*) from ${table}${where}) end as "total"`
}
