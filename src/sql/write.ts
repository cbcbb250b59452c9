/**
 * Compiles writes. Each is one statement, which returns the record after the write. The `where` of an update or a
 * delete contains all requirements (key, scope, soft delete, version, referenced records), so nothing is read before.
 */
import { holdsHidden, keyColumns, membersOf, type EntityModel } from '../model/index.ts'
import type {
  AnyWritePlan,
  Assignment,
  DeletePlan,
  InsertPlan,
  ReferenceCheck,
  Slot,
  UpdatePlan,
  WriteTarget,
} from '../plan/index.ts'
import { bound } from './comparison.ts'
import {
  conditionSql,
  conditionContext,
  equalTo,
  tableAs,
  visibility,
  whereClause,
  type ConditionContext,
} from './condition.ts'
import { join, name, render, sql, trusted, type Sql, type Statement } from './fragment.ts'
import { objectJson, versionText } from './json.ts'
import type { Foreign } from './read.ts'
import { mergedJson } from './merged-json.ts'
import { recordSql, selectList } from './record.ts'
import { sqlTypeOf } from './wire-types.ts'

/**
 * Compiles a write. Each row returns `item` (its record), `version` if the entity has one, and after an insert the
 * parts of its key as texts: `key0`, ...
 */
export function compileWrite (plan: AnyWritePlan, foreign: Foreign): Statement {
  const context = conditionContext(plan, foreign)
  const alias = context.names.table()
  const returned = returnedOf(plan, alias, context)
  const written = writeSql(plan, alias, foreign, context)
  return { ...render(sql`${written} returning ${selectList(returned)}`), columns: returned.map(([column]) => column) }
}

function writeSql (plan: AnyWritePlan, alias: string, foreign: Foreign, context: ConditionContext): Sql {
  switch (plan.kind) {
    case 'insert':
      return insertSql(plan, alias, context)
    case 'update':
      return updateSql(plan, alias, targetSql(plan, alias, foreign, context))
    case 'delete':
      return sql`delete from ${table(plan.model, alias)}${targetSql(plan, alias, foreign, context)}`
  }
}

const table = (model: EntityModel, alias: string): Sql => tableAs(model.table, alias)

function insertSql (
  { model, columns, recordset, rows, references, discriminator }: InsertPlan,
  alias: string,
  context: ConditionContext
): Sql {
  const names = [
    ...(discriminator === undefined ? [] : [name(discriminator.column)]),
    ...columns.map(({ column }) => name(column)),
  ]
  const into = sql`insert into ${table(model, alias)}`
  if (names.length === 0 && rows.length === 1 && references.length === 0) return sql`${into} default values`
  const valuesOf = (row: InsertPlan['rows'][number]): Sql =>
    join([
      ...(discriminator === undefined ? [] : [sql`${discriminator.slot}`]),
      ...row.map((slot, index) => slot === undefined ? trusted('default') : bound(columns[index]!.property, slot)),
    ])
  const list = sql`${into} (${join(names)})`
  if (recordset !== undefined) {
    // the types of the table convert the values: the statement has one text and one value for any number of rows
    const source = context.names.table()
    const type = trusted(model.table)
    // a record of nulls instead of null: with null, a column that is not inserted would have to satisfy a domain that
    // forbids null
    const base = sql`row((null::${type}).*)::${type}`
    return sql`${list} select ${
      join(columns.map(({ column, property }) => recordsetValue(property, column, source)))
    } from json_populate_recordset(${base}, ${recordset}::json) as ${name(source)}`
  }
  if (references.length === 0) return sql`${list} values ${join(rows.map((row) => sql`(${valuesOf(row)})`))}`
  return sql`${list} select ${valuesOf(rows[0]!)}${
    whereClause(references.map((reference) => referenceSql(reference, alias, context)))
  }`
}

/** A value of a recordset. */
function recordsetValue (property: Assignment['property'], column: string, source: string): Sql {
  const value = name(source, column)
  return property.kind === 'scalar' ? sqlTypeOf(property.type).fromRecordset(value) : value
}

/**
 * The test that a referenced record exists and is neither deleted nor filtered out, or that the row already refers to
 * it.
 *
 * @param row the alias of the row that is written
 */
function referenceSql (
  { target, columns, slots, present }: ReferenceCheck,
  row: string,
  context: ConditionContext
): Sql {
  const alias = context.names.table()
  const where = whereClause([equalTo(alias, columns, slots), ...visibility(target, alias, 'without', context.filter)])
  const visible = sql`exists (select 1 from ${table(target, alias)}${where})`
  return present === undefined ? visible : sql`(${equalTo(row, present, slots)} or ${visible})`
}

function updateSql ({ model, assignments }: UpdatePlan, alias: string, where: Sql): Sql {
  const set = ({ column, property, slot }: Assignment): Sql =>
    sql`${name(column)} = ${assigned(property, column, slot, alias)}`
  return sql`update ${table(model, alias)} set ${join([...assignments.map(set), ...nextVersion(model, alias)])}${where}`
}

/** The new value of a column. Hidden members of an embedded object keep their values. */
function assigned (property: Assignment['property'], column: string, slot: Slot, alias: string): Sql {
  const members = property.kind === 'scalar' ? membersOf(property) : undefined
  return members !== undefined && holdsHidden(members)
    ? mergedJson(sql`${slot}::jsonb`, sql`${name(alias, column)}::jsonb`, members)
    : bound(property, slot)
}

function nextVersion ({ version }: EntityModel, alias: string): Sql[] {
  if (version === undefined) return []
  const next = sqlTypeOf(version.type).nextVersion(name(alias, version.column))
  return [sql`${name(version.column)} = ${next}`]
}

function targetSql (
  { model, conditions, deleted, versions, references }:
    & WriteTarget
    & Pick<UpdatePlan | DeletePlan, 'model' | 'references'>,
  alias: string,
  foreign: Foreign,
  context: ConditionContext
): Sql {
  const where = conditions.map((condition) => conditionSql(condition, model, alias, context))
  where.push(...visibility(model, alias, deleted, context.filter))
  if (versions !== undefined) where.push(sql`${versionText(model, alias)} = any(${versions})`)
  where.push(...references.map((reference) => referenceSql(reference, alias, context)), ...foreign.conditions(alias))
  return whereClause(where)
}

/** The columns that each row returns, by name. All are texts. */
function returnedOf (
  { kind, selection, model }: AnyWritePlan,
  alias: string,
  context: ConditionContext
): (readonly [name: string, value: Sql])[] {
  const { members } = recordSql(selection, alias, false, context)
  const returned: (readonly [name: string, value: Sql])[] = [['item', sql`${objectJson(members)}::text`]]
  if (model.version !== undefined) returned.push(['version', versionText(model, alias)])
  if (kind === 'insert') {
    for (const [index, { column }] of keyColumns(model).entries()) {
      returned.push([`key${index}`, sql`${name(alias, column)}::text`])
    }
  }
  return returned
}
