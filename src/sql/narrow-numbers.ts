/**
 * Computes numbers about related rows only for the rows that the other conditions of a statement keep. Without that, a
 * number that is compared or sorted by is computed for all rows of the table. PostgreSQL still chooses: if the others
 * keep few rows, it looks up the related rows of each by an index, and otherwise it groups all of them.
 */
import type { EntityModel } from '../model/index.ts'
import type { Condition, Deleted, Plan } from '../plan/index.ts'
import { columnList, tableAs } from './columns.ts'
import { conditionSql } from './condition.ts'
import { sql } from './fragment.ts'
import { comparesNumber } from './number-uses.ts'
import { visibility, whereClause, type ConditionContext } from './visibility.ts'

interface Kept {
  /** All of them must hold. */
  readonly conditions: readonly Condition[]
  readonly deleted: Deleted
  readonly filters?: Plan['filters']
}

/** Notes for the rows of an alias which of them the conditions without numbers keep. */
export function narrowNumbers (
  model: EntityModel,
  alias: string,
  { conditions, deleted, filters }: Kept,
  context: ConditionContext
): void {
  const plain = conditions.filter((condition) => !comparesNumber(condition))
  if (plain.length === 0 && filters?.has(model) !== true) return
  context.kept.set(alias, (columns) => {
    const own = context.names.table()
    context.known.copy(alias, own)
    const where = whereClause([
      ...plain.map((condition) => conditionSql(condition, model, own, context)),
      ...visibility(model, own, deleted, context.filter),
    ])
    return sql`select ${columnList(own, columns)} from ${tableAs(model.table, own)}${where}`
  })
}
