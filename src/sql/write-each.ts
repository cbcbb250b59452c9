/**
 * Compiles changes and removals of several rows. The keys and new values are JSON, which PostgreSQL reads by the types
 * of the table (`json_populate_record`). Each row that is written returns its place in the list as `at`, because a
 * statement returns rows in any order.
 */
import { holdsHidden, membersOf } from '../model/index.ts'
import { equalColumns, tableAs } from './columns.ts'
import { conditionSql } from './condition.ts'
import { join, literal, name, sql, trusted, type Sql } from './fragment.ts'
import type { Foreign } from './read.ts'
import { mergedJson } from './merged-json.ts'
import { nullRecord } from './null-record.ts'
import type { DeleteEachShape, UpdateEachShape } from './shape.ts'
import { visibility, whereClause, type ConditionContext } from './visibility.ts'
import { sqlTypeOf } from './wire-types.ts'

/** The names of the items of the list: an object of values by column, and its place. */
const [PATCH, AT] = ['patch', 'at'] as const

/** The aliases of the rows of the list, as JSON and as a record of the table. */
interface List {
  readonly items: string
  readonly record: string
  readonly from: Sql
}

/**
 * The statement without what it returns, and the place of a row in the list.
 *
 * @param further assignments that all rows have, such as that of the next version
 */
export function eachSql (
  plan: UpdateEachShape | DeleteEachShape,
  alias: string,
  further: readonly Sql[],
  foreign: Foreign,
  context: ConditionContext
): { readonly written: Sql, readonly at: Sql } {
  const list = listOf(plan, context)
  const where = whereSql(plan, alias, list, foreign, context)
  const target = tableAs(plan.model.table, alias)
  const written = plan.kind === 'deleteEach'
    ? sql`delete from ${target} using ${list.from}${where}`
    : sql`update ${target} set ${join([...changesSql(plan, alias, list), ...further])} from ${list.from}${where}`
  return { written, at: sql`(${name(list.items, AT)} - 1)::text` }
}

function listOf ({ model, rows }: UpdateEachShape | DeleteEachShape, context: ConditionContext): List {
  const [items, record] = [context.names.table(), context.names.table()]
  const list = sql`json_array_elements(${rows}::json) with ordinality as ${name(items)} (${name(PATCH)}, ${name(AT)})`
  const read = sql`json_populate_record(${nullRecord(model)}, ${name(items, PATCH)}) as ${name(record)}`
  return { items, record, from: sql`${list} cross join lateral ${read}` }
}

function changesSql ({ assignments }: UpdateEachShape, alias: string, { items, record }: List): Sql[] {
  return assignments.map(({ column, property, always }) => {
    const [given, own] = [name(record, column), name(alias, column)]
    const members = property.kind === 'scalar' ? membersOf(property) : undefined
    const value = property.kind === 'scalar' ? sqlTypeOf(property.type).fromRecordset(given) : given
    const next = members !== undefined && holdsHidden(members)
      ? mergedJson(sql`(${value})::jsonb`, sql`${own}::jsonb`, members)
      : value
    const kept = property.kind === 'scalar' && property.type.kind === 'json'
      ? sql`${own}::${trusted(members !== undefined && holdsHidden(members) ? 'jsonb' : 'json')}`
      : own
    // a null in JSON is a value
    const isGiven = sql`${name(items, PATCH)} -> ${literal(column)} is not null`
    return sql`${name(column)} = ${always ? next : sql`case when ${isGiven} then ${next} else ${kept} end`}`
  })
}

function whereSql (
  plan: UpdateEachShape | DeleteEachShape,
  alias: string,
  { record }: List,
  foreign: Foreign,
  context: ConditionContext
): Sql {
  const { model, keys, conditions, deleted } = plan
  const columns = keys.map(({ column }) => column)
  return whereClause([
    equalColumns(alias, columns, record, columns),
    ...conditions.map((condition) => conditionSql(condition, model, alias, context)),
    ...visibility(model, alias, deleted, context.filter),
    ...(plan.kind === 'updateEach' ? plan.references : []).map((relation) => {
      const target = context.names.table()
      const { columns: own, targetColumns } = relation.join
      const visible = whereClause([
        equalColumns(target, targetColumns, record, own),
        ...visibility(relation.target, target, 'without', context.filter),
      ])
      const exists = sql`exists (select 1 from ${tableAs(relation.target.table, target)}${visible})`
      // a relation that a row does not name, or sets to null, has nulls
      const isNull = join(own.map((column) => sql`${name(record, column)} is null`), ' or ')
      return sql`(${isNull} or ${equalColumns(alias, own, record, own)} or ${exists})`
    }),
    ...foreign.conditions(alias),
  ])
}
