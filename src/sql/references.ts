/** Statements about the records that a row refers to. They accompany its write. */
import { keyColumns, type EntityModel, type RelationProperty } from '../model/index.ts'
import type { PresentPlan, Slot } from '../plan/index.ts'
import { equalTo, FOR_CHANGE, returnedKey, tableAs } from './columns.ts'
import { conditionSql, conditionContext } from './condition.ts'
import { EMPTY, join, name, render, sql, type Sql, type Statement } from './fragment.ts'
import type { Foreign } from './read.ts'
import { visibility, whereClause, type ConditionContext } from './visibility.ts'

/** Keys of records of one entity. Each part of a key has a slot. */
interface ReferencedKeys {
  readonly model: EntityModel
  readonly columns: readonly string[]
  readonly keys: ReadonlyArray<readonly Slot[]>
}

/** `count`: how many records have these keys and are neither deleted nor filtered out. */
export function compileReferences ({ model, columns, keys }: ReferencedKeys, foreign: Foreign): Statement {
  const context = conditionContext({}, foreign)
  const alias = context.names.table()
  const matches = keys.map((key) => sql`(${equalTo(alias, columns, key)})`)
  return render(
    sql`select count(*) as "count" from ${tableAs(model.table, alias)}${
      whereClause([sql`(${join(matches, ' or ')})`, ...visibility(model, alias, 'without', context.filter)])
    }`
  )
}

/** The name of the column that tells whether the row has a reference: `'true'`, `'false'` or null. */
export const presentColumn = (reference: number): string => `present${reference}`

/**
 * The key of the row of a plan, as texts in the columns of `returnedKey`.
 *
 * @param locks whether the row is locked for a change until the transaction ends
 */
export function compileKey ({ model, conditions }: PresentPlan, foreign: Foreign, locks: boolean): Statement {
  const context = conditionContext({}, foreign)
  const alias = context.names.table()
  const parts = keyColumns(model).map(({ column }, index) =>
    sql`${name(alias, column)}::text as ${name(returnedKey(index))}`
  )
  return render(
    sql`select ${join(parts)} from ${tableAs(model.table, alias)}${rowWhere(model, conditions, alias, context)}${
      locks ? FOR_CHANGE : EMPTY
    }`
  )
}

/** Tells whether the row of a plan refers to these keys. Each key has a column. */
export function compilePresent (
  { model, conditions }: PresentPlan,
  references: ReadonlyArray<{ readonly relation: RelationProperty, readonly key: readonly Slot[] }>,
  foreign: Foreign
): Statement {
  const context = conditionContext({}, foreign)
  const alias = context.names.table()
  const columns = references.map(({ relation, key }, index) =>
    sql`(${equalTo(alias, relation.join.columns, key)})::text as ${name(presentColumn(index))}`
  )
  return render(
    sql`select ${join(columns)} from ${tableAs(model.table, alias)}${rowWhere(model, conditions, alias, context)}`
  )
}

const rowWhere = (
  model: EntityModel,
  conditions: PresentPlan['conditions'],
  alias: string,
  context: ConditionContext
): Sql => whereClause(conditions.map((condition) => conditionSql(condition, model, alias, context)))
