/** The conditions on the row that a write changes, and on the records that the row refers to. */
import { keyColumns, type EntityModel } from '../model/index.ts'
import type { ReferenceCheck, WriteTarget } from '../plan/index.ts'
import { equalTo, tableAs } from './columns.ts'
import { conditionSql } from './condition.ts'
import { sql, type Sql } from './fragment.ts'
import { keyTuple } from './own-key.ts'
import type { Foreign } from './read.ts'
import { visibility, whereClause, type ConditionContext } from './visibility.ts'
import type { WriteContext } from './write-form.ts'
import type { UpdateShape } from './write-shape.ts'

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
  const visible = sql`exists (select 1 from ${tableAs(target.table, alias)}${where})`
  return present === undefined ? visible : sql`(${equalTo(row, present, slots)} or ${visible})`
}

export function targetSql (
  { model, conditions, deleted, versions, references }:
    & Omit<WriteTarget, 'key'>
    & Pick<UpdateShape, 'model' | 'references'>,
  alias: string,
  foreign: Foreign,
  context: WriteContext,
  further: readonly Sql[] = []
): Sql {
  const { dialect } = context
  const key = keyTuple(keyColumns(model), alias)
  const where = [
    ...further,
    ...rowConditions({ model, conditions, deleted }, alias, context).map((compiled, index) =>
      conditions[index]?.kind === 'key' ? compiled : dialect.conditionOfWrite(compiled, key)
    ),
  ]
  if (versions !== undefined) where.push(dialect.conditionOfWrite(dialect.hasVersion(model, alias, versions), key))
  where.push(
    ...references.map((reference) => referenceSql(reference, alias, context)),
    ...foreign.conditions(alias).map((condition) => dialect.conditionOfWrite(condition, key))
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
