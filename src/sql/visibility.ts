/** The rows that a statement may use, and the context in which conditions on them are compiled. */
import type { EntityModel, RelationProperty } from '../model/index.ts'
import type { Aggregate, Deleted } from '../plan/index.ts'
import { EMPTY, join, literal, name, sql, trusted, type Sql } from './fragment.ts'
import { column } from './json.ts'
import type { KnownByAlias, KnownColumns } from './known-columns.ts'
import type { Names } from './names.ts'

/** Compiles MikroORM's filters of an entity for an alias. They apply to the entity's rows in every statement. */
export type EntityFilter = (model: EntityModel, alias: string) => Sql | undefined

/**
 * Compiles a condition in MikroORM's query language that is the same for every request: the `where` of a relation, or a
 * condition of the whitelist.
 */
export type ConstantCondition = (where: object, model: EntityModel, alias: string) => Sql | undefined

/** The context in which conditions are compiled. */
export interface ConditionContext {
  readonly names: Names
  readonly filter: EntityFilter
  readonly constant: ConstantCondition
  /** The schema of the extension unaccent. */
  readonly unaccent: () => string
  readonly known: KnownByAlias
  /** The columns that the filters of an entity compare with a value. */
  readonly knownByFilter: (model: EntityModel) => KnownColumns
  /**
   * For an alias, columns of the rows that its statement may keep, so that numbers about related rows are computed for
   * no others. Aliases that are not here may keep all rows.
   */
  readonly kept: Map<string, (columns: readonly string[]) => Sql>
  /** For an alias, the numbers about related rows that are joined to its rows. */
  readonly numbers: Map<string, JoinedNumbers>
  /** How JSON objects are written. See `Form` (`form.ts`). */
  readonly objects: 'row' | 'built'
}

/** Numbers about the related rows of an alias's rows, to compare and to sort by. */
interface JoinedNumbers {
  readonly values: ReadonlyMap<Aggregate, Sql>
  /** Joins that only the order needs. Those of conditions follow the table. */
  readonly ofOrder: Sql
}

/** The conditions for a row of a relation: it is visible, and fulfils the relation's own `where`. */
export function relatedVisibility (
  { target, where }: RelationProperty,
  alias: string,
  { filter, constant }: ConditionContext
): Sql[] {
  const conditions = visibility(target, alias, 'without', filter)
  const own = where && constant(where, target, alias)
  return own === undefined ? conditions : [...conditions, own]
}

/** The conditions for a visible row: its class (single-table inheritance), soft deletion, and MikroORM's filters. */
export function visibility (model: EntityModel, alias: string, deleted: Deleted, filter: EntityFilter): Sql[] {
  const conditions: Sql[] = []
  if (model.discriminator !== undefined) {
    const values = model.discriminator.values.map((value) =>
      typeof value === 'number' ? trusted(String(value)) : literal(value)
    )
    conditions.push(sql`${name(alias, model.discriminator.column)} in (${join(values)})`)
  }
  if (model.deletedAt !== undefined && deleted !== 'with') {
    conditions.push(sql`${column(model.deletedAt, alias)} ${trusted(deleted === 'only' ? 'is not null' : 'is null')}`)
  }
  const filtered = filter(model, alias)
  if (filtered !== undefined) conditions.push(filtered)
  return conditions
}

/** ` where ...`, or nothing. */
export function whereClause (conditions: readonly Sql[]): Sql {
  return conditions.length === 0 ? EMPTY : sql` where ${join(conditions, ' and ')}`
}
