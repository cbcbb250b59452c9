/**
 * The types of `resources.json`, the document from which the explorer's page knows the API. The page and the server
 * share these types. The document has only what the caller may use. With `access`, that depends on the caller's role.
 *
 * URLs in the page
 * - `index.html` answers every path below the explorer's prefix, with a `<base href>` that the server sets. So
 *   `document.baseURI` is the root of the explorer, and `resources.json` is relative to it.
 * - `new URL(description.root, document.baseURI)` is the root of the API. All paths of resources are relative to it:
 *   `new URL(resource.path.slice(1), apiRoot)`.
 * - If a request for `resources.json` is refused, the answer is that of the resources' routes: 401 or 403, with their
 *   body and their `WWW-Authenticate`.
 */
import type { TypeName } from '../model/types/index.ts'

/** What the explorer of a caller shows: the body of `resources.json`. */
export interface ExplorerDescription {
  /** The version of this format. */
  readonly format: 1
  /** The name of the API, for the title of the page. */
  readonly title: string
  /** The root of the API, relative to the root of the explorer: `../`. */
  readonly root: string
  /** The path of other documentation, relative to the root of the API, such as `docs`. `null` if it is unknown. */
  readonly docs: string | null
  /** The resources that the caller may use, in the order of their registration. */
  readonly resources: readonly ResourceDescription[]
  /** The role of the caller. `null` if the API has no roles. */
  readonly role: string | null
  /** The names of all roles during development; otherwise, and without roles, empty. */
  readonly roles: readonly string[]
  /** Headers that tell the API who is calling, for forms in which a person enters credentials. */
  readonly headers: readonly HeaderHint[]
  /** Whether `explain?path=...` answers with an `Explanation`. */
  readonly explain: boolean
  /** The limits of requests. */
  readonly limits: {
    /** The maximum number of paths in `include`. */
    readonly includes: number,
    /** The maximum number of relations in a path of `include`. */
    readonly includeDepth: number,
    /** The maximum number of items in the list of a filter. */
    readonly listItems: number,
    /** The maximum number of groups (`and`, `or` and `not`) around a condition. */
    readonly groupDepth: number,
    /** The maximum number of conditions of a query that has groups. */
    readonly conditions: number,
    /** The maximum number of characters of a pattern. */
    readonly patternLength: number,
    /** The maximum number of characters of a query string. */
    readonly queryLength: number,
  }
}

/** A header with credentials. */
export interface HeaderHint {
  /** The name of the header: `authorization`, `x-api-key`. */
  readonly name: string
  /** The text before the credentials: `Bearer `. It may be empty. */
  readonly prefix: string
  /** A sentence about the header. */
  readonly description: string | null
  /** Values that the header may have, such as names of roles. Empty if any value is possible. */
  readonly values: readonly string[]
}

