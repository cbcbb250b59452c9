/** A term of an order with the SQL that it sorts by. */
import type { Sql } from './fragment.ts'

export interface OrderExpression {
  readonly value: Sql
  readonly direction: Sql
}
