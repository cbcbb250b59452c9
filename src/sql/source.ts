/** What the statements of all reads have in common. */
import type { ConditionContext } from './condition.ts'
import type { EntityModel } from '../model/index.ts'
import type { CustomTerm } from '../plan/index.ts'
import type { ForeignOrder } from './foreign-order.ts'
import { name, sql, type Sql } from './fragment.ts'

/** Where the rows of the resource come from, and which of them are wanted. */
export interface Source {
  readonly alias: string
  readonly table: Sql
  /** The conditions of all of them. */
  readonly conditions: readonly Sql[]
  /** The same as a clause. */
  readonly where: Sql
  readonly context: ConditionContext
  readonly model: EntityModel
  /** What a custom sort of this request orders by. */
  readonly order: (term: CustomTerm, alias: string) => ForeignOrder
}

export const ROW = name('@row')
/** The whole row, whatever its columns are called. */
export const ROW_JSON = sql`row_to_json(${ROW}.*)::text`
