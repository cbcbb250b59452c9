/**
 * What the planner produces: names looked up, values converted. Types of this file never hold text from a URL, except
 * as values to bind; `src/sql` builds statements from nothing else.
 */
import type { AggregateFunction, CustomFilterCallback } from '../config/index.ts'
import type {
  EmbeddedProperty,
  EntityModel,
  InsideJson,
  KeyColumn,
  RelationProperty,
  ScalarProperty,
  SqlValue,
  ValueType,
} from '../model/index.ts'
import type { ComparisonOperator } from '../operators/index.ts'
import type { CustomTarget } from './whitelist/sorts.ts'

/** Index into a plan's `values`: where a statement binds one. */
export type Slot = number

/** What a condition compares or a sort orders by: a column, or the key that an owning relation holds. */
export type Operand = ScalarProperty | RelationProperty

/** A value inside of a JSON column. */
export interface JsonValue {
  readonly kind: 'json'
  readonly property: ScalarProperty
  readonly keys: readonly string[]
  readonly type: InsideJson
}

/** What a filter compares. */
export type Comparable = Operand | JsonValue

export type Condition =
  /** An operator compares with the values in the slots; its SQL is in the table of operators. */
  | {
    readonly kind: 'compare',
    readonly operator: ComparisonOperator,
    readonly operand: Comparable,
    readonly slots: readonly Slot[],
  }
  | { readonly kind: 'null', readonly operand: Comparable, readonly negated: boolean }
  /** A column of the row's own key. */
  | { readonly kind: 'key', readonly column: KeyColumn, readonly slot: Slot }
  /** There is a related row for which all conditions hold. */
  | { readonly kind: 'related', readonly relation: RelationProperty, readonly conditions: readonly Condition[] }
  /** One of the conditions holds, or several. */
  | { readonly kind: 'any', readonly conditions: readonly Condition[] }
  /** All of the conditions hold: an alternative that is made of several. */
  | { readonly kind: 'all', readonly conditions: readonly Condition[] }

/** What MikroORM's filters say of the rows of entities, wherever these are read. */
export type EntityConditions = ReadonlyMap<EntityModel, readonly Condition[]>

/** Which rows are seen: those that are not marked as deleted, only those that are, or both. */
export type Deleted = 'without' | 'only' | 'with'

/** A condition in MikroORM's words. */
export type CustomCondition = CallbackCondition | ScopeCondition

/** One of MikroORM's filters, switched on by this request. */
export interface ScopeCondition {
  readonly kind: 'scope'
  readonly filter: string
  /** Its parameters; absent when it takes none. */
  readonly args: Readonly<Record<string, SqlValue>> | undefined
}

/** A custom filter of this request. */
export interface CallbackCondition {
  readonly kind: 'callback'
  /** As a client writes it, for the errors of its value. */
  readonly parameter: string
  readonly callback: CustomFilterCallback
  readonly value: string | readonly string[]
}

export interface OrderTerm {
  /** To-one relations on the way to the operand. */
  readonly relations: readonly RelationProperty[]
  readonly operand: Operand
  /** The column of an operand that has several: a relation to a composite key, as a part of the primary key. */
  readonly column?: KeyColumn
  readonly descending: boolean
}

/** An order that a callback gives. */
export interface CustomTerm extends CustomTarget {
  readonly descending: boolean
}

/** What a record shows: some of its entity's properties, included relations, and numbers about relations. */
export interface Selection {
  readonly model: EntityModel
  /** In the order of their declaration. A relation among them is shown as its key. */
  readonly properties: readonly (ScalarProperty | EmbeddedProperty | RelationProperty)[]
  readonly includes: readonly Include[]
  readonly aggregates: readonly Aggregate[]
}

export interface Include {
  readonly relation: RelationProperty
  /** Its full path in URLs. */
  readonly path: string
  readonly selection: Selection
  readonly rules?: IncludeRules
}

/** Which of a relation's rows an include shows, and in which order: one object for each entry of the whitelist. */
export interface IncludeRules {
  /** Rows of one parent, at most. */
  readonly limit?: number
  /** Without the key, which comes after it. */
  readonly order?: readonly OrderTerm[]
  /** A condition in MikroORM's query language. */
  readonly where?: object
}

/** A number about the related rows of a record, or whether there are any: one object for each entry of the whitelist. */
export interface Aggregate {
  /** Its key in records. */
  readonly name: string
  readonly function: AggregateFunction
  readonly relation: RelationProperty
  /** What is summed, and so on; absent where rows are counted. */
  readonly property?: ScalarProperty
  /** Of the result. */
  readonly type: ValueType
  /** A condition in MikroORM's query language: rows for which it doesn't hold do not count. */
  readonly where?: object
}

