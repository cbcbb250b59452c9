/** The conditions on the row that a write changes, and on the records that the row refers to. */
import type { EntityModel } from '../model/index.ts'
import type { ReferenceCheck, Slot, WriteTarget } from '../plan/index.ts'
import { equalTo, tableAs } from './columns.ts'
import { conditionSql } from './condition.ts'
import type { Dialect } from './dialect.ts'
import { sql, type Sql } from './fragment.ts'
import { column, versionText } from './json.ts'
import type { Foreign } from './read.ts'
import { visibility, whereClause, type ConditionContext } from './visibility.ts'
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

/** The test that the row has one of the versions. */
function versionSql (model: EntityModel, alias: string, versions: Slot, dialect: Dialect): Sql {
  const { version } = model
  if (dialect === 'distributed' && version?.type.kind === 'datetime' && !version.hidden) {
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
