/**
 * Compiles writes. Each is one statement, which returns the record after the write. The `where` of an update or a
 * delete contains all requirements (key, scope, soft delete, version, referenced records), so nothing is read before.
 */
import { columnsOf, holdsHidden, keyColumns, membersOf, type EntityModel } from '../model/index.ts'
import type { Assignment, CheckedRows, ReferenceCheck, Slot, WriteTarget } from '../plan/index.ts'
import { bound } from './comparison.ts'
import { equalTo, tableAs } from './columns.ts'
import { conditionSql, conditionContext, noteKnown } from './condition.ts'
import { EMPTY, join, name, render, sql, trusted, type Sql, type Statement } from './fragment.ts'
import { column, objectJson, versionText } from './json.ts'
import type { Dialect } from './dialect.ts'
import { OUTSIDE, SEVERAL, textIf } from './inside.ts'
import { knownSql } from './known-columns.ts'
import type { Foreign } from './read.ts'
import { mergedJson } from './merged-json.ts'
import { nullRecord } from './null-record.ts'
import { ownMembers, projection, selectList } from './members.ts'
import { recordSql } from './record.ts'
import type {
  DeleteEachShape, InsertShape, OneWriteShape, RowWriteShape, UpdateEachShape, UpdateShape, WriteShape,
} from './shape.ts'
import { visibility, whereClause, type ConditionContext } from './visibility.ts'
import { sqlTypeOf } from './wire-types.ts'
import { eachSql } from './write-each.ts'
import type { WriteForm } from './write-form.ts'

/**
 * Compiles a write. Each row returns `item` (its record), `version` if the entity has one, and for an insert that
 * returns keys the parts of its key as texts: `key0`, ...
 */
export function compileWrite (plan: RowWriteShape, foreign: Foreign, { dialect, keysRepeat }: WriteForm): Statement {
  const context = conditionContext(plan, foreign)
  const alias = context.names.table()
  if (plan.kind !== 'insert') noteKnown(plan.model, alias, plan.conditions, context)
  if (plan.kind === 'updateEach' || plan.kind === 'deleteEach') return compileEach(plan, alias, foreign, context)
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

/** A write of several rows, which also return their place in the list as `at`. */
function compileEach (
  plan: UpdateEachShape | DeleteEachShape,
  alias: string,
  foreign: Foreign,
  context: ConditionContext
): Statement {
  const { model } = plan
  const next = nextVersion(model, alias, 'postgresql')
  const changesNothing = plan.kind === 'updateEach' && plan.assignments.length === 0 && next.length === 0
  const further = changesNothing ? unchanged(model, alias) : next
  const { written, at } = eachSql(plan, alias, further, foreign, context)
  const returned = returnedOf(plan, alias, false, context, insideSql(plan, alias, foreign, context))
  returned.push(['at', at])
  return { ...render(sql`${written} returning ${selectList(returned)}`), columns: returned.map(([column]) => column) }
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
      return sql`delete from ${table(plan.model, alias)}${targetSql(plan, alias, foreign, dialect, context)}`
  }
}

export const table = (model: EntityModel, alias: string): Sql => tableAs(model.table, alias)