/** A resource, as the caller may use it. */
export interface ResourceDescription {
  /** The prefix of its routes from the root of the API: `/categories`. It identifies the resource. */
  readonly path: string
  /** Its name in the documentation and in `fields[<name>]`: `categories`. */
  readonly name: string
  /** Its name for people: `Categories`. */
  readonly title: string
  /** The name of its entity: `Category`. */
  readonly entity: string
  /** The operations that the caller may use. */
  readonly operations: Operations
  /** The segments of a record's path after the resource's path, in order: `/categories/:id`. */
  readonly key: readonly KeySegment[]
  /** The property that contains a record's version, which is also its `ETag`. `null` without versions. */
  readonly version: string | null
  /** Present if deleted records are only marked as deleted. */
  readonly softDelete: SoftDelete | null
  /** The properties of records, in order. Requests without `fields` get all of them. */
  readonly fields: readonly FieldDescription[]
  /** The records that bodies write together with a record. */
  readonly children: readonly Children[]
  /** The relations and aggregates that `include` accepts. */
  readonly includes: readonly IncludeDescription[]
  /** The filters that the caller may use. */
  readonly filters: readonly FilterDescription[]
  /** The sorts that the caller may use. */
  readonly sorts: readonly SortDescription[]
  /** The order if the request has no `sort`. The key follows in any case. */
  readonly defaultSort: readonly DefaultSort[]
  /** The defaults and limits of pages. */
  readonly paging: Paging
  /** Whether filters may be combined by `and`, `or` and `not`: `filter[or][0][status]=open`. */
  readonly combinesFilters: boolean
  /** The facets that `facets` of a list may name. */
  readonly facets: readonly FacetDescription[]
  /** What `group` of `GET /categories/aggregate` may name. Empty if the caller may not use the operation. */
  readonly groups: readonly GroupDescription[]
  /** The numbers that `aggregate` of `GET /categories/aggregate` may name. */
  readonly numbers: readonly NumberDescription[]
  /** The defaults and limits of pages of groups. */
  readonly groupPaging: Paging
  /** The media types, beside JSON, in which `GET` with `Accept` sends all records of a list. */
  readonly downloads: ReadonlyArray<'application/x-ndjson' | 'text/csv'>
  /** How to find a record by a text, for fields that refer to this resource. `null` if there is no way. */
  readonly lookup: Lookup | null
  /** The JSON Schemas of bodies. `null` if the operation is not offered. */
  readonly bodies: {
    readonly create: JsonSchema | null,
    readonly update: JsonSchema | null,
    readonly upsert: JsonSchema | null,
  }
  /** The keys that `on` of an upsert may name, each as the names of its fields. */
  readonly upsertKeys: ReadonlyArray<readonly string[]>
  /** Whether writes take the header `Idempotency-Key`, with which they can be repeated. */
  readonly idempotency: boolean
  /** Whether answers have the header `Server-Timing`. */
  readonly serverTiming: boolean
}

/** The operations of a resource that the caller may use. */
export interface Operations {
  /** `GET /categories` */
  readonly list: boolean
  /** `GET /categories/:id` */
  readonly get: boolean
  /** `POST /categories` with a record. */
  readonly create: boolean
  /** `POST /categories` with a list of at most `maxBatch` records. */
  readonly createMany: boolean
  /** `PUT /categories?on=<key>` with a record, or a list of at most `maxBatch` records. */
  readonly upsert: boolean
  /** `PATCH /categories/:id` and `PUT /categories/:id`. */
  readonly update: boolean
  /** `DELETE /categories/:id` */
  readonly delete: boolean
  /** `POST /categories/:id/restore` */
  readonly restore: boolean
  /** `PATCH /categories` with filters. */
  readonly updateMany: boolean
  /** `DELETE /categories` with filters. */
  readonly deleteMany: boolean
  /** `GET /categories/aggregate` */
  readonly aggregate: boolean
  /** The maximum number of records of one `createMany` or `upsert`. */
  readonly maxBatch: number
  /** The maximum number of records that one `updateMany` or `deleteMany` may write. */
  readonly maxAffected: number
  /** Whether `DELETE /categories/:id?hard=true` removes the row of an entity that is otherwise marked as deleted. */
  readonly hardDelete: boolean
  /** Whether `PATCH`, `PUT` and `DELETE` need `If-Match`. */
  readonly requireIfMatch: boolean
}

/** A segment of a record's path. Encode its value with `encodeURIComponent`. */
export interface KeySegment {
  /** The property of the record that has the value. */
  readonly field: string
  /** The member of that property, if the property is the composite key of another record. */
  readonly member: string | null
}

/** How records are marked as deleted. */
export interface SoftDelete {
  /** The property that tells when a record was deleted. `null` if the caller does not see it. */
  readonly field: string | null
  /** The filter with the values `with`, `only` and `without`. `null` if lists never show deleted records. */
  readonly filter: string | null
}

/** The type of values. */
export interface ValueDescription {
  /** The name of the type. */
  readonly type: ValueTypeName
  /** The form in JSON of records and bodies. */
  readonly json: 'string' | 'number' | 'boolean' | 'object' | 'array' | 'any'
  /** The values of an enum. */
  readonly items?: readonly (string | number)[]
  /** The type of the items of an array, or of the ends of a range. */
  readonly element?: ValueDescription
  /** The properties of an embedded object. `json` is `array` for a list of such objects. */
  readonly members?: readonly FieldDescription[]
  /** The smallest value. */
  readonly minimum?: number
  /** The largest value. */
  readonly maximum?: number
  /** The maximum number of characters. */
  readonly maxLength?: number
  /** The number of digits of a decimal, and of those after the point. */
  readonly precision?: number
  /** The number of digits after the point. */
  readonly scale?: number
  /** Whether a datetime has a time zone. Values are in UTC in any case. */
  readonly zoned?: boolean
}

