/**
 * Compiles upserts: an update, and an insert of what it has not updated, in one statement. The insert does nothing if a
 * row with the key is in the way, which the update may not see or which has been inserted in the meantime.
 *
 * `on conflict do update` would do with one look-up less. But it checks the values of a present row as if it were new,
 * with the defaults of the table in place of the values that it has, and takes a value of a sequence for each row.
 */
import type { EntityModel } from '../model/index.ts'
import { assignmentsSql, merged, newValue, nextVersion, recordsetSql, recordsetValue } from './assignments.ts'
import { keyName, tableAs } from './columns.ts'
import { noteKnown } from './condition.ts'
import { EMPTY, join, name, render, sql, trusted, type Sql, type Statement } from './fragment.ts'
import { IN_THE_WAY, textIf } from './inside.ts'
import { selectList } from './members.ts'
import { hasNamedKey, hasSameKey } from './own-key.ts'
import type { Foreign } from './read.ts'
import { whereClause, type ConditionContext } from './visibility.ts'
import { writeContext, type WriteContext, type WriteForm } from './write-form.ts'
import type { UpsertManyShape, UpsertShape } from './write-shape.ts'
import { referenceSql, targetSql } from './write-target.ts'
import { insideSql, returnedOf } from './written-rows.ts'

type Returned = readonly (readonly [name: string, value: Sql])[]

/** Whether a row was inserted, beside what each write returns: `item`, `version`, and its key. */
const CREATED = 'created'

/** Compiles the upsert of one row. It returns no row if one is in the way. */
export function compileUpsert (plan: UpsertShape, foreign: Foreign, form: WriteForm): Statement {
  const { assignments, insert, conditions, model } = plan
  const context = writeContext(plan, foreign, form)
  const columns: string[] = []
  const returning = (alias: string, created: boolean): Sql => {
    const returned = returnedBy(plan, alias, created, foreign, context)
    if (columns.length === 0) columns.push(...returned.map(([column]) => column))
    return sql` returning ${selectList(returned)}`
  }
  const update = (): Sql => {
    const alias = context.names.table()
    noteKnown(model, alias, conditions, context)
    const where = targetSql(plan, alias, foreign, context)
    const set = assignmentsSql({ model, assignments: assignments! }, alias, context)
    return sql`update ${tableAs(model.table, alias)} set ${set}${where}${returning(alias, false)}`
  }
  const insertUnless = (updated: string | undefined): Sql => {
    const alias = context.names.table()
    return sql`${insertSql(plan, insert!, alias, updated, context)}${returning(alias, true)}`
  }
  if (insert === undefined) return { ...render(update()), columns }
  if (assignments === undefined) return { ...render(insertUnless(undefined)), columns }
  const [updated, inserted] = [context.names.expression('updated'), context.names.expression('inserted')]
  const statement = sql`with ${name(updated)} as (${update()}), ${name(inserted)} as (${insertUnless(updated)}) ${
    bothOf(updated, inserted)
  }`
  return { ...render(statement), columns }
}

const bothOf = (updated: string, inserted: string): Sql =>
  sql`select * from ${name(updated)} union all select * from ${name(inserted)}`

function insertSql (
  { model, on }: UpsertShape,
  { columns, slots, references }: NonNullable<UpsertShape['insert']>,
  alias: string,
  updated: string | undefined,
  context: ConditionContext
): Sql {
  const names = columns.map(({ column }) => name(column))
  const values = columns.map((column, index) => newValue(column, slots[index]!))
  const where = whereClause([
    ...updated === undefined ? [] : [sql`not exists (select 1 from ${name(updated)})`],
    ...references.map((reference) => referenceSql(reference, alias, context)),
  ])
  const into = sql`insert into ${tableAs(model.table, alias)} (${join(names)})`
  return sql`${into} select ${join(values)}${where}${onConflict(on)}`
}

const onConflict = ({ columns }: UpsertShape['on']): Sql =>
  sql` on conflict (${join(columns.map(({ column }) => name(column)))}) do nothing`

/** What the rows of one of the writes return. */
function returnedBy (
  plan: UpsertShape | UpsertManyShape,
  alias: string,
  created: boolean,
  foreign: Foreign,
  context: ConditionContext
): Returned {
  return [
    ...returnedOf(plan, alias, false, insideSql(plan, alias, foreign, context)),
    [CREATED, trusted(`'${created}'::text`)],
  ]
}

/** The place of a given row in the list. */
const PLACE = '@place'

/** The column of a given row that has the value for an update, if that differs. */
const ownName = (column: string): string => `@own_${column}`

