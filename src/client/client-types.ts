/** The types of a client: its resources' methods, the options of writes, and pages. */
import type { Target, UpsertOn } from '../config/index.ts'
import type { TotalOf, UpsertResult } from '../crud/index.ts'
import type { Affected } from '../write/index.ts'
import type { CursorInfo, OffsetInfo, PageInfo } from '../base/page-styles.ts'
import type { Filters } from './filter-types.ts'
import type { Faceted, FacetNames, GroupItem, GroupNames, NumberNames } from './group-types.ts'
import type { ChildName, CreateBody, KeyOf, Listed, OwnChanges, UpdateBody, UpsertBody } from './input-values.ts'
import type {
  AggregateQuery, CallOptions, Chosen, CursorOption, FieldList, FieldsByInclude, Given, IncludeList, ListQuery,
  PagesQuery, Shown,
} from './query-types.ts'
import type { RecordOf } from './records.ts'
import type { AnyRecord } from './url-names.ts'

/** The resources of an API, by path. */
export type Client<Api> = { readonly [Path in keyof Api]: Api[Path] }

/** A page by number. `Total` is a number if all answers have a total. */
export interface Page<Item, Total = number | null> extends Omit<PageInfo, 'total'> {
  /** The records of the page. */
  readonly items: Item[]
  /** The number of all records that match. `null` if they are not counted. */
  readonly total: Total
}
/** A page by offset. `Total` is a number if all answers have a total. */
export interface OffsetPage<Item, Total = number | null> extends Omit<OffsetInfo, 'total'> {
  /** The records of the page. */
  readonly items: Item[]
  /** The number of all records that match. `null` if they are not counted. */
  readonly total: Total
}
/** A page by cursor. */
export interface CursorPage<Item> extends CursorInfo {
  /** The records of the page. */
  readonly items: Item[]
}

/** Options of a write. `Key` is `never` unless the resource has the option `idempotency`. */
export interface RepeatableOptions<Key = never> extends CallOptions {
  /**
   * Repeats the write after a 503, or if it had no complete answer, and does it only once: `true` for a new key, or a
   * key of yours, which you can use again in a later call. `retries` of the client says how often.
   */
  readonly idempotencyKey?: Key
}

/** Options of a write to one record. */
export interface WriteOptions<Key = never> extends RepeatableOptions<Key> {
  /**
   * Changes nothing unless the record still has this version. An entity tag, or a record that this client returned. A
   * record without a version throws a `TypeError`.
   */
  readonly ifMatch?: string | object
}

/** The records of a write of many: those that a list with the same filter shows. */
export interface ManyQuery<Filter> {
  /**
   * Conditions by name, all of which apply. At least one must leave out records. A condition that is undefined or empty
   * throws a `TypeError`, because more records would match without it.
   */
  readonly filter: Filter
}

/** Options of a write of many records. */
export interface ManyWriteOptions<Key = never> extends RepeatableOptions<Key> {
  /** Only count the records that would be written. Default: false. */
  readonly dryRun?: boolean
}

/** Not a list. Otherwise a list would be a record of which all properties are missing. */
interface NoList {
  readonly [Symbol.iterator]?: never
}

/** Options of an upsert. */
export interface UpsertOptions<On, Key = never> extends RepeatableOptions<Key> {
  /** The properties that find the record: one of the keys in the server's `upsertKeys`. */
  readonly on: On
}

/**
 * The answer of a list. A cursor that is undefined asks for a page by number. No call has both a cursor and an offset.
 * `ReturnType` has both, since it takes all type parameters for as wide as they may be: there, it is the page of a call
 * without a query.
 */
type PageOf<Item, Unasked, Limit, Offset, Cursor, Total> = Given<Cursor> extends true
  ? Given<Limit | Offset> extends true ? Page<Unasked, Total>
    : CursorPage<Item> | (undefined extends Cursor ? Page<Item, Total> : never)
  : Given<Limit | Offset> extends true ? OffsetPage<Item, Total>
    : Page<Item, Total>

