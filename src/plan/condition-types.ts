/**
 * The types of what filters, sorts and numbers mean, with names looked up and values converted: conditions, what they
 * compare, and terms of an order. They contain text from a URL only as values to bind.
 */
import type { AggregateFunction, CustomFilterCallback, CustomSortCallback } from '../config/index.ts'
import type {
  EntityModel, InsideJson, KeyColumn, RelationProperty, ScalarProperty, SqlValue, ValueType,
} from '../model/index.ts'
import type { ComparisonOperator } from '../operators/index.ts'

/** Index into a plan's `values`. A statement binds the value at this index. */
export type Slot = number

/** A property that a condition compares or a sort orders by: a column, or the key of an owning relation. */
export type Operand = ScalarProperty | RelationProperty

/** A value inside of a JSON column. */
export interface JsonValue {
  readonly kind: 'json'
  readonly property: ScalarProperty
  readonly keys: readonly string[]
  readonly type: InsideJson
}

/** A number about related rows that a filter compares or a sort orders by, as if it were a property. */
export interface RelatedNumber {
  readonly kind: 'number'
  /** The key of the number in records. */
  readonly name: string
  readonly aggregate: Aggregate
  readonly type: ValueType
  readonly nullable: boolean
}

/** How accents are removed: by the extension unaccent, or by a function of the database. */
export type Unaccent = true | string

/** A text of a row, or of the row behind a to-one relation. */
export interface TextField {
  readonly relations: readonly RelationProperty[]
  readonly operand: ScalarProperty
}

/** The texts in which a full-text filter looks for words. Each filter has one such object. */
export interface TextDocument {
  /** The configuration of text search. */
  readonly config: string
  readonly fields: readonly TextField[]
  /** The property of type tsvector that stores the words of the fields. */
  readonly stored: ScalarProperty | undefined
  readonly unaccent: Unaccent | undefined
}

/** How well a row matches the texts of a full-text filter, as a sort orders by it. */
export interface Relevance {
  readonly kind: 'relevance'
  /** The name of the filter in URLs. */
  readonly name: string
  readonly document: TextDocument
  readonly type: ValueType
  readonly nullable: false
}

/** The numbers about relations that filters and sorts may name, by these names. */
export type RelatedNumbers = ReadonlyMap<string, RelatedNumber>

/** What a sort orders by. */
export type Sortable = Operand | RelatedNumber | Relevance

/** A property, a value inside of JSON, or a number about related rows, that a filter compares. */
export type Comparable = Operand | JsonValue | RelatedNumber

export type Condition =
  /** Compares with the values in the slots. The table of operators has the SQL. */
  | {
    readonly kind: 'compare',
    readonly operator: ComparisonOperator,
    readonly operand: Comparable,
    readonly slots: readonly Slot[],
    /** Present if texts are compared without accents. */
    readonly unaccent?: Unaccent | undefined,
  }
  | { readonly kind: 'null', readonly operand: Comparable, readonly negated: boolean }
  /** The words of a text are in a document. */
  | { readonly kind: 'match', readonly document: TextDocument, readonly slot: Slot }
  /** A column of the row's primary key. */
  | { readonly kind: 'key', readonly column: KeyColumn, readonly slot: Slot }
  /** There is a related row for which all conditions hold. */
  | { readonly kind: 'related', readonly relation: RelationProperty, readonly conditions: readonly Condition[] }
  /** At least one of the conditions holds. */
  | { readonly kind: 'any', readonly conditions: readonly Condition[] }
  /** All of the conditions hold. This is for an alternative that consists of several conditions. */
  | { readonly kind: 'all', readonly conditions: readonly Condition[] }
  /** The conditions do not all hold. A row for which that is unknown, because of a null, is kept. */
  | { readonly kind: 'unless', readonly conditions: readonly Condition[] }
  /** One of the conditions is false. A row for which that is unknown, because of a null, is left out. */
  | { readonly kind: 'not', readonly conditions: readonly Condition[] }

/** The conditions of MikroORM's filters. They apply to the rows of an entity wherever a statement reads them. */
export type EntityConditions = ReadonlyMap<EntityModel, readonly Condition[]>

/** Which rows are visible: those that are not marked as deleted, only those that are, or both. */
export type Deleted = 'without' | 'only' | 'with'

/** A condition that MikroORM compiles. */
export type CustomCondition = CallbackCondition | SwitchedCondition

/** A filter of MikroORM that this request switches on. */
export interface SwitchedCondition {
  readonly kind: 'switched'
  readonly filter: string
  /** The parameters of the filter. Absent if it takes none. */
  readonly args: Readonly<Record<string, SqlValue>> | undefined
}

/** A custom filter of this request. */
export interface CallbackCondition {
  readonly kind: 'callback'
  /** The parameter as the client wrote it, for errors about the value. */
  readonly parameter: string
  readonly callback: CustomFilterCallback
  readonly value: string | readonly string[]
}

export interface OrderTerm {
  /** To-one relations on the way to the operand. */
  readonly relations: readonly RelationProperty[]
  readonly operand: Sortable
  /** The column of an operand that has several columns: a relation to a composite key in the primary key. */
  readonly column?: KeyColumn
  /** The slots of the texts that a relevance is about. */
  readonly texts?: readonly Slot[]
  readonly descending: boolean
}

/** An order by callback. */
export interface CustomTarget {
  /** The name of the sort in the configuration. */
  readonly sort: string
  readonly callback: CustomSortCallback
}

/** A term of the order that a callback defines. */
export interface CustomTerm extends CustomTarget {
  readonly descending: boolean
}

/**
 * A number about the related rows of a record, or whether there are any. Each entry of the whitelist has one such
 * object.
 */
export interface Aggregate {
  /** The key of the number in records. */
  readonly name: string
  readonly function: AggregateFunction
  readonly relation: RelationProperty
  /** The property whose values are aggregated. Absent for `count` and `exists`. */
  readonly property?: ScalarProperty
  /** The type of the result. */
  readonly type: ValueType
  /** A condition in MikroORM's query language. Only rows for which it holds are aggregated. */
  readonly where?: object
}
