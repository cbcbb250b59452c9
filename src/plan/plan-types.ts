/**
 * The types of plans, which the planner produces with names looked up and values converted. They contain text from a
 * URL only as values to bind. `src/sql` builds statements only from these types.
 */
import type { SkippingStyle } from '../base/page-styles.ts'
import type { Count, DateUnit, GroupFunction } from '../config/index.ts'
import type { EmbeddedProperty, EntityModel, RelationProperty, ScalarProperty, ValueType } from '../model/index.ts'
import type { WithAlias } from './alias.ts'
import type {
  Aggregate, Condition, CustomCondition, CustomTerm, Deleted, EntityConditions, Operand, OrderTerm, Slot,
} from './condition-types.ts'

/** The content of a record: properties of its entity, included relations, and numbers about relations. */
export interface Selection {
  readonly model: EntityModel
  /** The properties in the order of declaration. A relation in this list is shown as its key. */
  readonly properties: readonly (ScalarProperty | EmbeddedProperty | RelationProperty)[]
  readonly includes: readonly PlannedInclude[]
  readonly aggregates: readonly Aggregate[]
}

export interface PlannedInclude {
  readonly relation: RelationProperty
  /** The full path of the include in URLs. */
  readonly path: string
  readonly selection: Selection
  readonly rules?: IncludeRules
}

/** Which rows of a relation an include shows, and in which order. Each entry of the whitelist has one such object. */
export interface IncludeRules {
  /** Maximum number of rows of one parent. */
  readonly limit?: number
  /** The order without the key, which is added after it. */
  readonly order?: readonly OrderTerm[]
  /** A condition in MikroORM's query language. */
  readonly where?: object
}

/** A property of the rows, or of the row behind a to-one relation, by whose values rows are grouped. */
interface GroupTarget {
  /** To-one relations on the way to the operand. */
  readonly relations: readonly RelationProperty[]
  readonly operand: Operand
}

/** A group of aggregates. Each entry of the whitelist has one such object for each of its names. */
export interface GroupTerm extends GroupTarget, WithAlias {
  /** The name in items. */
  readonly key: string
  /** Present if rows are grouped by the periods of a date or a moment. */
  readonly period?: { readonly unit: DateUnit, readonly timeZone: string }
  /** The type of the values in items. */
  readonly type: ValueType
}

/** A number about the rows of a group. Each entry of the whitelist has one such object for each of its names. */
export interface GroupNumber extends WithAlias {
  /** The name in items. */
  readonly key: string
  readonly function: 'count' | GroupFunction
  readonly relations: readonly RelationProperty[]
  /** The property whose values are aggregated. Absent for `count`. */
  readonly operand?: Operand
  /** The type of the result. */
  readonly type: ValueType
}

/** A facet of a list. Each entry of the whitelist has one such object. */
export interface FacetTerm extends GroupTarget, WithAlias {
  readonly type: ValueType
  /** The largest number of values. */
  readonly limit: number
}

/** A facet of a request. */
export interface PlannedFacet {
  readonly term: FacetTerm
  /**
   * The conditions of the plan that do not apply to the facet, and those that apply instead. All other conditions of
   * the plan apply, such as those of a scope.
   */
  readonly without: readonly Condition[]
  readonly instead: readonly Condition[]
}

/** Rows of an entity. All reads have them, and writes of many rows. */
export interface PlannedRows {
  readonly model: EntityModel
  readonly conditions: readonly Condition[]
  readonly customs: readonly CustomCondition[]
  readonly deleted: Deleted
  /** The filters of this request, except those that only MikroORM can compile. */
  readonly filters?: EntityConditions
  /** The values to bind, in the order of their slots. */
  readonly values: readonly unknown[]
}

/** The maximum size of one answer. */
export interface AnswerLimits {
  /** Maximum number of included records. A record that appears several times counts several times. */
  readonly maxIncluded: number
  /** Maximum size of the records as JSON, in bytes. */
  readonly maxBytes: number
  /** Maximum number of records of the resource that a request may ask for. */
  readonly maxRows: number
}

/** The members that the plans of all reads of records have in common. */
interface AnswerPlan extends PlannedRows {
  readonly selection: Selection
  /** The limits of the answer. Absent if includes cannot make the answer larger than its rows. */
  readonly limits?: AnswerLimits
  /** An earlier statement of the read has left open whether the answer is within its limits. */
  readonly isDoubtful?: true
}

/** The rows of a page, and how the answer describes them. */
export interface Window {
  readonly style: SkippingStyle
  /** Number of rows to skip. */
  readonly offset: number
  /** Maximum number of rows in the page, at least 1. */
  readonly limit: number
  /**
   * The total: counted, the estimate of PostgreSQL's planner if the page does not tell the total, no total, or counted
   * up to a number.
   */
  readonly count: Count
}

