/**
 * The included records of each parent, by a subquery in the select list. PostgreSQL looks them up in an index, parent
 * by parent, which takes less time than finding those of all parents and grouping them. With a `limit`, it reads only
 * that many rows of an index on the include's order. Without an index it would read the table for each parent, so the
 * entity must declare one. A lateral join takes longer to plan, and its rows would have to be sorted again.
 */
import type { AnswerLimits, PlannedInclude } from '../plan/index.ts'
import { EMPTY, name, numberSql, sql, type Sql } from './fragment.ts'
import { objectSql, ownMembers, projection, selectList } from './members.ts'
import { carriedOrder, carry, orderBy, orderList } from './order.ts'
import { relatedOrder, relatedRows } from './related.ts'
import { TOO_MANY } from './size.ts'
import type { ConditionContext } from './visibility.ts'

/**
 * The JSON of the related records of a parent, or null if there are none.
 *
 * @param limits those of the answer, if there may be too many related records
 */
export function ofEachParent (
  include: PlannedInclude,
  parent: string,
  context: ConditionContext,
  limits: AnswerLimits | undefined
): Sql {
  const { relation, selection, rules } = include
  const rows = relatedRows(relation, parent, rules?.where, context, 'each')
  if (!relation.many) {
    const { json, join } = objectSql(ownMembers(selection, rows.alias, false, 'without'), context)
    // a database without a unique constraint may have several records
    return sql`(select ${json} from ${rows.table}${join}${rows.where} limit 1)`
  }
  const { joins, expressions: order } = relatedOrder(include, rows.alias, context)
  const level = context.names.expression(`${relation.name}_rows`)
  const columns = projection(selection, rows.alias)
  const carried = carriedOrder(order, carry(columns, order.map(({ value }) => value)), level)
  const most = rules?.limit === undefined ? limits && share(limits) : undefined
  const limit = rules?.limit !== undefined
    ? sql`${orderBy(order)} limit ${numberSql(rules.limit)}`
    : most === undefined ? EMPTY : sql` limit ${numberSql(most + 1)}`
  const found = sql`(select ${selectList(columns)} from ${rows.table}${joins}${rows.where}${limit}) as ${name(level)}`
  const { json, join } = objectSql(ownMembers(selection, level, true, 'without'), context)
  const all = sql`json_agg(${json} order by ${orderList(carried)})`
  const value = most === undefined
    ? all
    : sql`case when count(*) > ${numberSql(most)} then ${TOO_MANY} else ${all} end`
  return sql`(select ${value} from ${found}${join})`
}

/** The least share of a parent, so that one with more related records than others needs no second statement. */
const LEAST_SHARE = 800

/**
 * The number of related records that one parent may have: its part of twice as many as all parents of the largest page
 * may have together, and `LEAST_SHARE`, but not more than all may have. A mark replaces the records of a parent that
 * has more. The answer then is read again. The number does not depend on the request, because PostgreSQL would compute
 * it while it plans each run.
 */
function share ({ maxIncluded, maxRows }: AnswerLimits): number {
  const most = maxIncluded + 1
  return Math.min(most, Math.floor(2 * most / maxRows) + LEAST_SHARE)
}
