/** Joins rows to the rows behind their to-one relations. A row that is deleted or filtered out counts as absent. */
import type { RelationProperty } from '../model/index.ts'
import { equalColumns, tableAs } from './columns.ts'
import { EMPTY, join, sql, type Sql } from './fragment.ts'
import { relatedVisibility, type ConditionContext } from './visibility.ts'

export class ToOneJoins {
  readonly #alias: string
  readonly #context: ConditionContext
  readonly #aliases = new Map<string, string>()
  /** The joins so far. They follow the table. */
  sql: Sql = EMPTY

  constructor (alias: string, context: ConditionContext) {
    this.#alias = alias
    this.#context = context
  }

  /** The alias of the row that relations lead to. Each path is joined once. */
  aliasOf (relations: readonly RelationProperty[]): string {
    let from = this.#alias
    let path = ''
    for (const relation of relations) {
      const { join: by, target } = relation
      path += `.${relation.name}`
      let to = this.#aliases.get(path)
      if (to === undefined) {
        to = this.#context.names.table()
        this.#aliases.set(path, to)
        const on = [
          equalColumns(from, by.columns, to, by.targetColumns),
          ...relatedVisibility(relation, to, this.#context),
        ]
        this.add(sql` left join ${tableAs(target.table, to)} on ${join(on, ' and ')}`)
      }
      from = to
    }
    return from
  }

  /** Adds another join. */
  add (joined: Sql): void {
    this.sql = sql`${this.sql}${joined}`
  }
}