/**
 * The name of a type of values. `object` is an embedded object, or a list of them. `custom` is a type of the
 * application, whose values only the server knows. The server shows a type that is `other` as text.
 */
export type ValueTypeName = TypeName | 'object' | 'custom'

/** A property of a record. */
export interface FieldDescription {
  /** Its key in records and bodies. */
  readonly name: string
  /** Its name in `fields`, or in `fields[<include>]`. `null` if it cannot be selected alone. */
  readonly select: string | null
  /** The type of its value. For a to-one relation, the type of the key, or `object` for a composite key. */
  readonly value: ValueDescription
  /** Whether the value may be null. */
  readonly nullable: boolean
  /** Whether it belongs to the primary key. */
  readonly key: boolean
  /** Whether bodies of create may have it. Always false in included records. */
  readonly create: boolean
  /** Whether bodies of update may have it. Always false in included records. */
  readonly update: boolean
  /** Present if the value is the key of a related record. Included, the value is the record, or null. */
  readonly reference: Reference | null
}

/**
 * Records that belong to a record, and that bodies write together with it. The schemas of the bodies say whether new
 * ones may be added, and present ones changed and removed.
 */
export interface Children {
  /** Their key in bodies and in answers. */
  readonly name: string
  /** The name of their entity: `OrderLine`. */
  readonly entity: string
  /** Their properties. `create`: those of new ones, `update`: those that can be changed. */
  readonly fields: readonly FieldDescription[]
  /** The names of the parts of a key, by which an update names those to change and to remove. Empty for new records. */
  readonly key: readonly string[]
}

/** A related record. */
export interface Reference {
  /** The name of its entity: `Author`. */
  readonly entity: string
  /** The path of the resource that has its records. `null` if the caller has no such resource. */
  readonly resource: string | null
}

/** A relation, or a number about a relation, that records may show. */
export type IncludeDescription = RelationDescription | AggregateDescription

/** A relation that records may show. */
export interface RelationDescription {
  /** Tells it from an aggregate. */
  readonly kind: 'relation'
  /** Its full path in `include` and in `fields[<path>]`: `products.tags`. */
  readonly path: string
  /** Its key in records, which differs from the last part of the path if it has an alias. */
  readonly name: string
  /** Whether it may be included. Otherwise it only leads to other includes, which imply it. */
  readonly allowed: boolean
  /** Whether it is to-many. */
  readonly many: boolean
  /** The maximum number of records of each parent. `null` without a limit. */
  readonly limit: number | null
  /** The entity and the resource of the related records. */
  readonly reference: Reference
  /** The properties of the related records. */
  readonly fields: readonly FieldDescription[]
  /** The includes that start from the related records. */
  readonly includes: readonly IncludeDescription[]
  /** The list of the related records. `null` if no resource of the caller has such a list. */
  readonly list: RelatedList | null
}

/** The list of the records that are related to a record: `/products?filter[category]=<id>`. */
export interface RelatedList {
  /** The path of the resource. */
  readonly resource: string
  /** The parameter that compares the key: `filter[category]`. */
  readonly parameter: string
  /** The property of the record at hand whose value the parameter gets: `id`. */
  readonly field: string
}

/** A number about a relation, or the smallest or largest value in it. */
export interface AggregateDescription {
  /** Tells it from a relation. */
  readonly kind: 'aggregate'
  /** Its full path in `include`: `productsCount`. */
  readonly path: string
  /** Its key in records. */
  readonly name: string
  /** The function that makes the value. */
  readonly function: 'count' | 'exists' | 'sum' | 'min' | 'max' | 'avg'
  /** The relation as it is named in records: `products`. */
  readonly relation: string
  /** The property whose values are aggregated. `null` for `count` and `exists`. */
  readonly property: string | null
  /** The type of the value. */
  readonly value: ValueDescription
  /** Whether it is null if there are no related records. */
  readonly nullable: boolean
}

