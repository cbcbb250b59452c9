/**
 * Compiles writes of many rows. A statement first looks for the rows, and stops when there are more than it may write.
 * Then it writes exactly these rows, or none of them. If another transaction changes one of them first, PostgreSQL
 * tests the conditions again on the changed row and leaves it out if they no longer hold. Rows that begin to match in
 * the meantime are not found. So the statement never writes more rows than it has counted.
 */
import { keyColumns } from '../model/index.ts'
import { assignmentsSql } from './assignments.ts'
import { FOR_CHANGE, returnedKey, tableAs } from './columns.ts'
import { noteKnown } from './condition.ts'
import { plannedForValues, plannedOnceIfRare } from './custom-plan.ts'
import { EMPTY, join, literal, name, render, sql, trusted, type Sql, type Statement } from './fragment.ts'
import { OUTSIDE, textIf } from './inside.ts'
import { selectList } from './members.ts'
import { comparedKey, keyTuple } from './own-key.ts'
import type { Foreign } from './read.ts'
import { whereClause, type ConditionContext } from './visibility.ts'
import { writeContext, type WriteContext, type WriteForm } from './write-form.ts'
import type { ManyShape } from './write-shape.ts'
import { referenceSql, rowConditions } from './write-target.ts'
import { insideSql } from './written-rows.ts'

/** The locks that statements take which write nothing. */
const LOCKS: { readonly [Does in ManyShape['does']]?: Sql } = {
  lock: trusted(' for update'),
  lockForLinks: FOR_CHANGE,
}

/**
 * One row of texts: `found` (the number of rows that match, at most one more than may be written), `affected` (the
 * number of rows that were written), `hidden` if the plan has references (the number of rows that would refer to a
 * record that is not visible) and `keys` if the plan returns them (a JSON list with the parts of each key as texts).
 * To count returns only `found`, to lock only `found` and `keys`.
 */
export function compileMany (plan: ManyShape, foreign: Foreign, form: WriteForm): Statement {
  const { model, conditions, fetchSlot, references, does } = plan
  const context = writeContext(plan, foreign, form)
  const alias = context.names.table()
  noteKnown(model, alias, conditions, context)
  // the same conditions stand in two places of the statement, where the alias is that of the same table
  const plain = [...rowConditions(plan, alias, context), ...foreign.conditions(alias)]
  const found = context.names.expression('found')
  const table = tableAs(model.table, alias)
  const lock = LOCKS[does]
  const search = sql`${name(found)} as (select ${selectList(foundColumns(plan, alias, context))} from ${table}${
    whereClause(plain)
  } limit ${fetchSlot}${lock !== undefined && form.dialect.locksMany ? lock : EMPTY})`
  const total: Column = ['found', countOf(found)]
  if (lock !== undefined) return finish(sql`with ${search}`, [total, keysColumn(plan, found)], plan, context)
  if (does === 'count') return finish(sql`with ${search}`, [total], plan, context)
  const written = context.names.expression('written')
  const target = foundRows(plan, alias, found, plain, context)
  const inside = insideSql(plan, alias, foreign, context)
  const returned = writtenColumns(plan, alias, inside)
  const change = does === 'update'
    ? sql`update ${table} set ${assignmentsSql(plan, alias, context)}${target}`
    : sql`delete from ${table}${target}`
  const expression = sql`${name(written)} as (${change} returning ${selectList(returned)})`
  return finish(
    sql`with ${search}, ${expression}`,
    [
      total,
      // it reads the column that refuses rows outside of the scope
      ['affected', sql`(select count(${name(written, returned[0]![0])}) from ${name(written)})::text`],
      ...references.length === 0 ? [] : [['hidden', countOf(found, sql`not ${name(found, SOUND)}`)] as const],
      ...plan.returnsKeys ? [keysColumn(plan, written)] : [],
    ],
    plan,
    context,
    hasOneValue(plan, plain) ? sql` from ${table}${whereClause(plain)}` : undefined
  )
}