/** The record of an answer if nothing is selected or included. */
type Whole<Entity, Options> = RecordOf<Entity, Options, [], [], {}>

/** The record of a write, with the children that the body has added or changed. */
type Written<Entity, Options, Writable, Operation extends 'create' | 'update'> =
  [ChildName<Entity, Listed<Writable, Operation>>] extends [never] ? Whole<Entity, Options>
    :
      & Whole<Entity, Options>
      & {
        [Name in ChildName<Entity, Listed<Writable, Operation>>]?: Array<Whole<Target<Entity[Name & keyof Entity]>, {}>>
      }

/** The options of a resource that change the types of its methods. */
export interface ResourceTraits {
  /** Whether the server may fill in properties that bodies omit. */
  readonly filled: boolean
  /** `boolean` if rows may be removed, otherwise `never`. */
  readonly hard: boolean
  /** The idempotency keys of writes, or `never`. */
  readonly writeKey: string | true
  /** Whether filters may be combined by `and`, `or` and `not`. */
  readonly query: boolean
  /** The keys of upserts. */
  readonly upsertKeys: unknown
}

/** The methods of a resource. */
export interface ResourceApi<Entity, Options, Writable, Traits extends ResourceTraits> {
  /** A page of records: by `page`, by `limit` and `offset`, or by `cursor`. */
  list<
    const Selected extends FieldList<Options> = [],
    const Included extends IncludeList<Entity, Options> = [],
    const ByInclude extends FieldsByInclude<Options> = {},
    const Facets extends ReadonlyArray<FacetNames<Options>> = [],
    Limit extends number = never,
    Offset extends number = never,
    Cursor extends string | undefined = never
  >(
    query?: ListQuery<
      Entity,
      Options,
      Traits['query'],
      Selected,
      Included,
      ByInclude,
      Facets,
      Limit,
      Offset,
      Cursor
    > & CursorOption<Cursor>
  ): Promise<
    & PageOf<
      RecordOf<Entity, Options, Selected, Included, ByInclude>,
      Whole<Entity, Options>,
      Limit,
      Offset,
      Cursor,
      TotalOf<Options>
    >
    & Faceted<Entity, Options, Facets>
  >

  /** Yields the pages of all records, one request after the other, by cursor. */
  pages<
    const Selected extends FieldList<Options> = [],
    const Included extends IncludeList<Entity, Options> = [],
    const ByInclude extends FieldsByInclude<Options> = {}
  >(
    query?: PagesQuery<Entity, Options, Traits['query'], Selected, Included, ByInclude>
  ): AsyncIterableIterator<CursorPage<RecordOf<Entity, Options, Selected, Included, ByInclude>>>

  /** Yields all records one by one. Each request fetches a page. */
  each<
    const Selected extends FieldList<Options> = [],
    const Included extends IncludeList<Entity, Options> = [],
    const ByInclude extends FieldsByInclude<Options> = {}
  >(
    query?: PagesQuery<Entity, Options, Traits['query'], Selected, Included, ByInclude>
  ): AsyncIterableIterator<RecordOf<Entity, Options, Selected, Included, ByInclude>>

  /** Yields all records of one snapshot, from one answer, as they arrive. Leaving the loop ends the request. */
  stream<
    const Selected extends FieldList<Options> = [],
    const Included extends IncludeList<Entity, Options> = [],
    const ByInclude extends FieldsByInclude<Options> = {}
  >(
    query?: Chosen<Entity, Options, Traits['query'], Selected, Included, ByInclude>
  ): AsyncIterableIterator<RecordOf<Entity, Options, Selected, Included, ByInclude>>

  /**
   * Returns the URL of a list, for requests of your own, e.g. with the header `accept: text/csv`. The headers of the
   * client are not part of it.
   */
  url(
    query?: Omit<
      Chosen<
        Entity,
        Options,
        Traits['query'],
        FieldList<Options>,
        IncludeList<Entity, Options>,
        FieldsByInclude<Options>
      >,
      'signal'
    >
  ): string