/** A filter that the caller may use. */
export interface FilterDescription {
  /** Its name in URLs: `price`, `products.name`, `q`. */
  readonly name: string
  /**
   * - `operators`: compares a property. Its operators have names.
   * - `search`: finds a text in several properties.
   * - `fullText`: finds words in several properties. The sort with its name orders by relevance, beside the filter.
   * - `anyOf`: compares several properties, and one of them must match.
   * - `trashed`: says whether deleted records are shown.
   * - `scope`, `custom`: as the server defines it.
   */
  readonly kind: 'operators' | 'search' | 'fullText' | 'anyOf' | 'trashed' | 'scope' | 'custom'
  /** How values are given, the default first. A filter without operators has one entry, whose name is `null`. */
  readonly operators: readonly OperatorDescription[]
  /** The key in records of the property that it compares, if it is a property of the record itself. */
  readonly field: string | null
  /** Whether the property can be null. */
  readonly nullable: boolean
  /** The relations on the way to the property: `['category']`. Empty for properties of the record itself. */
  readonly relations: ReadonlyArray<{ readonly name: string, readonly many: boolean, readonly reference: Reference }>
  /** Present if the values are keys of related records, which can be looked up. */
  readonly reference: Reference | null
  /** The value that applies if the URL does not have the filter. */
  readonly default: string | readonly string[] | null
  /** A sentence about the filter. */
  readonly description: string
}

/** An operator of a filter, or the filter itself if it has no operators. */
export interface OperatorDescription {
  /** Its name: `gte`. `null` for filters without operators. */
  readonly name: string | null
  /** The parameter that uses it: `filter[price][gte]`. For the default operator: `filter[price]`. */
  readonly parameter: string
  /**
   * What it takes:
   * - `one`: a value, in which a comma is data
   * - `text`: a text to search for, or a pattern
   * - `list`: values, separated by commas; or the parameter with `[]`, repeated
   * - `pair`: a list of two values, the lower one first
   * - `boolean`: `true` or `false`
   * - `tuple`: a list with a value for each of `parts`
   */
  readonly takes: 'one' | 'text' | 'list' | 'pair' | 'boolean' | 'tuple'
  /** The type of a value, or of an item. For `boolean` a boolean. `null` for `tuple`, and if only the server knows. */
  readonly value: ValueDescription | null
  /** The parts of a `tuple`, in order. */
  readonly parts?: ReadonlyArray<{ readonly name: string, readonly value: ValueDescription }>
  /** The rest of a sentence that begins with the name of the property: `is at least the value`. */
  readonly meaning: string
  /** An example as it is written in a URL, before percent-encoding. `null` if only the server knows. */
  readonly example: string | null
}

/** A sort that the caller may use. */
export interface SortDescription {
  /** Its name in `sort`. With `-` before it, it is descending; with `+`, ascending. */
  readonly name: string
  /** Whether the bare name is descending. */
  readonly descending: boolean
  /** The path in records of the property that it sorts by: `name`, `author.name`. `null` for other orders. */
  readonly field: string | null
  /** Whether pages by cursor are possible in this order. */
  readonly cursor: boolean
  /** Whether it is by relevance: the filter of the same name must stand beside it, in no group but an `and`. */
  readonly relevance: boolean
}

/** A part of the default order. */
export interface DefaultSort {
  /** The path in records of a property. `null` for orders that only the server knows. */
  readonly field: string | null
  /** The name in `sort` that has the same effect. `null` if no name has. */
  readonly name: string | null
  /** Whether it is descending. */
  readonly descending: boolean
}

/** A property whose values divide records into groups: that of a facet, or of a group of aggregates. */
export interface DividingProperty {
  /** The type of the values. */
  readonly value: ValueDescription
  /** Present if the values are keys of related records. */
  readonly reference: Reference | null
  /** The name of the filter that compares the property and no other. `null` if the caller has no such filter. */
  readonly filter: string | null
  /**
   * Whether `isnull` of the filter chooses the records without a value. It never does behind a relation: the value is
   * also null for a record without a related one, and this filter only compares values that related records have.
   */
  readonly isnull: boolean
}