/** Whether the rows are those with one value, or one of a list, beside conditions that are always the same. */
function hasOneValue ({ conditions: [only, ...more], model, deleted }: ManyShape, plain: readonly Sql[]): boolean {
  const constant = Number(model.discriminator !== undefined) +
    Number(model.deletedAt !== undefined && deleted !== 'with')
  return only?.kind === 'compare' && more.length === 0 && plain.length === 1 + constant &&
    (only.operator === 'eq' || only.operator === 'in') &&
    (only.operand.kind === 'scalar' || only.operand.kind === 'relation') && only.unaccent === undefined
}

type Column = readonly [name: string, value: Sql]

/** @param rows a `from` clause of the rows, if they are those with one value */
function finish (
  start: Sql,
  columns: readonly Column[],
  { fetchSlot }: ManyShape,
  { dialect }: WriteContext,
  rows?: Sql
): Statement {
  const whole = sql`${start} select ${selectList(columns)}`
  const statement = { ...render(whole), columns: columns.map(([column]) => column) }
  if (!dialect.keepsPlannedForValues) return statement
  const namedText = rows === undefined
    ? plannedForValues(statement, '', fetchSlot)
    : render(sql`${whole}${plannedOnceIfRare(fetchSlot, rows)}`).text
  return { ...statement, namedText }
}

const SOUND = 'sound'

const partNames = ({ model }: ManyShape): readonly string[] => keyColumns(model).map((_, index) => returnedKey(index))

/** The key of a row, and whether it may refer to the records that it will refer to. */
function foundColumns (plan: ManyShape, alias: string, context: ConditionContext): readonly Column[] {
  const { model, references } = plan
  const parts = comparedKey(keyColumns(model), alias).map((part, index) => [returnedKey(index), part] as const)
  if (references.length === 0) return parts
  const sound = references.map((reference) => referenceSql(reference, alias, context))
  return [...parts, [SOUND, sql`coalesce(${join(sound, ' and ')}, false)`]]
}

function countOf (rows: string, condition?: Sql): Sql {
  return sql`(select count(*) from ${name(rows)}${whereClause(condition === undefined ? [] : [condition])})::text`
}

/** The keys of rows, as a JSON list of lists of texts. */
function keysColumn (plan: ManyShape, rows: string): Column {
  const texts = partNames(plan).map((part) => sql`${name(rows, part)}::text`)
  return ['keys', sql`(select coalesce(json_agg(json_build_array(${join(texts)})), '[]') from ${name(rows)})::text`]
}

/** The conditions of the rows to write: they were found, none too many, and still match. */
function foundRows (
  plan: ManyShape,
  alias: string,
  found: string,
  plain: readonly Sql[],
  { known, dialect }: WriteContext
): Sql {
  const keys = sql`select ${join(partNames(plan).map((part) => name(part)))} from ${name(found)}`
  const parts = keyColumns(plan.model)
  const columns = keyTuple(parts, alias)
  const isList = dialect.listsKeys && parts.length === 1 && parts[0]!.type.kind !== 'array'
  return whereClause([
    ...dialect.knownOfWrite(alias, known.of(alias)),
    isList ? sql`${columns} = any (array(${keys}))` : sql`${columns} in (${keys})`,
    ...plain.map((condition) => dialect.conditionOfWrite(condition, columns)),
    dialect.conditionOfWrite(sql`(select count(*) from ${name(found)}) < ${plan.fetchSlot}`, columns),
    ...plan.references.length === 0
      ? []
      : [sql`not exists (select 1 from ${name(found)} where not ${name(found, SOUND)})`],
  ])
}

/** The columns of the written rows. The first one refuses rows that lie outside of the scope now. */
function writtenColumns ({ model, returnsKeys }: ManyShape, alias: string, inside: Sql | undefined): readonly Column[] {
  const row = literal('1')
  return [
    ['row', inside === undefined ? row : textIf(inside, row, OUTSIDE)],
    ...returnsKeys
      ? keyColumns(model).map(({ column }, index) => [returnedKey(index), name(alias, column)] as const)
      : [],
  ]
}
