/**
 * Compiles changes and removals of several rows. The keys and new values are JSON, which PostgreSQL reads by the types
 * of the table (`json_populate_record`). Each row that is written returns its place in the list as `at`, because a
 * statement returns rows in any order.
 */
import { merged, nextVersion, orUnchanged, recordsetValue } from './assignments.ts'
import { equalColumns, tableAs } from './columns.ts'
import { noteKnown } from './condition.ts'
import { join, literal, name, render, sql, trusted, type Sql, type Statement } from './fragment.ts'
import { selectList } from './members.ts'
import { nullRecord } from './null-record.ts'
import { hasSameKey } from './own-key.ts'
import type { Foreign } from './read.ts'
import { visibility, whereClause, type ConditionContext } from './visibility.ts'
import { writeContext, type WriteContext, type WriteForm } from './write-form.ts'
import type { DeleteEachShape, UpdateEachShape } from './write-shape.ts'
import { rowConditions } from './write-target.ts'
import { insideSql, returnedOf } from './written-rows.ts'

/** The names of the items of the list: an object of values by column, and its place. */
const [PATCH, AT] = ['patch', 'at'] as const

/** The aliases of the rows of the list, as JSON and as a record of the table. */
interface List {
  readonly items: string
  readonly record: string
  readonly from: Sql
}

/** Compiles a write of several rows, which also return their place in the list as `at`. */
export function compileEach (
  plan: UpdateEachShape | DeleteEachShape,
  foreign: Foreign,
  form: WriteForm
): Statement {
  const context = writeContext(plan, foreign, form)
  const alias = context.names.table()
  noteKnown(plan.model, alias, plan.conditions, context)
  const list = listOf(plan, context)
  const where = whereSql(plan, alias, list, foreign, context)
  const target = tableAs(plan.model.table, alias)
  const written = plan.kind === 'deleteEach'
    ? sql`delete from ${target} using ${list.from}${where}`
    : sql`update ${target} set ${join(changesSql(plan, alias, list, context))} from ${list.from}${where}`
  const returned = [
    ...returnedOf(plan, alias, false, insideSql(plan, alias, foreign, context)),
    ['at', sql`(${name(list.items, AT)} - 1)::text`] as const,
  ]
  return { ...render(sql`${written} returning ${selectList(returned)}`), columns: returned.map(([column]) => column) }
}

function listOf ({ model, rows }: UpdateEachShape | DeleteEachShape, context: ConditionContext): List {
  const [items, record] = [context.names.table(), context.names.table()]
  const list = sql`json_array_elements(${rows}::json) with ordinality as ${name(items)} (${name(PATCH)}, ${name(AT)})`
  const read = sql`json_populate_record(${nullRecord(model)}, ${name(items, PATCH)}) as ${name(record)}`
  return { items, record, from: sql`${list} cross join lateral ${read}` }
}

/** The new values of columns, among them the next version. */
function changesSql (
  { model, assignments }: UpdateEachShape,
  alias: string,
  { items, record }: List,
  context: WriteContext
): readonly Sql[] {
  const changes = assignments.map(({ column, property, always }) => {
    const value = recordsetValue(property, column, record)
    const json = merged(property, column, sql`(${value})`, alias)
    const next = json ?? value
    const own = name(alias, column)
    const kept = property.kind === 'scalar' && property.type.kind === 'json'
      ? sql`${own}::${trusted(json === undefined ? 'json' : 'jsonb')}`
      : own
    // a null in JSON is a value
    const isGiven = sql`${name(items, PATCH)} -> ${literal(column)} is not null`
    return sql`${name(column)} = ${always ? next : sql`case when ${isGiven} then ${next} else ${kept} end`}`
  })
  return orUnchanged([...changes, ...nextVersion(model, alias, context)], model, alias)
}

function whereSql (
  plan: UpdateEachShape | DeleteEachShape,
  alias: string,
  { record }: List,
  foreign: Foreign,
  context: ConditionContext
): Sql {
  return whereClause([
    hasSameKey(plan.keys, alias, record),
    ...rowConditions(plan, alias, context),
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
