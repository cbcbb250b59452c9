/** What the statements of all reads have in common. */
import type { ConditionContext } from './condition.ts'
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
}

export const ROW = name('@row')
/** The whole row, whatever its columns are called. */
export const ROW_JSON = sql`row_to_json(${ROW}.*)::text`
