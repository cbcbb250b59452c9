/**
 * How the rows of a write become what it returns: the statement returns the records itself, or columns of which another
 * expression makes the records. The dialect of the server decides.
 */
import { keyColumns } from '../model/index.ts'
import type { Dialect } from './dialect.ts'
import { EMPTY, name, render, sql, type Sql, type Statement } from './fragment.ts'
import { SEVERAL, textIf } from './inside.ts'
import { projection, selectList } from './members.ts'
import type { Foreign } from './read.ts'
import type { ConditionContext } from './visibility.ts'
import type { WriteForm } from './write-form.ts'
import type { OneWriteShape } from './write-shape.ts'
import { insideSql, returnedOf, valuesForHooks } from './written-rows.ts'

/** A write without what it returns. */
interface WriteSql {
  readonly plan: OneWriteShape
  /** The alias of the table. */
  readonly alias: string
  readonly written: Sql
  readonly before: BeforeSql | undefined
}

/** The row that an update replaces. */
export interface BeforeSql {
  readonly alias: string
  /** The names of its columns. */
  readonly columns: readonly string[]
  /** A clause behind the assignments. */
  readonly from: Sql
  /** The condition that it is the row to write. */
  readonly isRow: (alias: string) => Sql
}

type WriteResult = (write: WriteSql, context: ConditionContext, foreign: Foreign, form: WriteForm) => Statement

export const WRITE_RESULTS: { readonly [Returns in Dialect['returns']]: WriteResult } = {
  records: returnRecords,
  columns: returnColumns,
}

function returnRecords (
  { plan, alias, written, before }: WriteSql,
  context: ConditionContext,
  foreign: Foreign,
  { keysRepeat }: WriteForm
): Statement {
  const returned = [
    ...returnedOf(plan, alias, false, insideSql(plan, alias, foreign, context)),
    ...valuesForHooks(plan, alias, false, before?.alias),
  ]
  const columns = returned.map(([column]) => column)
  const statement = sql`${written} returning ${selectList(returned)}`
  return {
    ...render(keysRepeat && plan.kind !== 'insert' ? ofOneRow(statement, columns, context) : statement),
    columns,
  }
}

/** A write that fails if it returns more than one row. All of its columns are texts. */
function ofOneRow (written: Sql, columns: readonly string[], context: ConditionContext): Sql {
  const rows = context.names.expression('written')
  const isOne = sql`(select count(*) from ${name(rows)}) = 1`
  const texts = columns.map((column) => [column, textIf(isOne, name(rows, column), SEVERAL)] as const)
  return sql`with ${name(rows)} as (${written}) select ${selectList(texts)} from ${name(rows)}`
}

/**
 * The write returns columns to an expression, and the records are made of its rows. This form ignores `keysRepeat`,
 * because a server that needs the form does not accept the test for several rows with one key.
 */
function returnColumns ({ plan, alias, written, before }: WriteSql, context: ConditionContext): Statement {
  const { model, selection } = plan
  const rows = context.names.expression('written')
  const { whole, previous } = plan.forHooks ?? {}
  const columns = projection(selection, alias)
  for (const selection of [whole, plan.kind === 'delete' ? previous : undefined]) {
    if (selection === undefined) continue
    for (const [column, value] of projection(selection, alias)) columns.set(column, value)
  }
  for (const column of before?.columns ?? []) columns.set(`@before_${column}`, name(before!.alias, column))
  if (model.version !== undefined) columns.set(model.version.column, name(alias, model.version.column))
  for (const { column } of keyColumns(model)) columns.set(column, name(alias, column))
  const returned = [...returnedOf(plan, rows, true), ...valuesForHooks(plan, rows, true, before?.alias)]
  const expression = sql`${name(rows)} as (${written} returning ${selectList(columns)})`
  const again = before === undefined
    ? EMPTY
    : sql` cross join lateral (select ${
      selectList(before.columns.map((column) => [column, name(rows, `@before_${column}`)] as const))
    }) as ${name(before.alias)}`
  return {
    ...render(sql`with ${expression} select ${selectList(returned)} from ${name(rows)}${again}`),
    columns: returned.map(([column]) => column),
  }
}
