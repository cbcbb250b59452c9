/**
 * Compiles the write of new rows, or of one row: one statement, which returns the record after the write. The `where`
 * of an update or a delete contains all requirements (key, scope, soft delete, version, referenced records), so nothing
 * is read before.
 */
import { keyColumns } from '../model/index.ts'
import { assignmentsSql, recordsetSql, recordsetValue } from './assignments.ts'
import { tableAs } from './columns.ts'
import { bound } from './comparison.ts'
import { conditionContext, conditionSql, noteKnown } from './condition.ts'
import type { Dialect } from './dialect.ts'
import { EMPTY, join, name, render, sql, trusted, type Sql, type Statement } from './fragment.ts'
import { SEVERAL, textIf } from './inside.ts'
import { knownSql } from './known-columns.ts'
import { projection, selectList } from './members.ts'
import type { Foreign } from './read.ts'
import { whereClause, type ConditionContext } from './visibility.ts'
import type { WriteForm } from './write-form.ts'
import type { InsertShape, OneWriteShape, UpdateShape } from './write-shape.ts'
import { referenceSql, targetSql } from './write-target.ts'
import { insideSql, returnedOf, toldOf } from './written-rows.ts'

/**
 * Compiles a write. Each row returns `item` (its record), `version` if the entity has one, and for an insert that
 * returns keys the parts of its key as texts: `key0`, ...
 */
export function compileWrite (plan: OneWriteShape, foreign: Foreign, { dialect, keysRepeat }: WriteForm): Statement {
  const context = conditionContext(plan, foreign)
  const alias = context.names.table()
  if (plan.kind !== 'insert') noteKnown(plan.model, alias, plan.conditions, context)
  const before = plan.kind === 'update' && plan.told?.previous !== undefined
    ? beforeSql(plan, alias, dialect, context)
    : undefined
  const written = writeSql(plan, alias, foreign, dialect, context, before)
  if (dialect === 'distributed') return fromExpression(plan, alias, written, context, before)
  const inside = insideSql(plan, alias, foreign, context)
  const returned = [
    ...returnedOf(plan, alias, false, context, inside),
    ...toldOf(plan, alias, false, context, before?.alias),
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

/** The write returns columns to an expression, and the records are made of its rows. */
function fromExpression (
  plan: OneWriteShape,
  alias: string,
  written: Sql,
  context: ConditionContext,
  before: BeforeSql | undefined
): Statement {
  const { model, selection } = plan
  const rows = context.names.expression('written')
  const { whole, previous } = plan.told ?? {}
  const columns = projection(selection, alias)
  for (const told of [whole, plan.kind === 'delete' ? previous : undefined]) {
    if (told !== undefined) { for (const [column, value] of projection(told, alias)) columns.set(column, value) }
  }
  for (const column of before?.columns ?? []) columns.set(`@before_${column}`, name(before!.alias, column))
  if (model.version !== undefined) columns.set(model.version.column, name(alias, model.version.column))
  for (const { column } of keyColumns(model)) columns.set(column, name(alias, column))
  const returned = [...returnedOf(plan, rows, true, context), ...toldOf(plan, rows, true, context, before?.alias)]
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

function writeSql (
  plan: OneWriteShape,
  alias: string,
  foreign: Foreign,
  dialect: Dialect,
  context: ConditionContext,
  before: BeforeSql | undefined
): Sql {
  switch (plan.kind) {
    case 'insert':
      return insertSql(plan, alias, context)
    case 'update':
      return updateSql(
        plan,
        alias,
        targetSql(plan, alias, foreign, dialect, context, before === undefined ? [] : [before.isRow(alias)]),
        dialect,
        before
      )
    case 'delete':
      return sql`delete from ${tableAs(plan.model.table, alias)}${targetSql(plan, alias, foreign, dialect, context)}`
  }
}

function insertSql (
  { model, columns, recordset, rows, references, discriminator }: InsertShape,
  alias: string,
  context: ConditionContext
): Sql {
  const names = [
    ...(discriminator === undefined ? [] : [name(discriminator.column)]),
    ...columns.map(({ column }) => name(column)),
  ]
  const into = sql`insert into ${tableAs(model.table, alias)}`
  if (names.length === 0 && references.length === 0) {
    if (rows.length === 1) return sql`${into} default values`
    // several rows need the name of a column, and a key that is not given has a default
    return sql`${into} (${name(keyColumns(model)[0]!.column)}) values ${join(rows.map(() => trusted('(default)')))}`
  }
  const valuesOf = (row: InsertShape['rows'][number]): Sql =>
    join([
      ...(discriminator === undefined ? [] : [sql`${discriminator.slot}`]),
      ...row.map((slot, index) => slot === undefined ? trusted('default') : bound(columns[index]!.property, slot)),
    ])
  const list = sql`${into} (${join(names)})`
  if (recordset !== undefined) {
    const source = context.names.table()
    return sql`${list} select ${
      join(columns.map(({ column, property }) => recordsetValue(property, column, source)))
    } from ${recordsetSql(model, recordset)} as ${name(source)}`
  }
  if (references.length === 0) return sql`${list} values ${join(rows.map((row) => sql`(${valuesOf(row)})`))}`
  return sql`${list} select ${valuesOf(rows[0]!)}${
    whereClause(references.map((reference) => referenceSql(reference, alias, context)))
  }`
}

/** The lock that an update takes. Unlike `for update`, it lets other transactions insert rows that refer to the row. */
const FOR_CHANGE = trusted(' for no key update')

/** The row that an update replaces. */
interface BeforeSql {
  readonly alias: string
  /** The names of its columns. */
  readonly columns: readonly string[]
  /** A clause behind the assignments. */
  readonly from: Sql
  /** The condition that it is the row to write. */
  readonly isRow: (alias: string) => Sql
}

/**
 * The row that an update replaces. PostgreSQL returns old values since version 18 only. The row is locked before it is
 * read: otherwise a concurrent update could change it between the read and the write.
 */
function beforeSql (
  { model, key, told }: UpdateShape,
  written: string,
  dialect: Dialect,
  context: ConditionContext
): BeforeSql {
  const [alias, row] = [context.names.table(), context.names.table()]
  const keys = keyColumns(model).map(({ column }) => column)
  const columns = projection(told!.previous!, row)
  for (const column of keys) columns.set(column, name(row, column))
  const where = whereClause([
    ...key.map((condition) => conditionSql(condition, model, row, context)),
    // without them, a distributed server would look for the row in all parts of the table
    ...dialect === 'distributed' ? knownSql(row, context.known.of(written)) : [],
  ])
  return {
    alias,
    columns: [...columns.keys()],
    from: sql` from (select ${selectList(columns)} from ${tableAs(model.table, row)}${where}${FOR_CHANGE}) as ${
      name(alias)
    }`,
    isRow: (written) => join(keys.map((column) => sql`${name(alias, column)} = ${name(written, column)}`), ' and '),
  }
}

function updateSql (
  plan: UpdateShape,
  alias: string,
  where: Sql,
  dialect: Dialect,
  before: BeforeSql | undefined
): Sql {
  const changes = assignmentsSql(plan, alias, dialect)
  return sql`update ${tableAs(plan.model.table, alias)} set ${changes}${before?.from ?? EMPTY}${where}`
}
