/**
 * The description of a resource for the reference implementation: plain data, with the names that clients see.
 *
 * Rows have values in the form of records: a bigint and a decimal as text, a date as `2024-05-31`, and a to-one
 * relation as the key of the related row. A row that is marked as deleted has a `deleted_at`.
 */

export type Value = any
export type Row = Readonly<Record<string, Value>>

export type ValueType =
  | 'integer'
  | 'bigint'
  | 'decimal'
  | 'float'
  | 'boolean'
  | 'text'
  | 'enum'
  | 'uuid'
  | 'date'
  | 'datetime'
  | 'json'

export interface Property {
  readonly type: ValueType
  readonly nullable?: boolean
  /** Exists in the table, and is hidden from clients. */
  readonly hidden?: boolean
  /** The members of an enum. */
  readonly members?: readonly string[]
  /** The decimal places of a decimal. */
  readonly scale?: number
}

export type Relation =
  /**
   * The row has the key of the related row under the relation's name. An index changes no answer, but statements find
   * rows in another way with it.
   */
  | { readonly kind: 'one', readonly target: string, readonly nullable?: boolean, readonly indexed?: boolean }
  /** Rows of the target whose to-one relation `by` has this row's key. */
  | { readonly kind: 'many', readonly target: string, readonly by: string }
  /** Pairs of keys in a separate table. This row's key is on `side` 0 or 1 of a pair. */
  | { readonly kind: 'links', readonly target: string, readonly table: string, readonly side: 0 | 1 }

export interface Entity {
  readonly name: string
  readonly key: readonly string[]
  /** Properties in the order of the entity. With a property called `deleted_at`, deletions keep the row. */
  readonly properties: Readonly<Record<string, Property>>
  readonly relations: Readonly<Record<string, Relation>>
}

export type Entities = Readonly<Record<string, Entity>>

/** All rows, by entity, and the pairs of many-to-many relations, by table. */
export interface Tables {
  readonly rows: Readonly<Record<string, readonly Row[]>>
  readonly links: Readonly<Record<string, ReadonlyArray<readonly [Value, Value]>>>
}

export type Operator =
  | 'eq'
  | 'ne'
  | 'lt'
  | 'lte'
  | 'gt'
  | 'gte'
  | 'ieq'
  | 'like'
  | 'ilike'
  | 'contains'
  | 'starts'
  | 'ends'
  | 'in'
  | 'nin'
  | 'between'
  | 'isnull'

interface FilterDefaults {
  readonly default?: string | readonly string[]
  readonly ignore?: readonly string[]
}

export interface OperatorFilter extends FilterDefaults {
  readonly kind: 'operators'
  /** The path of a property, or the name of a number about a relation. */
  readonly path: string
  readonly alias?: string
  /** The first one is the default. */
  readonly operators: readonly [Operator, ...Operator[]]
  /** For a path into a JSON property. */
  readonly jsonType?: 'string' | 'number' | 'boolean'
}
export interface PartialFilter extends FilterDefaults {
  readonly kind: 'partial'
  readonly path: string
  readonly alias?: string
}
export type Filter =
  | OperatorFilter
  | PartialFilter
  | { readonly kind: 'search', readonly alias: string, readonly paths: readonly string[] }
  | { readonly kind: 'anyOf', readonly alias: string, readonly filters: ReadonlyArray<OperatorFilter | PartialFilter> }
  | { readonly kind: 'trashed' }

export interface Sort {
  /** Paths of properties, and names of numbers about relations. */
  readonly paths: readonly string[]
  /** With an alias, one name sorts by all paths. Without an alias, each path is a name. */
  readonly alias?: string
  readonly direction: 'asc' | 'desc'
}

export interface Field {
  readonly path: string
  readonly alias?: string
}

/** Only related rows with this value. */
export interface Where {
  readonly property: string
  readonly equals: Value
}

export type AggregateFunction = 'count' | 'exists' | 'sum' | 'min' | 'max' | 'avg'
export type Include =
  | {
    readonly kind: 'relation',
    readonly path: string,
    readonly alias?: string,
    readonly limit?: number,
    /** Paths of the related entity, `-` for descending. */
    readonly sort?: readonly string[],
    readonly where?: Where,
  }
  /** `path` leads to a relation. For sums, means, min and max, it continues to a property of the related rows. */
  | { readonly kind: 'aggregate', readonly function: AggregateFunction, readonly path: string, readonly where?: Where }

/** The values of a property beside a list. */
export interface Facet {
  readonly path: string
  readonly alias?: string
  /** Without one, 20. */
  readonly limit?: number
}

export type Unit = 'day' | 'week' | 'month' | 'year'
/** A group for each value, or for each period of the days or moments. Without a time zone, it is UTC. */
export interface GroupEntry {
  readonly path: string
  readonly alias?: string
  readonly periods?: { readonly units: readonly Unit[], readonly timeZone?: string }
}

export type GroupFunction = 'sum' | 'avg' | 'min' | 'max' | 'countDistinct'
/** Numbers about the values in a group. Without a path, the number of its rows. */
export interface NumberEntry {
  readonly path?: string
  readonly alias?: string
  readonly functions: readonly GroupFunction[]
}

export interface Whitelist {
  readonly entity: string
  /** The name of the resource, which `fields[name]` may use. */
  readonly resource: string
  readonly filters: readonly Filter[]
  readonly sorts: readonly Sort[]
  readonly fields: readonly Field[]
  readonly includes: readonly Include[]
  readonly facets: readonly Facet[]
  readonly groups: readonly GroupEntry[]
  readonly numbers: readonly NumberEntry[]
  /** Each item is a property, or the name of an allowed sort, with an optional `-` or `+`. */
  readonly defaultSort: readonly string[]
  readonly ignoreInvalid: boolean
  readonly perPage: number
  readonly maxPerPage: number
  readonly maxOffset: number
  readonly count: 'exact' | 'none'
  /** Whether requests may leave out the total. */
  readonly countParameter: boolean
}

/** A resource with everything on which its answers may depend. */
export interface World {
  readonly entities: Entities
  readonly tables: Tables
  readonly whitelist: Whitelist
}
