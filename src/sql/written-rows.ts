/** What a write returns of its rows, and the condition that they must fulfil. */
import { keyColumns, type EntityModel } from '../model/index.ts'
import type { CheckedRows, Selection } from '../plan/index.ts'
import { returnedKey } from './columns.ts'
import { conditionSql } from './condition.ts'
import { join, name, sql, type Sql } from './fragment.ts'
import { OUTSIDE, textIf } from './inside.ts'
import { objectJson, versionText } from './json.ts'
import { ownMembers } from './members.ts'
import type { Foreign } from './read.ts'
import type { ConditionContext } from './visibility.ts'
import type { OneWriteShape, WriteShape } from './write-shape.ts'

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
  inside?: Sql
): (readonly [name: string, value: Sql])[] {
  const { selection, model } = plan
  const item = recordText(selection, alias, projected)
  const returned: (readonly [name: string, value: Sql])[] = [
    ['item', inside === undefined ? item : textIf(inside, item, OUTSIDE)],
  ]
  if (model.version !== undefined && !isList(plan)) returned.push(['version', versionText(model, alias)])
  if (plan.kind === 'upsert' || ((plan.kind === 'insert' || plan.kind === 'upsertMany') && plan.returnsKey)) {
    for (const [index, { column }] of keyColumns(model).entries()) {
      returned.push([returnedKey(index), sql`${name(alias, column)}::text`])
    }
  }
  return returned
}

/** Whether a write has several new records. The versions of single records are for the header of the answer. */
const isList = (plan: WriteShape): boolean =>
  plan.kind === 'upsertMany' || (plan.kind === 'insert' && (plan.recordset !== undefined || plan.rows.length > 1))

/**
 * What each row returns for after hooks. Parameters are those of `returnedOf`.
 *
 * @param before the alias of the row that an update replaces
 */
export function valuesForHooks (
  { kind, forHooks }: OneWriteShape,
  alias: string,
  projected: boolean,
  before?: string
): (readonly [name: string, value: Sql])[] {
  const { whole, previous } = forHooks ?? {}
  const returned: (readonly [name: string, value: Sql])[] = []
  if (whole !== undefined) returned.push(['whole', recordText(whole, alias, projected)])
  if (previous === undefined || kind === 'insert') return returned
  const text = before === undefined ? recordText(previous, alias, projected) : recordText(previous, before, true)
  returned.push(['previous', text])
  return returned
}

const recordText = (selection: Selection, alias: string, projected: boolean): Sql =>
  sql`${objectJson(ownMembers(selection, alias, projected, 'with'))}::text`
