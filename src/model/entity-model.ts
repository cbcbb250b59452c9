/**
 * A frozen snapshot of MikroORM's metadata, with the facts about an entity that this package needs. `build-model.ts`
 * builds it once for each ORM. Later stages do not read the metadata.
 */
import type { EntityName } from '@mikro-orm/core'
import { madeOnce } from '../base/made-once.ts'
import type { Converted, SqlValue } from './types/converted.ts'
import type { ValueType } from './types/index.ts'

/** A column of a key. */
export interface KeyColumn {
  /** Unquoted name. */
  readonly column: string
  readonly type: ValueType
  /** The codec of the property that the column belongs to, or refers to. */
  readonly codec?: Codec
  /** MikroORM compares the column with unchanged values: no type converts them. */
  readonly verbatim: boolean
}

interface PropertyBase {
  /** Name in the entity class. */
  readonly name: string
  /** Name in URLs, records and bodies: the `serializedName`, or else the name. */
  readonly publicName: string
  readonly nullable: boolean
  /** Whether it is never read, filtered by, sorted by or named in an answer. */
  readonly hidden: boolean
  readonly write: WriteRules
}

/** Rules for writing a property. */
export interface WriteRules {
  /**
   * Whether the table has a column for it that takes values: it is not a formula, a generated column or an inverse
   * side.
   */
  readonly persisted: boolean
  /** Whether clients may write it: it is not a generated key, a timestamp, a version or hidden. */
  readonly writable: boolean
  /** The reason why clients never write it, as a clause. */
  readonly closed?: string
  /** Whether a new row may omit it: it is nullable, or the database or `onCreate` has a value. */
  readonly optional: boolean
  /** Whether the database, MikroORM or `onCreate` sets a value that is not given. */
  readonly generated: boolean
  /** MikroORM's `onCreate` and `onUpdate`. */
  readonly onCreate?: (data: object, em: unknown) => unknown
  readonly onUpdate?: (data: object, em: unknown) => unknown
}

/** A property of one column, or a formula. */
export interface ScalarProperty extends PropertyBase {
  readonly kind: 'scalar'
  readonly column: string
  readonly type: ValueType
  /** SQL of a computed property, for a table alias. */
  readonly formula?: (alias: string) => string
  /** SQL of a generated column. */
  readonly generated?: string
  /** Present if the property has a custom type or a serializer. */
  readonly codec?: Codec
  /** MikroORM compares the column with unchanged values: no type converts them. */
  readonly verbatim: boolean
  /** Converts a value to the form in the entity class, from the JSON of a body and the value to bind. */
  readonly hydrate?: (json: unknown, value: SqlValue) => unknown
  /** Present for an embedded object, or a list of them, that is stored as JSON in the column. */
  readonly embedded?: { readonly list: boolean, readonly properties: ReadonlyMap<string, Property> }
}

/** The conversions of a custom type or a serializer. */
export interface Codec {
  /** SQL that reads the column, if the type defines it (`convertToJSValueSQL`). */
  readonly read?: (columnSql: string) => string
  /** SQL around a bound value (`?`), if the type defines it (`convertToDatabaseValueSQL`). */
  readonly write?: string
  /** Converts JSON from the database to the wire form. */
  readonly toWire: (value: unknown) => unknown
  /** A serializer makes the wire form, which nothing reads back: filters and bodies have other values. */
  readonly oneWay?: true
  /** Converts the text of a query string to a value to bind. */
  readonly toDatabase?: (text: string) => Converted
  /** Converts JSON of a body to a value to bind. */
  readonly fromJson?: (value: unknown) => Converted
}

/** An embedded object whose members are columns of the same table. */
export interface EmbeddedProperty extends PropertyBase {
  readonly kind: 'embedded'
  /** Its key in JSON, if it is part of a JSON column. */
  readonly column: string
  readonly properties: ReadonlyMap<string, Property>
}

/** How the rows of two tables are matched. Columns correspond by position. */
export type Join =
  /** The foreign key is in this table, or in the target table. */
  | {
    readonly kind: 'owner' | 'inverse',
    readonly columns: readonly string[],
    readonly targetColumns: readonly string[],
    /** Whether the entity of the target table declares an index on the target columns. */
    readonly indexed: boolean,
  }
  /** A separate table has both foreign keys. */
  | {
    readonly kind: 'pivot',
    readonly table: string,
    /** Whether this side owns the table: the other side is mapped by it. */
    readonly owner: boolean,
    readonly columns: readonly string[],
    readonly targetColumns: readonly string[],
    readonly pivotColumns: readonly string[],
    readonly pivotTargetColumns: readonly string[],
    /** The column that orders the links, if this side keeps their order. */
    readonly orderColumn?: string | undefined,
    /** Whether the separate table is declared with an index on its columns for this table. */
    readonly indexed: boolean,
  }

