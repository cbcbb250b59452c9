/**
 * Plans to statements. Each read is one statement; its answer is JSON text that the database has written, to be sent
 * as it is. The rows wanted are found first (the page), then formatted, and only then joined to what is included.
 */
import type { EntityModel } from '../model/index.ts'
import type { CountPlan, GetPlan, ListPlan, Plan } from '../plan/index.ts'
import { conditionSql, visibility, whereClause, type ConditionContext } from './condition.ts'
import { join, name, render, sql, trusted, type Sql, type Statement } from './fragment.ts'
import { Names } from './names.ts'
import { orderBy, orderSql, type OrderExpression } from './order.ts'
import { objectJson, versionText } from './json.ts'
import { projection, recordSql, selectList, type RecordSql } from './record.ts'
import type { EntityFilter, RelationFilter } from './condition.ts'

/** What a plan needs besides itself: conditions in MikroORM's words, compiled for the alias of the rows they apply to. */
export interface Foreign {
  /** MikroORM's filters of an entity. */
  readonly filter: EntityFilter
  /** What relations say of the rows that they relate to. */
  readonly relation: RelationFilter
  /** The scope and the custom filters of this request. */
  readonly conditions: (alias: string) => readonly Sql[]
}

/** Compiles a plan. The statement depends on the plan's shape only, not on its values. */
export function compile (plan: Plan, foreign: Foreign): Statement {
  const context: ConditionContext = { names: new Names(), filter: foreign.filter, relation: foreign.relation }
  const alias = context.names.table()
  const where = whereClause([
    ...plan.conditions.map((condition) => conditionSql(condition, alias, context)),
    ...visibility(plan.model, alias, plan.withDeleted, context.filter),
    ...foreign.conditions(alias),
  ])
  const source = { alias, table: sql`${trusted(plan.model.table)} as ${name(alias)}`, where, context }
  switch (plan.kind) {
    case 'list': return render(listSql(plan, source))
    case 'get': return render(getSql(plan, source))
    case 'count': case 'exists': return render(countSql(plan, source))
  }
}

/** Where the rows of the resource come from, and which of them are wanted. */
interface Source {
  readonly alias: string
  readonly table: Sql
  readonly where: Sql
  readonly context: ConditionContext
}

const countSql = ({ kind }: CountPlan, { table, where }: Source): Sql => kind === 'count'
  ? sql`select count(*) as "count" from ${table}${where}`
  : sql`select exists (select 1 from ${table}${where}) as "exists"`

/** `item`: the record, or no row; and its `version`, where the entity has one. */
function getSql ({ selection, model }: GetPlan, { alias, table, where, context }: Source): Sql {
  if (selection.includes.length === 0) return itemSql(recordSql(selection, alias, false, context).members, model, alias, sql`${table}${where}`)
  const page = context.names.expression('page')
  const columns = projection(selection, alias)
  if (model.version !== undefined) columns.set(model.version.column, name(alias, model.version.column))
  const { members, expressions, joins } = recordSql(selection, page, true, context)
  const pageSql = sql`${name(page)} as (select ${selectList(columns)} from ${table}${where})`
  return sql`with ${join([pageSql, ...expressions])} ${itemSql(members, model, page, sql`${name(page)}${joins}`)}`
}

function itemSql (members: RecordSql['members'], model: EntityModel, alias: string, from: Sql): Sql {
  if (model.version === undefined) return sql`select ${ROW_JSON} as "item" from (select ${selectList(members)} from ${from}) as ${ROW}`
  return sql`select ${objectJson(members)}::text as "item", ${versionText(model, alias)} as "version" from ${from}`
}

const ROW = name('@row')
/** The whole row, whatever its columns are called. */
const ROW_JSON = sql`row_to_json(${ROW}.*)::text`

/** `items`: the records as the inside of a JSON array, null for none; `fetched`: how many rows there were; `total`. */
function listSql (plan: ListPlan, source: Source): Sql {
  const { alias, table, where, context } = source
  const { joins, expressions: order } = orderSql(plan.order, alias, context)
  const columns = projection(plan.selection, alias)
  const page = context.names.expression('page')
  const limits = sql` limit ${plan.fetchSlot} offset ${plan.offsetSlot}`

  if (plan.selection.includes.length === 0) {
    const { members } = recordSql(plan.selection, page, true, context)
    const pageSql = sql`(select ${selectList(columns)} from ${table}${joins}${where}${orderBy(order)}${limits}) as ${name(page)}`
    return sql`${answer(plan, source)} from ${rows(plan, sql`select ${selectList(members)} from ${pageSql}`)}`
  }

  // joining what is included may put the page out of order: it carries what it was ordered by
  const carried = order.map(({ direction }, index): OrderExpression => ({ value: name(page, sortName(index)), direction }))
  for (const [index, { value }] of order.entries()) columns.set(sortName(index), value)
  const { members, expressions, joins: includes } = recordSql(plan.selection, page, true, context)
  const pageSql = sql`${name(page)} as (select ${selectList(columns)} from ${table}${joins}${where}${orderBy(order)}${limits})`
  const rowsSql = rows(plan, sql`select ${selectList(members)} from ${name(page)}${includes}${orderBy(carried)}`)
  return sql`with ${join([pageSql, ...expressions])} ${answer(plan, source)} from ${rowsSql}`
}

const sortName = (index: number): string => `@sort${index}`

/** The rows in order, made into one text; when one row more than wanted was fetched, it is only counted. */
function rows ({ window, limitSlot }: ListPlan, select: Sql): Sql {
  const items = sql`string_agg(${ROW_JSON}, ',')`
  if (window.count !== 'none') return sql`(select ${items} as "items", count(*) as "fetched" from (${select}) as ${ROW}) as "@rows"`
  return sql`(select string_agg("item", ',') filter (where "number" <= ${limitSlot}) as "items", count(*) as "fetched" from (select ${ROW_JSON} as "item", row_number() over () as "number" from (${select}) as ${ROW}) as "@numbered") as "@rows"`
}

/**
 * The columns of the answer. The total is counted only when the page doesn't tell it: a page that is not full and not
 * empty is the last one, and an empty first page is all there is. CASE does not evaluate the branch it doesn't take.
 */
function answer ({ window, fetchSlot, offsetSlot }: ListPlan, { table, where }: Source): Sql {
  if (window.count === 'none') return sql`select "items", "fetched", null as "total"`
  const known = sql`"fetched" < ${fetchSlot} and ("fetched" > 0 or ${offsetSlot} = 0)`
  return sql`select "items", "fetched", case when ${known} then ${offsetSlot} + "fetched" else (select count(*) from ${table}${where}) end as "total"`
}
