/** The parts that the statements of all reads share. */
import type { EntityModel } from '../model/index.ts'
import type { CustomTerm } from '../plan/index.ts'
import type { Form } from './form.ts'
import type { ForeignOrder } from './foreign-order.ts'
import type { Sql } from './fragment.ts'
import type { ConditionContext } from './visibility.ts'

/** The rows of the table of the resource. */
export interface Source {
  readonly alias: string
  /** The table with its alias, and the joins that the conditions need. */
  readonly table: Sql
  readonly conditions: readonly Sql[]
  /** The test that a row is the one beyond the most that are gathered. Absent if the table's rows are not limited. */
  readonly isOneTooMany?: Sql
  /** The conditions as a clause. */
  readonly where: Sql
  readonly context: ConditionContext
  readonly form: Form
  readonly model: EntityModel
  /** The scope and the custom filters of this request, for rows of another alias. */
  readonly foreign: (alias: string) => readonly Sql[]
  /** The order of a custom sort of this request. */
  readonly order: (term: CustomTerm, alias: string) => ForeignOrder
}