  /**
   * A page of groups of records, with numbers about the records of each group.
   *
   * @example
   * const { items } = await api['/orders'].aggregate({ group: ['status'], aggregate: ['count'], sort: ['-count'] })
   */
  aggregate<
    const Group extends ReadonlyArray<GroupNames<Entity, Options>> = [],
    const Numbers extends ReadonlyArray<NumberNames<Entity, Options>> = [],
    Limit extends number = never,
    Offset extends number = never,
    Cursor extends string = never
  >(
    query: AggregateQuery<Entity, Options, Traits['query'], Group, Numbers, Limit, Offset, Cursor>
  ): Promise<PageOf<GroupItem<Entity, Options, Group, Numbers>, AnyRecord, Limit, Offset, Cursor, number>>

  /** Returns the record with a key. If it does not exist, throws a `CrudError` with status 404. */
  get<
    const Selected extends FieldList<Options> = [],
    const Included extends IncludeList<Entity, Options> = [],
    const ByInclude extends FieldsByInclude<Options> = {}
  >(
    id: KeyOf<Entity>,
    query?: Shown<Options, Selected, Included, ByInclude>
  ): Promise<RecordOf<Entity, Options, Selected, Included, ByInclude>>

  /** Creates a record and returns it. */
  create(
    body: CreateBody<Entity, Writable, Traits['filled']>,
    options?: RepeatableOptions<Traits['writeKey']>
  ): Promise<Written<Entity, Options, Writable, 'create'>>

  /** Creates all records or none, and returns them. */
  createMany(
    bodies: ReadonlyArray<CreateBody<Entity, Writable, Traits['filled']>>,
    options?: RepeatableOptions<Traits['writeKey']>
  ): Promise<Array<Written<Entity, Options, Writable, 'create'>>>

  /**
   * Changes the record with the key of `on`, or creates it. Properties that the body does not have stay as they are.
   * The types of bodies have no required properties, because only a new record needs them. A list is written as a whole
   * or not at all, and its answers have the same order.
   */
  upsert(
    bodies: ReadonlyArray<UpsertBody<Entity, Writable>>,
    options: UpsertOptions<UpsertOn<Entity, Traits['upsertKeys']>, Traits['writeKey']>
  ): Promise<Array<UpsertResult<Whole<Entity, Options>>>>
  upsert(
    body: UpsertBody<Entity, Writable> & NoList,
    options:
      & UpsertOptions<UpsertOn<Entity, Traits['upsertKeys']>, Traits['writeKey']>
      & WriteOptions<Traits['writeKey']>
  ): Promise<UpsertResult<Whole<Entity, Options>>>

  /** Changes the given properties of a record and returns it. */
  update(
    id: KeyOf<Entity>,
    body: UpdateBody<Entity, Writable>,
    options?: WriteOptions<Traits['writeKey']>
  ): Promise<Written<Entity, Options, Writable, 'update'>>

  /** Sets the same properties in all records that match the filter, or in none. Returns their number. */
  updateMany(
    query: ManyQuery<Filters<Entity, Options, Traits['query']>>,
    changes: OwnChanges<Entity, Writable>,
    options?: ManyWriteOptions<Traits['writeKey']>
  ): Promise<Affected>

  /** Deletes a record and returns it as it was before. */
  delete(
    id: KeyOf<Entity>,
    options?: WriteOptions<Traits['writeKey']> & {
      /** Remove the row, even if the resource marks deleted records instead. */
      readonly hard?: Traits['hard'],
    }
  ): Promise<Whole<Entity, Options>>

  /** Deletes all records that match the filter, or none. Returns their number. */
  deleteMany(
    query: ManyQuery<Filters<Entity, Options, Traits['query']>>,
    options?: ManyWriteOptions<Traits['writeKey']> & {
      /** Remove the rows, even if the resource marks deleted records instead. */
      readonly hard?: Traits['hard'],
    }
  ): Promise<Affected>

  /** Restores a deleted record and returns it. */
  restore(id: KeyOf<Entity>, options?: WriteOptions<Traits['writeKey']>): Promise<Whole<Entity, Options>>
}