/** A facet of lists: the values of a property, each with its number of records. */
export interface FacetDescription extends DividingProperty {
  /** Its name in `facets` and in answers: `status`, `category.name`. */
  readonly name: string
  /** The maximum number of values. */
  readonly limit: number
}

/** What aggregates may group by: the values of a property, or the periods of a date or a moment. */
export interface GroupDescription extends DividingProperty {
  /** Its name in `group` and `sort`: `status`, `created_at.month`. */
  readonly name: string
  /** Its key in items: `created_at_month`. */
  readonly key: string
  /** Present for periods, whose values are the dates of their first days. */
  readonly period: {
    /** The name without the unit: `created_at`. */
    readonly property: string,
    readonly unit: 'day' | 'week' | 'month' | 'year',
    /** The time zone in which moments belong to days. `null` for dates, which have none. */
    readonly timeZone: string | null,
  } | null
}

/** A number about groups. */
export interface NumberDescription {
  /** Its name in `aggregate` and `sort`: `count`, `price.sum`. */
  readonly name: string
  /** Its key in items: `price_sum`. */
  readonly key: string
  /** The function that makes the value. */
  readonly function: 'count' | 'countDistinct' | 'sum' | 'avg' | 'min' | 'max'
  /** The property whose values are aggregated, as in `name`: `price`. `null` for `count`. */
  readonly property: string | null
  /** The type of the value. */
  readonly value: ValueDescription
  /** Whether it is null for a group without values. */
  readonly nullable: boolean
}

/** The defaults and limits of pages. */
export interface Paging {
  /** The size of a page without `per_page`. */
  readonly defaultPerPage: number
  /** The maximum of `per_page` and `limit`. */
  readonly maxPerPage: number
  /** The maximum number of records that `page` and `offset` can skip. */
  readonly maxOffset: number
  /** Whether totals are counted, are estimates, are null, or are counted up to a number. Pages by cursor have none. */
  readonly count: 'exact' | 'planned' | 'none' | { readonly upTo: number }
  /** Whether pages by cursor are possible in the default order. */
  readonly cursor: boolean
}

/** How to find a record by a text: `GET /authors?filter[name][contains]=ann`. */
export interface Lookup {
  /** The parameter that gets the text. `null` if lists can only be read from their start. */
  readonly parameter: string | null
  /** The property of records that people recognize them by. */
  readonly label: string
  /** The value of `fields` with which records have only their key and label. `null` if `fields` cannot name both. */
  readonly fields: string | null
  /** The name in `sort` that sorts by the label. `null` if records cannot be sorted by it. */
  readonly sort: string | null
}

/** A JSON Schema (2020-12) without references. Bodies are objects without additional properties. */
export interface JsonSchema {
  readonly type?: string
  readonly title?: string
  readonly description?: string
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly required?: readonly string[]
  readonly items?: JsonSchema
  readonly anyOf?: readonly JsonSchema[]
  readonly enum?: readonly unknown[]
  readonly format?: string
  readonly pattern?: string
  readonly minimum?: number
  readonly maximum?: number
  readonly maxLength?: number
  readonly examples?: readonly unknown[]
  readonly readOnly?: boolean
  readonly contentEncoding?: string
  readonly [keyword: string]: unknown
}

/**
 * The answer of `explain?path=<path and query of a GET, percent-encoded>`, such as
 * `explain?path=%2Fproducts%3Fsort%3Dname`. It needs the same authorization as that request, and refuses it with the
 * same answer.
 */
export interface Explanation {
  /** The statements of the request, in order. */
  readonly statements: readonly ExplainedStatement[]
  /** Sentences about missing indexes. */
  readonly advice: readonly string[]
}

/** A statement of the request, with its plan. */
export interface ExplainedStatement {
  /** The text of the statement. */
  readonly sql: string
  /** The values of `$1`, `$2`, ... as texts. */
  readonly parameters: readonly (string | null)[]
  /** The lines of PostgreSQL's plan, with times. */
  readonly plan: readonly string[]
  /** The time that the statement took. */
  readonly milliseconds: number
}
