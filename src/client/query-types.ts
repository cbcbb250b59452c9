/** The types of what reads ask for: conditions, sorts, fields, includes, facets, groups and pages. */
import type { IsAny, RankedName, UrlName } from '../config/index.ts'
import type { CountParameter } from '../crud/index.ts'
import type { Filters } from './filter-types.ts'
import type { NamesOf } from './group-types.ts'
import type { Aggregates, Entries, Fields, RelatedFields, Relations } from './url-names.ts'

/** Options of every request. */
export interface CallOptions {
  /** Ends the request. It rejects with the reason of the abort. */
  readonly signal?: AbortSignal | undefined
}

type SortNames<Options> = IsAny<Entries<Options, 'allowedSorts'>> extends true ? string
  : UrlName<Entries<Options, 'allowedSorts'>> | RankedName<Options>
type Sorts<Options> = `${'' | '-' | '+'}${SortNames<Options>}`

/** The names that `include` accepts. */
type IncludeNames<Entity, Options> = IsAny<Entries<Options, 'allowedIncludes'>> extends true ? string
  : (keyof Relations<Options> | keyof Aggregates<Entity, Options>) & string

/** The names that `fields` accepts. */
type FieldNames<Options> = IsAny<Entries<Options, 'allowedFields'>> extends true ? string
  : Fields<Options> extends { readonly '': { readonly name: infer Name extends string } } ? Name
    : never

/** The paths and names that `fieldsByInclude` accepts. */
export type FieldsByInclude<Options> = IsAny<Entries<Options, 'allowedFields'>> extends true
  ? { readonly [Path in string]?: readonly string[] }
  : { readonly [Path in keyof RelatedFields<Options>]?: NameList<RelatedFields<Options>[Path]> }

/** One list for all fields, which is not distributed into a list for each field. */
type NameList<Field> = [Field] extends [{ readonly name: infer Name }] ? readonly Name[] : never
export type FieldList<Options> = ReadonlyArray<FieldNames<Options>>
export type IncludeList<Entity, Options> = ReadonlyArray<IncludeNames<Entity, Options>>

/** Refuses unknown keys in an object whose type is inferred. */
type Only<Given, Known> = {
  readonly [Name in Exclude<keyof Given, keyof Known>]: `only these have fields: ${keyof Known & string}`
}

/** Options that select what each record contains. */
export interface Shown<Options, Selected, Included, ByInclude> extends CallOptions {
  /** Relations to include, and aggregates of them. */
  readonly include?: Included
  /** Properties to select. Default: all that are not hidden. */
  readonly fields?: Selected
  /** Properties of included records to select, by the path of the include. */
  readonly fieldsByInclude?: ByInclude & FieldsByInclude<Options> & Only<ByInclude, FieldsByInclude<Options>>
}

/** Options that select the records and their order. */
export interface Chosen<Entity, Options, Grouped, Selected, Included, ByInclude>
  extends Shown<Options, Selected, Included, ByInclude> {
  /**
   * Conditions by name, all of which apply: a value, or an object with a value for each operator. If the resource has
   * the option `query`, also groups of conditions: `{ or: [{ status: 'open' }, { price: { gte: 100 } }] }`. A condition
   * that is undefined is left out, so that more records match.
   */
  readonly filter?: Filters<Entity, Options, Grouped>
  /** Names to sort by; `-` for descending. */
  readonly sort?: ReadonlyArray<Sorts<Options>>
}

/** Whether a type argument was inferred. */
export type Given<T> = [T] extends [never] ? false : true

/**
 * How a list is divided into pages. The arguments of a call tell it. TypeScript's `Parameters` sets each type argument
 * to its constraint, so that both a cursor and an offset are given: this counts as a page by number, as in `PageOf`.
 */
type StyleOf<Limit, Offset, Cursor> = Given<Cursor> extends true
  ? Given<Limit | Offset> extends true ? 'page' : 'cursor'
  : Given<Limit | Offset> extends true ? 'offset'
    : 'page'

/** The page of a list or of groups: by number, or by offset. */
interface Placed<Limit, Offset, Cursor> {
  /** The number of the page, from 1. */
  readonly page?: StyleOf<Limit, Offset, Cursor> extends 'page' ? number : never
  /** Number of records of a page. */
  readonly per_page?: StyleOf<Limit, Offset, Cursor> extends 'offset' ? never : number
  /** Largest number of records. Replaces pages. */
  readonly limit?: Limit
  /** Number of records to skip. Replaces pages. */
  readonly offset?: Offset
}

/**
 * The place of a page by cursor. From the first form, TypeScript infers whether a variable may be undefined. From a
 * property that may be missing, it would infer a text.
 */
export type CursorOption<Cursor> = RequiredCursor<Cursor> | Partial<RequiredCursor<Cursor>>

interface RequiredCursor<Cursor> {
  /** The place of a page: `next_cursor` or `prev_cursor` of another page, or the empty text for the first page. */
  readonly cursor: Cursor
}

/** The query of a list, but for its cursor. */
export interface ListQuery<
  Entity,
  Options,
  Grouped,
  Selected,
  Included,
  ByInclude,
  Facets,
  Limit,
  Offset,
  Cursor
> extends Chosen<Entity, Options, Grouped, Selected, Included, ByInclude>, Placed<Limit, Offset, Cursor> {
  /** Properties whose values to count beside the page, each without the conditions on itself. */
  readonly facets?: Facets
  /** `'none'` leaves the total out. The server's option `countParameter` allows it. */
  readonly count?: StyleOf<Limit, Offset, Cursor> extends 'cursor' ? never : CountParameter<Options>
}

/** The query of an aggregate. Groups have no cursors: `Cursor` is only there for `StyleOf`. */
export interface AggregateQuery<Entity, Options, Grouped, Group, Numbers, Limit, Offset, Cursor>
  extends CallOptions, Placed<Limit, Offset, Cursor> {
  /** Conditions on the records, as in lists. */
  readonly filter?: Filters<Entity, Options, Grouped>
  /** What to group by. Without it, the answer has one item about all records. */
  readonly group?: Group
  /** The numbers to compute for each group. */
  readonly aggregate?: Numbers
  /** Groups and numbers of this request to sort by; `-` for descending. */
  readonly sort?: ReadonlyArray<`${'' | '-' | '+'}${NamesOf<Group> | NamesOf<Numbers>}`>
}

/** What `pages` and `each` ask for. */
export interface PagesQuery<Entity, Options, Grouped, Selected, Included, ByInclude>
  extends Chosen<Entity, Options, Grouped, Selected, Included, ByInclude> {
  /** Number of records of each request. Default: the server's. */
  readonly per_page?: number
  /** The cursor to start from. Default: the first page. */
  readonly cursor?: string
}