export interface RelationProperty extends PropertyBase {
  readonly kind: 'relation'
  /** Whether it is to-many. Otherwise it is to-one. */
  readonly many: boolean
  readonly join: Join
  /** The foreign key of an owning side, with the types of the referenced columns. Empty for other sides. */
  readonly key: readonly KeyPart[]
  readonly target: EntityModel
  /** MikroORM's `where` of a collection: a condition that all related rows fulfil. */
  readonly where?: object
  /** MikroORM's `orderBy` of a collection. The key follows it. */
  readonly order: readonly RelatedOrder[]
}

/** A column by which related rows are ordered. */
export interface RelatedOrder {
  readonly column: string
  readonly descending: boolean
  readonly nullable: boolean
}

/** A part of a key with its name in JSON. */
export interface KeyPart extends KeyColumn {
  readonly publicName: string
  /** Whether another property shares the column. Such a column is kept when the relation is set to null. */
  readonly shared?: boolean
}

export type Property = ScalarProperty | EmbeddedProperty | RelationProperty

export interface EntityModel {
  /** Class name, for messages to developers. */
  readonly name: string
  /** The name or class by which MikroORM knows the entity. */
  readonly entity: EntityName<object>
  /** Unquoted table name, without its schema. */
  readonly tableName: string
  /** The quoted table name, qualified by its schema if it has one. */
  readonly table: string
  readonly properties: ReadonlyMap<string, Property>
  /**
   * Names that conditions in MikroORM's query language may use besides `properties`: properties that records don't
   * show, and a composite key.
   */
  readonly otherNames: ReadonlySet<string>
  /** The names of relations that lead to or come from one of several tables. They are no properties here. */
  readonly polymorphic: ReadonlySet<string>
  /** The parts of the primary key, in the order of declaration. */
  readonly primaryKey: readonly PrimaryKeyPart[]
  /** The unique UUID property that can replace the primary key. */
  readonly uuid?: ScalarProperty
  /** The property that marks a row as deleted. */
  readonly deletedAt?: ScalarProperty
  readonly version?: ScalarProperty
  /** The declared keys of its rows, the primary key first. */
  readonly uniques: readonly UniqueColumns[]
  /** Single-table inheritance: the values that mark the rows of this class. */
  readonly discriminator?: { readonly column: string, readonly values: readonly (string | number)[] }
  /** Single-table inheritance: the classes that it extends, the nearest first. Its rows are also their rows. */
  readonly ancestors: readonly string[]
  /** Whether it is abstract: all rows belong to its subclasses, and it creates none. */
  readonly abstract: boolean
  /** Names of the MikroORM filters that it declares. */
  readonly filters: readonly string[]
  /** The reason why its rows are never written, as a clause; absent if they can be written. */
  readonly readOnly?: string
}

/** Columns whose values together occur once in a table. */
interface UniqueColumns {
  readonly columns: readonly string[]
  /** Whether it holds for all rows, and at once: it is not limited by a condition, and not deferred. */
  readonly always: boolean
}

/** A property of the primary key with its columns. A relation to a composite key has several. */
export interface PrimaryKeyPart {
  readonly property: ScalarProperty | RelationProperty
  readonly columns: readonly KeyColumn[]
}

/** The columns of the primary key, in order. */
export const keyColumns = madeOnce(({ primaryKey }: EntityModel): readonly KeyColumn[] =>
  Object.freeze(primaryKey.flatMap((part) => part.columns))
)

/** Whether a property tells the class of a row, in single-table inheritance. A new row has that of its resource. */
export const tellsClass = (property: Property, { discriminator }: EntityModel): property is ScalarProperty =>
  discriminator !== undefined && property.kind === 'scalar' && property.column === discriminator.column

/** Whether a property is a formula, or an embedded object with one. */
export function isFormula (property: Property): boolean {
  if (property.kind === 'embedded') return [...property.properties.values()].some(isFormula)
  return property.kind === 'scalar' && property.formula !== undefined
}

/** The names of the columns of the primary key, in order. */
export const keyColumnNames = (model: EntityModel): readonly string[] => keyColumns(model).map(({ column }) => column)

/** The stored columns that are no part of the key. */
export const columnsBesideKey = madeOnce((model: EntityModel): readonly string[] => {
  const stored = [...model.properties.values()].filter((property) => property.write.persisted && !isFormula(property))
  const key = keyColumnNames(model)
  return stored.flatMap(columnsOf).filter((column) => !key.includes(column))
})

/** The columns that hold a property. An embedded object has those of its members, a to-one relation its foreign key. */
export function columnsOf (property: Property): readonly string[] {
  switch (property.kind) {
    case 'scalar':
      return [property.column]
    case 'embedded':
      return [...property.properties.values()].flatMap(columnsOf)
    case 'relation':
      return property.join.kind === 'owner' ? property.join.columns : []
  }
}