/** A list of records. */
export interface ListPlan extends AnswerPlan {
  readonly kind: 'list'
  readonly order: readonly (OrderTerm | CustomTerm)[]
  readonly window: Window
  /** The facets beside the page. Absent if the request asks for none. */
  readonly facets?: readonly PlannedFacet[]
  /** Number of rows to fetch: those of the page, and one more if it is needed to tell whether there is a next page. */
  readonly fetchSlot: Slot
  /** Number of rows in the page. */
  readonly limitSlot: Slot
  readonly offsetSlot: Slot
  /** An earlier statement of the read has shown that the filters keep many rows. */
  readonly hasManyRows?: true
}

/**
 * A place in an order. It is defined by the sort values of a row, which may have been removed or changed in the
 * meantime.
 */
export interface Place {
  /** Whether the page contains the rows after the place, in order, or those before it, the nearest first. */
  readonly side: 'after' | 'before'
  /** Whether the page also contains a row with exactly these values. */
  readonly inclusive: boolean
  /** The slots of the values, one for each term of the order. A slot is null if the value is null. */
  readonly slots: readonly (Slot | null)[]
  /** The values as texts, as the database writes them. */
  readonly texts: SortTexts
}

/** The sort values of a row as texts, one for each term of the order (`column::text`, datetimes in UTC). */
export type SortTexts = readonly (string | null)[]

/** A value of the configuration that SQL text can contain. */
export type FixedValue = string | number | boolean

/** A page of a list that starts at a place in its order. Its cost does not depend on the rows before the place. */
export interface KeysetPlan extends AnswerPlan {
  readonly kind: 'keyset'
  readonly order: readonly OrderTerm[]
  readonly facets?: readonly PlannedFacet[]
  /** Maximum number of rows in the page, at least 1. */
  readonly limit: number
  /** Number of rows to fetch: those of the page, `spare` more, and the witness. */
  readonly fetchSlot: Slot
  /** Number of rows to fetch beyond the page: 1 tells whether others follow. */
  readonly spare: 0 | 1
  /** The number of rows to fetch, if the page has the default size of the whitelist. The statement may contain it. */
  readonly usualFetch?: number | undefined
  /** Values of the configuration, by their slots. The statement may contain them. */
  readonly fixed?: ReadonlyMap<Slot, FixedValue>
  /** The place where the page starts. Absent for the first page. */
  readonly place?: Place
  /**
   * Whether to fetch the row that is exactly at the place, although the page does not contain it. It proves that there
   * are rows on the other side, at no cost, because the statement starts to read there anyway.
   */
  readonly witness: boolean
  /** The text that all cursors of this list have in common. */
  readonly fingerprint: string
}

/** All records that the filters keep, in order and without a limit. */
export interface StreamPlan extends AnswerPlan {
  readonly kind: 'stream'
  readonly order: readonly (OrderTerm | CustomTerm)[]
  /** Whether the stream reads whole records, or only the keys by which a `RecordsPlan` finds them. */
  readonly reads: 'records' | 'keys'
}

/** Records of a stream by their keys, in the order of the keys. */
export interface RecordsPlan extends AnswerPlan {
  readonly kind: 'records'
  /** The list of keys, as the texts that a `StreamPlan` of keys reads. */
  readonly keysSlot: Slot
  /** The lists of values, one for each column of the key. */
  readonly columnSlots: readonly Slot[]
}

/** One record by its key. */
export interface GetPlan extends AnswerPlan {
  readonly kind: 'get'
}

/** The number of rows, counted or as PostgreSQL's planner estimates it, or whether a row exists. */
export interface CountPlan extends PlannedRows {
  readonly kind: 'count' | 'estimate' | 'exists'
}

/** A term of the order of groups: a group, or a number about groups. */
export interface GroupOrder {
  readonly by: GroupTerm | GroupNumber
  readonly descending: boolean
}

/** What a request groups by, the numbers that it asks for, and their order. It depends only on names. */
export interface Grouping {
  readonly groups: readonly GroupTerm[]
  readonly numbers: readonly GroupNumber[]
  readonly order: readonly GroupOrder[]
}

/** A page of groups, with numbers about their rows. */
export interface AggregatePlan extends PlannedRows {
  readonly kind: 'aggregate'
  readonly groups: readonly GroupTerm[]
  readonly numbers: readonly GroupNumber[]
  /** A total order: it contains every group. */
  readonly groupOrder: readonly GroupOrder[]
  readonly window: Window
  /** Whether the answer must have all groups, because nothing in it would say that there are more. */
  readonly isWhole: boolean
  readonly limitSlot: Slot
  readonly offsetSlot: Slot
  /** Maximum size of the items as JSON, in bytes. */
  readonly maxBytes: number
}

export type ReadPlan = ListPlan | KeysetPlan | GetPlan | CountPlan | StreamPlan | RecordsPlan | AggregatePlan