/** What all reads have in common. */
interface ReadPlan {
  readonly model: EntityModel
  readonly conditions: readonly Condition[]
  readonly customs: readonly CustomCondition[]
  readonly deleted: Deleted
  /** Filters that hold for this request; those that only MikroORM can compile are not among them. */
  readonly filters?: EntityConditions
  /** Values in the order of their slots. */
  readonly values: readonly unknown[]
}

/** How much one answer may hold. */
export interface AnswerLimits {
  /** Included records, counted as often as they appear. */
  readonly maxIncluded: number
  /** Bytes of the records as JSON. */
  readonly maxBytes: number
  /** Records of the resource itself that a request may ask for. */
  readonly maxRows: number
}

/** What reads of records have in common. */
interface AnswerPlan extends ReadPlan {
  readonly selection: Selection
  /** Absent where no answer is larger than its rows. */
  readonly limits?: AnswerLimits
  /** The statement finds out by itself how large its answer will be, where a cheaper one could not rule out that it is too large. */
  readonly weighed?: boolean
}

/** The rows wanted, and how the answer describes them. */
export interface Window {
  readonly style: 'page' | 'offset'
  /** First row skipped is 0. */
  readonly offset: number
  /** Rows wanted, at least 1. */
  readonly limit: number
  /** The total: counted, the planner's estimate where the page doesn't tell it, or none. */
  readonly count: 'exact' | 'planned' | 'none'
}

/** A list of records. */
export interface ListPlan extends AnswerPlan {
  readonly kind: 'list'
  readonly order: readonly (OrderTerm | CustomTerm)[]
  readonly window: Window
  /** Rows to fetch: those wanted, and one more where only it can tell that there is a next page. */
  readonly fetchSlot: Slot
  /** Rows wanted. */
  readonly limitSlot: Slot
  readonly offsetSlot: Slot
}

/**
 * A place in an order: between two rows, or where there are none. It is given by the values that a row there has, or
 * had, whether it still exists or not.
 */
export interface Place {
  /** The rows wanted are those that follow, in the order, or those that come before, the nearest first. */
  readonly side: 'after' | 'before'
  /** A row with exactly these values is wanted, too. */
  readonly inclusive: boolean
  /** For each term of the order the slot of its value, or null where the row sorts as null. */
  readonly slots: readonly (Slot | null)[]
  /** The values as the database writes them. */
  readonly texts: SortTexts
}

/** What a row is sorted by: for each term of the order the text of its value (`column::text`, datetimes in UTC). */
export type SortTexts = readonly (string | null)[]

/** A page of a list that starts at a place of its order: its cost doesn't depend on how far into the list that is. */
export interface KeysetPlan extends AnswerPlan {
  readonly kind: 'keyset'
  readonly order: readonly OrderTerm[]
  /** Rows wanted, at least 1. */
  readonly limit: number
  /** Rows to fetch: those wanted, one more to tell whether others follow, and the witness. */
  readonly fetchSlot: Slot
  /** Absent for the first page. */
  readonly place?: Place
  /**
   * A row that is exactly at the place is fetched, though it isn't wanted: it shows that there are rows on the other side
   * at no cost, since it is where the page begins.
   */
  readonly witness: boolean
  /** What cursors of this list have in common. */
  readonly fingerprint: string
}

/** All records that the filters keep, in order, whatever their number. */
export interface StreamPlan extends AnswerPlan {
  readonly kind: 'stream'
  readonly order: readonly (OrderTerm | CustomTerm)[]
  /** Whole records, or only the keys by which a `RecordsPlan` finds them. */
  readonly reads: 'records' | 'keys'
}

/** Records of a stream by their keys, in the order of the keys. */
export interface RecordsPlan extends AnswerPlan {
  readonly kind: 'records'
  /** The list of keys, as the texts that a `StreamPlan` of keys reads. */
  readonly keysSlot: Slot
  /** For each column of the key the list of its values. */
  readonly columnSlots: readonly Slot[]
}

/** One record by its key. */
export interface GetPlan extends AnswerPlan {
  readonly kind: 'get'
}

/** A number of rows, counted or as the planner estimates it, or whether there is one. */
export interface CountPlan extends ReadPlan {
  readonly kind: 'count' | 'estimate' | 'exists'
}

export type Plan = ListPlan | KeysetPlan | GetPlan | CountPlan | StreamPlan | RecordsPlan