/** Compiles the upsert of several rows. It fails if a row is in the way of one of them, and returns them in order. */
export function compileUpsertMany (plan: UpsertManyShape, foreign: Foreign, form: WriteForm): Statement {
  const { model, columns, assignments, on } = plan
  const context = writeContext(plan, foreign, form)
  const expressions: Sql[] = []
  const express = (what: string, body: Sql): string => {
    const expression = context.names.expression(what)
    expressions.push(sql`${name(expression)} as (${body})`)
    return expression
  }
  const given = express('given', givenSql(plan, context))
  const results: { returned: Returned, rows: Sql, source: string }[] = []
  let updated: string | undefined
  if (assignments !== undefined) {
    const alias = context.names.table()
    const source = context.names.table()
    const returned = returnedBy(plan, alias, false, foreign, context)
    const where = targetSql(plan, alias, foreign, context, [hasSameKey(on.columns, alias, source)])
    updated = express(
      'updated',
      sql`update ${tableAs(model.table, alias)} set ${givenAssignments(plan, alias, source, context)} from ${
        name(given)
      } as ${name(source)}${where} returning ${selectList([...returned, [PLACE, name(source, PLACE)]])}`
    )
    results.push({ returned, rows: sql`select * from ${name(updated)}`, source: updated })
  }
  if (columns !== undefined) {
    const alias = context.names.table()
    const source = context.names.table()
    const returned = returnedBy(plan, alias, true, foreign, context)
    const isNew = updated === undefined
      ? EMPTY
      : sql` where not exists (select 1 from ${name(updated)} where ${name(updated, PLACE)} = ${name(source, PLACE)})`
    const names = columns.map(({ column }) => column)
    const parts = on.columns.map(({ column }, index) => [keyName(index), name(alias, column)] as const)
    const inserted = express(
      'inserted',
      sql`insert into ${tableAs(model.table, alias)} (${join(names.map((column) => name(column)))}) select ${
        join(names.map((column) => name(source, column)))
      } from ${name(given)} as ${name(source)}${isNew}${onConflict(on)} returning ${
        selectList([...returned, ...parts])
      }`
    )
    const rows = hasNamedKey(on.columns, inserted, given)
    const shown = join([...returned.map(([column]) => name(inserted, column)), name(given, PLACE)])
    results.push({
      returned,
      rows: sql`select ${shown} from ${name(inserted)} join ${name(given)} on ${rows}`,
      source: inserted,
    })
  }
  const written = express('written', join(results.map(({ rows }) => rows), ' union all '))
  // two given rows with one key are one inserted row, and the join returns it for both
  const done = join(results.map(({ source }) => countOf(source)), ' + ')
  const isWhole = sql`${countOf(written)} = ${plan.count} and ${done} = ${plan.count}`
  const shown = results[0]!.returned.map(([column]) => {
    const value = name(written, column)
    return [column, column === 'item' ? textIf(isWhole, value, IN_THE_WAY) : value] as const
  })
  const statement = sql`with ${join(expressions)} select ${selectList(shown)} from ${name(written)} order by ${
    name(written, PLACE)
  }`
  return { ...render(statement), columns: shown.map(([column]) => column) }
}

const countOf = (rows: string): Sql => sql`(select count(*) from ${name(rows)})`

/** The rows of the two recordsets, side by side, with their places. */
function givenSql (
  { model, on, columns = [], assignments = [], given, own }: UpsertManyShape,
  context: ConditionContext
): Sql {
  const base = context.names.table()
  const shared = new Map(
    [...columns, ...assignments.filter((assignment) => !assignment.own)]
      .map(({ column, property }) => [column, recordsetValue(property, column, base)])
  )
  for (const { column } of on.columns) if (!shared.has(column)) shared.set(column, name(base, column))
  const place = name(base, PLACE)
  const list: (readonly [string, Sql])[] = [...shared, [PLACE, place]]
  const from = [rowsOf(model, given, base)]
  let where = EMPTY
  if (own !== undefined) {
    const other = context.names.table()
    for (const { column, property, own } of assignments) {
      if (own) list.push([ownName(column), recordsetValue(property, column, other)])
    }
    from.push(rowsOf(model, own, other))
    where = sql` where ${place} = ${name(other, PLACE)}`
  }
  return sql`select ${selectList(list)} from ${join(from)}${where}`
}

/** The rows of a recordset with their places. */
const rowsOf = (model: EntityModel, slots: UpsertManyShape['given'], alias: string): Sql =>
  sql`(select *, row_number() over () as ${name(PLACE)} from ${recordsetSql(model, slots)}) as ${name(alias)}`

function givenAssignments (
  { model, assignments }: UpsertManyShape,
  alias: string,
  source: string,
  context: WriteContext
): Sql {
  const set = assignments!.map(({ column, property, own }) => {
    const value = name(source, own ? ownName(column) : column)
    return sql`${name(column)} = ${merged(property, column, value, alias) ?? value}`
  })
  return join([...set, ...nextVersion(model, alias, context)])
}
