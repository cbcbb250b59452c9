/** The statement of aggregates: a page of groups with numbers about their rows, and the number of all groups. */
import type { GroupNumber, GroupTerm, Operand } from '../plan/index.ts'
import { operand } from './comparison.ts'
import { EMPTY, literal, name, sql, trusted, type Sql } from './fragment.ts'
import { valueJson } from './json.ts'
import { ROW, ROW_JSON, selectList, type Member } from './members.ts'
import { directionSql, orderBy } from './order.ts'
import { FETCHED } from './page-rows.ts'
import type { AggregateShape } from './shape.ts'
import type { Source } from './source.ts'
import { exactMean, meanText } from './sums.ts'
import { ToOneJoins } from './to-one-joins.ts'
import { comparedValue, sqlTypeOf } from './wire-types.ts'

export const GROUP_COLUMNS: readonly string[] = ['items', 'fetched', 'total']

/**
 * `items`: the groups as the inside of a JSON array, or null if there are none. `fetched`: the number of them. `total`:
 * the number of all groups.
 */
export function groupsSql (plan: AggregateShape, { alias, table, where, context }: Source): Sql {
  const joins = new ToOneJoins(alias, context)
  const terms = [...plan.groups, ...plan.numbers]
  const values = new Map(terms.map((term) => {
    const from = joins.aliasOf(term.relations)
    return [columnName(term), 'function' in term ? numberValue(term, from) : groupValue(term, from)]
  }))
  const groups = context.names.expression('groups')
  // by their positions: an expression need not be repeated
  const positions = plan.groups.map((_, index) => index + 1).join(', ')
  const by = positions === '' ? EMPTY : sql` group by ${trusted(positions)}`
  const grouped = sql`${name(groups)} as (select ${selectList(values)} from ${table}${joins.sql}${where}${by})`
  const order = plan.groupOrder.map(({ by, descending }) => ({
    value: name(groups, columnName(by)),
    direction: directionSql(descending, true),
  }))
  const members = selectList(terms.map((term) => memberOf(term, groups)))
  const sorted = order.length === 0 ? EMPTY : orderBy(order)
  const page = sql`select ${members} from ${name(groups)}${sorted} limit ${plan.limitSlot} offset ${plan.offsetSlot}`
  const total = sql`(select count(*) from ${name(groups)})`
  const columns = selectList([['items', sql`string_agg(${ROW_JSON}, ',')`], ['fetched', FETCHED], ['total', total]])
  return sql`with ${grouped} select ${columns} from (${page}) as ${ROW}`
}

/** The column of a value. A name that no alias of a property has, so that an order is always by the value. */
const columnName = ({ key }: GroupTerm | GroupNumber): string => `@${key}`

/** The value that rows are grouped by: that of a property, or the first day of its period. */
function groupValue ({ operand: property, period, type }: GroupTerm, alias: string): Sql {
  const value = operand(property, alias)
  return period === undefined
    ? value
    : sql`date_trunc(${literal(period.unit)}, ${localTime(value, property, period.timeZone)})::date`
}

/** A date or a moment as the time without a zone that clocks in a time zone show. A column without a zone holds UTC. */
function localTime (value: Sql, property: Operand, timeZone: string): Sql {
  const type = property.kind === 'scalar' ? property.type : undefined
  if (type?.kind !== 'datetime') return sql`${value}::timestamp`
  if (type.zoned) return sql`${value} at time zone ${literal(timeZone)}`
  return timeZone === 'UTC' ? value : sql`${value} at time zone 'UTC' at time zone ${literal(timeZone)}`
}

/** A number about the rows of a group, in the type in which it is sorted. */
function numberValue ({ function: fn, operand: property, type }: GroupNumber, alias: string): Sql {
  if (property === undefined) return trusted('count(*)')
  const value = operand(property, alias)
  if (fn === 'countDistinct') return sql`count(distinct ${value})`
  if (property.kind === 'scalar' && fn === 'sum') return sqlTypeOf(property.type).sum!(value, property.type)
  if (property.kind === 'scalar' && fn === 'avg') {
    return type.kind === 'decimal' ? exactMean(value) : sqlTypeOf(property.type).mean!(value, property.type)
  }
  return sql`${trusted(fn)}(${comparedValue(value, type)})`
}

/** A member of an item: its name, and its value in wire form. */
function memberOf (term: GroupTerm | GroupNumber, groups: string): Member {
  const value = name(groups, columnName(term))
  if ('function' in term && term.function === 'avg' && term.type.kind === 'decimal') return [term.key, meanText(value)]
  return [term.key, wireValue(value, term)]
}

/** A value of a property in wire form, for rows that have already been grouped. */
export function wireValue (value: Sql, term: Pick<GroupTerm, 'operand' | 'type' | 'period'> | GroupNumber): Sql {
  return valueJson(value, term.type, valueCodecOf(term))
}

/** The codec of a value that is one of those of its property. */
function valueCodecOf (term: Pick<GroupTerm, 'operand' | 'type' | 'period'> | GroupNumber) {
  if (term.operand?.kind !== 'scalar' || ('period' in term && term.period !== undefined)) return undefined
  const isValue = !('function' in term) || term.function === 'min' || term.function === 'max'
  return isValue ? term.operand.codec : undefined
}