function insertSql (
  { model, columns, recordset, rows, references, discriminator }: InsertShape,
  alias: string,
  context: ConditionContext
): Sql {
  const names = [
    ...(discriminator === undefined ? [] : [name(discriminator.column)]),
    ...columns.map(({ column }) => name(column)),
  ]
  const into = sql`insert into ${table(model, alias)}`
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

/**
 * The rows of a recordset. The types of the table convert the values: the statement has one text and two values for any
 * number of rows.
 */
export function recordsetSql (model: EntityModel, { common, rows }: NonNullable<InsertShape['recordset']>): Sql {
  // the values that are the same in all rows are the defaults of each
  return sql`json_populate_recordset(json_populate_record(${nullRecord(model)}, ${common}::json), ${rows}::json)`
}

/** A value of a recordset. */
export function recordsetValue (property: Assignment['property'], column: string, source: string): Sql {
  const value = name(source, column)
  return property.kind === 'scalar' ? sqlTypeOf(property.type).fromRecordset(value) : value
}

/**
 * The test that a referenced record exists and is neither deleted nor filtered out, or that the row already refers to
 * it.
 *
 * @param row the alias of the row that is written
 */
export function referenceSql (
  { target, columns, slots, present }: ReferenceCheck,
  row: string,
  context: ConditionContext
): Sql {
  const alias = context.names.table()
  const where = whereClause([equalTo(alias, columns, slots), ...visibility(target, alias, 'without', context.filter)])
  const visible = sql`exists (select 1 from ${table(target, alias)}${where})`
  return present === undefined ? visible : sql`(${equalTo(row, present, slots)} or ${visible})`
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
    from: sql` from (select ${selectList(columns)} from ${table(model, row)}${where}${FOR_CHANGE}) as ${name(alias)}`,
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
  return sql`update ${table(plan.model, alias)} set ${changes}${before?.from ?? EMPTY}${where}`
}

/** The new values of columns, among them the next version. */
export function assignmentsSql (
  { model, assignments }: Pick<UpdateShape, 'model' | 'assignments'>,
  alias: string,
  dialect: Dialect
): Sql {
  const set = ({ column, property, slot }: Assignment): Sql =>
    sql`${name(column)} = ${merged(property, column, sql`${slot}`, alias) ?? bound(property, slot)}`
  const changes = [...assignments.map(set), ...nextVersion(model, alias, dialect)]
  // the row is locked, and its triggers run, although no column has another value
  return join(changes.length === 0 ? unchanged(model, alias) : changes)
}

/** A column that keeps its value. */
function unchanged ({ properties }: EntityModel, alias: string): readonly Sql[] {
  const [column] = [...properties.values()].filter(({ write }) => write.persisted).flatMap(columnsOf)
  return column === undefined ? [] : [sql`${name(column)} = ${name(alias, column)}`]
}

/** The new value of an embedded object that has hidden members: they keep their values. */
export function merged (
  property: Assignment['property'],
  column: string,
  value: Sql,
  alias: string
): Sql | undefined {
  const members = property.kind === 'scalar' ? membersOf(property) : undefined
  return members !== undefined && holdsHidden(members)
    ? mergedJson(sql`${value}::jsonb`, sql`${name(alias, column)}::jsonb`, members)
    : undefined
}

export function nextVersion ({ version }: EntityModel, alias: string, dialect: Dialect): Sql[] {
  if (version === undefined) return []
  // a distributed server takes no function that may return another value for each row
  const next = dialect === 'distributed' && version.type.kind === 'datetime'
    ? trusted('now()')
    : sqlTypeOf(version.type).nextVersion(name(alias, version.column))
  return [sql`${name(version.column)} = ${next}`]
}

/** The test that the row has one of the versions. */
function versionSql (model: EntityModel, alias: string, versions: Slot, dialect: Dialect): Sql {
  const { version } = model
  if (dialect === 'distributed' && version?.type.kind === 'datetime') {
    // a distributed server formats no columns in the condition of a write
    const moment = version.type.zoned ? sql`(${column(version, alias)} at time zone 'UTC')` : column(version, alias)
    return sql`${moment} = any(${versions}::timestamp[])`
  }
  return sql`${versionText(model, alias)} = any(${versions})`
}

export function targetSql (
  { model, conditions, deleted, versions, references }:
    & Omit<WriteTarget, 'key'>
    & Pick<UpdateShape, 'model' | 'references'>,
  alias: string,
  foreign: Foreign,
  dialect: Dialect,
  context: ConditionContext,
  further: readonly Sql[] = []
): Sql {
  const where = [
    ...further,
    ...rowConditions({ model, conditions, deleted }, alias, context).map((compiled, index) =>
      conditions[index]?.kind === 'key' ? compiled : opaque(compiled, dialect)
    ),
  ]
  if (versions !== undefined) where.push(opaque(versionSql(model, alias, versions, dialect), dialect))
  where.push(
    ...references.map((reference) => referenceSql(reference, alias, context)),
    ...foreign.conditions(alias).map((condition) => opaque(condition, dialect))
  )
  return whereClause(where)
}

/** The conditions of a plan, in their order, and then those for a visible row. */
export function rowConditions (
  { model, conditions, deleted }: Pick<WriteTarget, 'conditions' | 'deleted'> & { readonly model: EntityModel },
  alias: string,
  context: ConditionContext
): Sql[] {
  return [
    ...conditions.map((condition) => conditionSql(condition, model, alias, context)),
    ...visibility(model, alias, deleted, context.filter),
  ]
}

/**
 * A distributed server cannot run a write whose conditions on the distribution column contradict each other: it must
 * not see them, except those of the key.
 */
export function opaque (condition: Sql, dialect: Dialect): Sql {
  return dialect === 'distributed' ? sql`(${condition}) is true` : condition
}

/** The condition that written rows must fulfil, if the statement checks it. */
export function insideSql (
  plan: CheckedRows & { readonly model: EntityModel },
  alias: string,
  foreign: Foreign,
  context: ConditionContext
): Sql | undefined {
  if (plan.inside === undefined) return foreign.inside?.(alias)
  if (plan.inside.length === 0) return undefined
  return join(plan.inside.map((condition) => conditionSql(condition, plan.model, alias, context)), ' and ')
}

/**
 * The columns that each row returns, by name. All are texts.
 *
 * @param inside the condition that each row must fulfil. Otherwise the statement fails
 */
export function returnedOf (
  plan: WriteShape,
  alias: string,
  projected: boolean,
  context: ConditionContext,
  inside?: Sql
): (readonly [name: string, value: Sql])[] {
  const { selection, model } = plan
  const { members } = recordSql(selection, alias, projected, context)
  const item = sql`${objectJson(members)}::text`
  const returned: (readonly [name: string, value: Sql])[] = [
    ['item', inside === undefined ? item : textIf(inside, item, OUTSIDE)],
  ]
  if (model.version !== undefined) returned.push(['version', versionText(model, alias)])
  if (plan.kind === 'insert' ? plan.returnsKey : plan.kind === 'upsert' || plan.kind === 'upsertMany') {
    for (const [index, { column }] of keyColumns(model).entries()) {
      returned.push([`key${index}`, sql`${name(alias, column)}::text`])
    }
  }
  return returned
}

/**
 * What each row returns for after hooks. Parameters are those of `returnedOf`.
 *
 * @param before the alias of the row that an update replaces
 */
function toldOf (
  { kind, told }: OneWriteShape,
  alias: string,
  projected: boolean,
  context: ConditionContext,
  before?: string
): (readonly [name: string, value: Sql])[] {
  const { whole, previous } = told ?? {}
  const returned: (readonly [name: string, value: Sql])[] = []
  if (whole !== undefined) {
    const { members } = recordSql(whole, alias, projected, context)
    returned.push(['whole', sql`${objectJson(members)}::text`])
  }
  if (previous === undefined || kind === 'insert') return returned
  const members = before === undefined ? ownMembers(previous, alias, projected) : ownMembers(previous, before, true)
  returned.push(['previous', sql`${objectJson(members)}::text`])
  return returned
}
