/**
 * A frozen snapshot of MikroORM's metadata: what this package needs to know of an entity, in its own words.
 * It is made once for each ORM (`build-model.ts`); nothing after it looks into the metadata again.
 */
import type { EntityName } from '@mikro-orm/core'
import type { Converted, SqlValue } from './types/converted.ts'
import type { ValueType } from './types/value-type.ts'

/** A column that a key is made of. */
export interface KeyColumn {
  /** Unquoted name. */
  readonly column: string
  readonly type: ValueType
  /** Of the property that the column belongs to, or refers to. */
  readonly codec?: Codec
  /** MikroORM compares the column with values as they are given: no type makes others of them. */
  readonly verbatim: boolean
}

interface PropertyBase {
  /** Name in the entity class. */
  readonly name: string
  /** Name in URLs, records and bodies: the `serializedName`, else the name. */
  readonly publicName: string
  readonly nullable: boolean
  /** Never read, filtered, sorted or named in an answer. */
  readonly hidden: boolean
  readonly write: WriteRules
}

/** How a property is written. */
export interface WriteRules {
  /** The table has a column for it that takes values: no formula, generated column, or inverse side. */
  readonly persisted: boolean
  /** Clients may write it: not a generated key, timestamp, version or hidden. */
  readonly writable: boolean
  /** Why clients never write it, as a clause. */
  readonly closed?: string
  /** A new row may do without: nullable, or the database or `onCreate` has a value. */
  readonly optional: boolean
  /** The database, MikroORM or `onCreate` has a value where nobody gives one. */
  readonly generated: boolean
  /** MikroORM's `onCreate` and `onUpdate`. */
  readonly onCreate?: (data: object, em: unknown) => unknown
  readonly onUpdate?: (data: object, em: unknown) => unknown
}

/** One column, or a formula. */
export interface ScalarProperty extends PropertyBase {
  readonly kind: 'scalar'
  readonly column: string
  readonly type: ValueType
  /** SQL of a computed property, for a table alias. */
  readonly formula?: (alias: string) => string
  /** Present when the value's JavaScript side matters: a custom type or a serializer. */
  readonly codec?: Codec
  /** MikroORM compares the column with values as they are given: no type makes others of them. */
  readonly verbatim: boolean
  /** From the JSON of a body, and the value to bind that it was converted to, to what the entity class has. */
  readonly hydrate?: (json: unknown, value: SqlValue) => unknown
  /** An embedded object, or a list of them, that is stored as JSON in the one column. */
  readonly embedded?: { readonly list: boolean, readonly properties: ReadonlyMap<string, Property> }
}

/** What a custom type or a serializer makes of a value. */
export interface Codec {
  /** SQL that reads the column, where the type has its own (`convertToJSValueSQL`). */
  readonly read?: (columnSql: string) => string
  /** SQL around a bound value, where the type has its own (`convertToDatabaseValueSQL`); `?` stands for the value. */
  readonly write?: string
  /** From the database's JSON to the wire. */
  readonly toWire: (value: unknown) => unknown
  /** From the text of a query string to a value to bind. */
  readonly toDatabase?: (text: string) => Converted
  /** From the JSON of a body to a value to bind. */
  readonly fromJson?: (value: unknown) => Converted
}

/** Columns of the same table under one name. */
export interface EmbeddedProperty extends PropertyBase {
  readonly kind: 'embedded'
  /** Its own name in the table's terms: the key it has where it is part of a JSON column. */
  readonly column: string
  readonly properties: ReadonlyMap<string, Property>
}

/** How the rows of two tables are matched; columns correspond by position. */
export type Join =
  /** The foreign key is here. */
  | { readonly kind: 'owner', readonly columns: readonly string[], readonly targetColumns: readonly string[] }
  /** The foreign key is in the target. */
  | { readonly kind: 'inverse', readonly columns: readonly string[], readonly targetColumns: readonly string[] }
  /** A table in between has both. */
  | {
    readonly kind: 'pivot',
    readonly table: string,
    readonly columns: readonly string[],
    readonly targetColumns: readonly string[],
    readonly pivotColumns: readonly string[],
    readonly pivotTargetColumns: readonly string[],
  }

export interface RelationProperty extends PropertyBase {
  readonly kind: 'relation'
  /** To-many, as opposed to to-one. */
  readonly many: boolean
  readonly join: Join
  /** The key that an owning side holds, with the types of the columns it refers to; empty on other sides. */
  readonly key: readonly KeyPart[]
  readonly target: EntityModel
  /** MikroORM's `where` of a collection: a condition on the related rows that always holds. */
  readonly where?: object
  /** MikroORM's `orderBy` of a collection, before the key. */
  readonly order: readonly RelatedOrder[]
}

/** A column that related rows are in the order of. */
export interface RelatedOrder {
  readonly column: string
  readonly descending: boolean
  readonly nullable: boolean
}

/** A part of a key with the name under which it appears in JSON. */
export interface KeyPart extends KeyColumn {
  readonly publicName: string
  /** Another property has the column, too: it stays when the relation is set to null. */
  readonly shared?: boolean
}

export type Property = ScalarProperty | EmbeddedProperty | RelationProperty

export interface EntityModel {
  /** Class name, for messages to programmers. */
  readonly name: string
  /** What MikroORM calls the entity by. */
  readonly entity: EntityName<object>
  /** Unquoted table name, without its schema. */
  readonly tableName: string
  /** Quoted, and qualified by its schema when it has one. */
  readonly table: string
  readonly properties: ReadonlyMap<string, Property>
  /** What conditions in MikroORM's words may name beside them: properties that are no part of records, and a composite key. */
  readonly otherNames: ReadonlySet<string>
  /** In the order of their declaration. */
  readonly primaryKey: readonly PrimaryKeyPart[]
  /** The unique UUID property that may stand for the primary key. */
  readonly uuid?: ScalarProperty
  /** The property that marks a row as deleted. */
  readonly deletedAt?: ScalarProperty
  readonly version?: ScalarProperty
  /** Single-table inheritance: the rows that are of this class. */
  readonly discriminator?: { readonly column: string, readonly values: readonly (string | number)[] }
  /** Its rows are those of its subclasses: none is created as one of its own. */
  readonly abstract: boolean
  /** Names of the MikroORM filters that it declares. */
  readonly filters: readonly string[]
  /** Why its rows are never written, as a clause; absent where they are. */
  readonly readOnly?: string
}

/** A property of the primary key with its columns (several when it is a relation to a composite key). */
export interface PrimaryKeyPart {
  readonly property: ScalarProperty | RelationProperty
  readonly columns: readonly KeyColumn[]
}

/** The columns of the primary key, in order. */
export function keyColumns (model: EntityModel): readonly KeyColumn[] {
  let columns = columnsByModel.get(model)
  if (columns === undefined) {
    columnsByModel.set(
      model,
      columns = Object.freeze(model.primaryKey.flatMap((part) => part.columns))
    )
  }
  return columns
}

const columnsByModel = new WeakMap<EntityModel, readonly KeyColumn[]>()
