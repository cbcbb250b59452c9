/** What the generated files say about a table or view, before it is written. */
import type { ColumnFacts, ForeignKeyFacts, RelationFacts } from './database-facts.ts'

export interface EntityPlan {
  readonly relation: RelationFacts
  /** The name of the entity and its constant: `OrderItems`. */
  readonly entity: string
  /** The constant of its resource: `orderItems`. */
  readonly constant: string
  /** The name of its files, without folder and ending. */
  readonly file: string
  /** The prefix of its routes: `/order_items`. */
  readonly prefix: string
  /** Those of the key come first, in its order. */
  readonly properties: PlannedProperty[]
  /** The foreign keys of the table that become no property. */
  readonly leftOut: Set<ForeignKeyFacts>
  /** Whether clients can only read it. */
  readonly readonly: boolean
  /** Sentences for comments. */
  readonly notes: string[]
}

export type PlannedProperty = PlannedColumn | PlannedReference | PlannedInverse | PlannedPivot

export interface PlannedColumn {
  readonly kind: 'column'
  readonly name: string
  readonly column: ColumnFacts
  readonly primary: boolean
  readonly hidden: boolean
  /** Whether MikroORM counts the changes of a row in it. */
  readonly versioned: boolean
}

/** A relation whose key is in this table. */
export interface PlannedReference {
  readonly kind: 'reference'
  readonly name: string
  readonly target: EntityPlan
  /** The columns of its key, in the order of the columns that they refer to. */
  readonly columns: readonly ColumnFacts[]
  /** The columns of the target that it refers to, unless they are its key. */
  readonly targetColumn: string | undefined
  readonly primary: boolean
  /** Whether at most one row refers to a row of the target. */
  readonly single: boolean
  /** Whether no other property has one of the columns. */
  readonly owns: boolean
  readonly foreignKey: ForeignKeyFacts
}

/** The other side of a relation. */
export interface PlannedInverse {
  readonly kind: 'inverse'
  readonly name: string
  readonly source: EntityPlan
  readonly reference: PlannedReference
}

/** A relation by way of a table that has only keys. */
export interface PlannedPivot {
  readonly kind: 'pivot'
  readonly name: string
  readonly pivot: RelationFacts
  readonly target: EntityPlan
  /** Whether this side describes the table. */
  readonly owner: boolean
  /** The name of the property on the other side. */
  readonly other: string | undefined
  readonly columns: readonly string[]
  readonly targetColumns: readonly string[]
}

export const isNullable = (property: PlannedColumn | PlannedReference): boolean =>
  property.kind === 'column'
    ? property.column.nullable && !property.primary
    : property.columns.some(({ nullable }) => nullable) && !property.primary

/**
 * Whether a column counts the changes of its row: it is called `version`, and begins with a number. MikroORM then
 * counts on, and refuses to write a row that has changed. A number in a unique index, such as that of a revision, tells
 * rows apart instead.
 */
export function countsChanges (column: ColumnFacts, { primaryKey, indexes, foreignKeys }: RelationFacts): boolean {
  const { name, type, nullable, default: start, generated, counts } = column
  return name === 'version' && /^(?:integer|smallint)$/.test(type) && !nullable && generated === null && !counts &&
    /^\d+$/.test(start ?? '') && !primaryKey.includes(name) &&
    !indexes.some(({ unique, columns }) => unique && columns.includes(name)) &&
    !foreignKeys.some(({ columns }) => columns.includes(name))
}
