/**
 * Compiles the write of new rows, or of one row: one statement, which returns the record after the write. The `where`
 * of an update or a delete contains all requirements (key, scope, soft delete, version, referenced records), so nothing
 * is read before.
 */
import { keyColumnNames, keyColumns } from '../model/index.ts'
import { assignmentsSql, newValue, recordsetSql, recordsetValue } from './assignments.ts'
import { FOR_CHANGE, tableAs } from './columns.ts'
import { conditionSql, noteKnown } from './condition.ts'
import { EMPTY, join, name, sql, trusted, type Sql, type Statement } from './fragment.ts'
import { projection, selectList } from './members.ts'
import { hasSameKey } from './own-key.ts'
import type { Foreign } from './read.ts'
import { whereClause, type ConditionContext } from './visibility.ts'
import { writeContext, type WriteContext, type WriteForm } from './write-form.ts'
import { WRITE_RESULTS, type BeforeSql } from './write-results.ts'
import type { InsertShape, OneWriteShape, UpdateShape } from './write-shape.ts'
import { referenceSql, targetSql } from './write-target.ts'

/**
 * Compiles a write. Each row returns `item` (its record), `version` if it is the only row and the entity has one, and
 * for an insert that returns keys the parts of its key as texts, in the columns of `returnedKey`.
 */
export function compileWrite (plan: OneWriteShape, foreign: Foreign, form: WriteForm): Statement {
  const context = writeContext(plan, foreign, form)
  const alias = context.names.table()
  if (plan.kind !== 'insert') noteKnown(plan.model, alias, plan.conditions, context)
  const before = plan.kind === 'update' && plan.forHooks?.previous !== undefined
    ? beforeSql(plan, alias, context)
    : undefined
  const written = writeSql(plan, alias, foreign, context, before)
  return WRITE_RESULTS[form.dialect.returns]({ plan, alias, written, before }, context, foreign, form)
}

function writeSql (
  plan: OneWriteShape,
  alias: string,
  foreign: Foreign,
  context: WriteContext,
  before: BeforeSql | undefined
): Sql {
  const target = tableAs(plan.model.table, alias)
  switch (plan.kind) {
    case 'insert':
      return insertSql(plan, alias, context)
    case 'update': {
      const where = targetSql(plan, alias, foreign, context, before === undefined ? [] : [before.isRow(alias)])
      return sql`update ${target} set ${assignmentsSql(plan, alias, context)}${before?.from ?? EMPTY}${where}`
    }
    case 'delete':
      return sql`delete from ${target}${targetSql(plan, alias, foreign, context)}`
  }
}

function insertSql (
  { model, columns, recordset, rows, references }: InsertShape,
  alias: string,
  context: ConditionContext
): Sql {
  const names = columns.map(({ column }) => name(column))
  const into = sql`insert into ${tableAs(model.table, alias)}`
  if (names.length === 0 && references.length === 0) {
    if (rows.length === 1) return sql`${into} default values`
    // several rows need the name of a column, and a key that is not given has a default
    return sql`${into} (${name(keyColumns(model)[0]!.column)}) values ${join(rows.map(() => trusted('(default)')))}`
  }
  const valuesOf = (row: InsertShape['rows'][number]): Sql =>
    join(row.map((slot, index) => slot === undefined ? trusted('default') : newValue(columns[index]!, slot)))
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

/**
 * The row that an update replaces. PostgreSQL returns old values since version 18 only. The row is locked before it is
 * read: otherwise a concurrent update could change it between the read and the write.
 */
function beforeSql (
  { model, key, forHooks }: UpdateShape,
  written: string,
  context: WriteContext
): BeforeSql {
  const [alias, row] = [context.names.table(), context.names.table()]
  const keys = keyColumnNames(model)
  const columns = projection(forHooks!.previous!, row)
  for (const column of keys) columns.set(column, name(row, column))
  const where = whereClause([
    ...key.map((condition) => conditionSql(condition, model, row, context)),
    ...context.dialect.knownOfWrite(row, context.known.of(written)),
  ])
  return {
    alias,
    columns: [...columns.keys()],
    from: sql` from (select ${selectList(columns)} from ${tableAs(model.table, row)}${where}${FOR_CHANGE}) as ${
      name(alias)
    }`,
    isRow: (written) => hasSameKey(keyColumns(model), alias, written),
  }
}
