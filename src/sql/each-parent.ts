/**
 * The included records of each parent, in a lateral join. PostgreSQL looks them up in an index, parent by parent, which
 * takes less time than finding those of all parents and grouping them. With a `limit`, it reads only that many rows of
 * an index on the include's order. Without an index it would read the table for each parent, so the entity must declare
 * one.
 */
import type { PlannedInclude } from '../plan/index.ts'
import { EMPTY, name, sql, type Sql } from './fragment.ts'
import { JSON_NAME, objectSql, ownMembers, projection, selectList } from './members.ts'
import { carriedOrder, carry, orderBy, orderList } from './order.ts'
import { relatedOrder, relatedRows } from './related.ts'
import { numberSql, TOO_MANY } from './size.ts'
import type { ConditionContext } from './visibility.ts'

/**
 * The join to the related records of each parent. Its row has their JSON.
 *
 * @param parents the number of parents, at most
 * @param most the number of rows that the related records of all parents may have, if they are limited
 */
export function ofEachParent (
  include: PlannedInclude,
  parent: string,
  context: ConditionContext,
  parents: Sql,
  most: number | undefined
): { readonly name: string, readonly join: Sql } {
  const { relation, selection, rules } = include
  const as = context.names.expression(relation.name)
  const rows = relatedRows(relation, parent, rules?.where, context, 'each')
  const joined = (query: Sql) => ({ name: as, join: sql` left join lateral (${query}) as ${name(as)} on true` })
  if (!relation.many) {
    const { json, join } = objectSql(ownMembers(selection, rows.alias, false), context)
    return joined(sql`select ${json} as ${name(JSON_NAME)} from ${rows.table}${join}${rows.where}`)
  }
  const { joins, expressions: order } = relatedOrder(include, rows.alias, context)
  const level = context.names.expression(`${relation.name}_rows`)
  const columns = projection(selection, rows.alias)
  const carried = carriedOrder(order, carry(columns, order.map(({ value }) => value)), level)
  const limit = rules?.limit === undefined
    ? most === undefined ? EMPTY : sql` limit ${share(most, parents)} + 1`
    : sql`${orderBy(order)} limit ${numberSql(rules.limit)}`
  const found = sql`(select ${selectList(columns)} from ${rows.table}${joins}${rows.where}${limit}) as ${name(level)}`
  const { json, join } = objectSql(ownMembers(selection, level, true), context)
  const all = sql`json_agg(${json} order by ${orderList(carried)})`
  const value = rules?.limit === undefined && most !== undefined
    ? sql`case when count(*) > ${share(most, parents)} then ${TOO_MANY} else ${all} end`
    : all
  return joined(sql`select ${value} as ${name(JSON_NAME)} from ${found}${join}`)
}

/** The least share of a parent, so that one with more related records than others needs no second statement. */
const LEAST_SHARE = 500

/**
 * The number of rows that one parent may have: its part of twice as many as all may have together, and
 * `LEAST_SHARE`, but not more than all may have. A mark replaces the records of a parent that has more. The answer then
 * is read again.
 */
function share (most: number, parents: Sql): Sql {
  return sql`least(${numberSql(most)}, ${numberSql(2 * most)} / ${parents} + ${numberSql(LEAST_SHARE)})`
}
