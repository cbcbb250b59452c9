/** The types of a client: what the methods of its resources take and return. */
import type { IsAny } from '../config/index.ts'
import type { CursorInfo, OffsetInfo, PageInfo } from '../run/index.ts'
import type { Aggregates, Entries, Fields, RelatedFields, Relations, UrlName } from './names.ts'
import type { RecordOf } from './records.ts'
import type { AnyFilter, CreateBody, FilterInput, KeyOf, UpdateBody } from './values.ts'

/** The resources of an API, by path. */
export type Client<Api> = { readonly [Path in keyof Api]: Api[Path] }

/** A page by number. */
export interface Page<Item> extends PageInfo {
  readonly items: Item[]
}
/** A page by offset. */
export interface OffsetPage<Item> extends OffsetInfo {
  readonly items: Item[]
}
/** A page by cursor. */
export interface CursorPage<Item> extends CursorInfo {
  readonly items: Item[]
}

/** What every request takes. */
export interface CallOptions {
  /** Ends the request. It rejects with the reason of the abort. */
  readonly signal?: AbortSignal
}

/** What a request takes that changes a record of one version. */
export interface WriteOptions extends CallOptions {
  /**
   * Change nothing unless the record still has this version: an entity tag, or a record that this client returned. A
   * record without a version is a `TypeError`.
   */
  readonly ifMatch?: string | object
}

type Filters<Entity, Options> = IsAny<Entries<Options, 'allowedFilters'>> extends true
  ? { readonly [Name in string]?: AnyFilter }
  : [Entries<Options, 'allowedFilters'>] extends [never] ? never
      : Filter<keyof FilterInputs<Entity, Options> & string, FilterInputs<Entity, Options>>

type FilterInputs<Entity, Options> = {
  readonly [Entry in Entries<Options, 'allowedFilters'> as UrlName<Entry>]: FilterInput<Entity, Entry>
}

/** The names stand first, so that an error about another name shows them. */
type Filter<Names extends string, Inputs> = {
  readonly [Name in Names]?: Name extends keyof Inputs ? Inputs[Name] : never
}

type SortNames<Options> = IsAny<Entries<Options, 'allowedSorts'>> extends true ? string
  : UrlName<Entries<Options, 'allowedSorts'>>
type Sorts<Options> = `${'' | '-' | '+'}${SortNames<Options>}`

/** The names that an `include` may hold. */
export type IncludeNames<Entity, Options> = IsAny<Entries<Options, 'allowedIncludes'>> extends true ? string
  : (keyof Relations<Options> | keyof Aggregates<Entity, Options>) & string

/** The names that `fields` may hold. */
export type FieldNames<Options> = IsAny<Entries<Options, 'allowedFields'>> extends true ? string
  : Fields<Options> extends { readonly '': { readonly name: infer Name extends string } } ? Name
    : never

/** What `fieldsByInclude` may hold. */
export type FieldsByInclude<Options> = IsAny<Entries<Options, 'allowedFields'>> extends true
  ? { readonly [Path in string]?: readonly string[] }
  : { readonly [Path in keyof RelatedFields<Options>]?: NameList<RelatedFields<Options>[Path]> }

type NameList<Field> = Field extends { readonly name: infer Name } ? readonly Name[] : never
type FieldList<Options> = ReadonlyArray<FieldNames<Options>>
type IncludeList<Entity, Options> = ReadonlyArray<IncludeNames<Entity, Options>>

/** Refuses keys that do not exist, of an object whose type is inferred. */
type Only<Given, Known> = {
  readonly [Name in Exclude<keyof Given, keyof Known>]: `only these have fields: ${keyof Known & string}`
}

/** What records show. */
interface Shown<Options, Selected, Included, ByInclude> extends CallOptions {
  /** Relations to include, and numbers about them. */
  readonly include?: Included
  /** Properties to select. Default: all that are not hidden. */
  readonly fields?: Selected
  /** Properties to select of included records, by the path of the include. */
  readonly fieldsByInclude?: ByInclude & FieldsByInclude<Options> & Only<ByInclude, FieldsByInclude<Options>>
}

/** Which records, and in which order. */
interface Chosen<Entity, Options, Selected, Included, ByInclude> extends Shown<Options, Selected, Included, ByInclude> {
  /** Conditions by name, all of which apply: a value, or an object with a value for each operator. */
  readonly filter?: Filters<Entity, Options>
  /** Names to sort by; `-` for descending. */
  readonly sort?: ReadonlyArray<Sorts<Options>>
}

type Given<T> = [T] extends [never] ? false : true

interface ListQuery<
  Entity,
  Options,
  Selected,
  Included,
  ByInclude,
  Limit,
  Offset,
  Cursor
> extends Chosen<Entity, Options, Selected, Included, ByInclude> {
  /** The number of the page, from 1. */
  readonly page?: Given<Limit | Offset | Cursor> extends true ? never : number
  /** Records of a page. */
  readonly per_page?: Given<Limit | Offset> extends true ? never : number
  /** Records at once; instead of pages. */
  readonly limit?: Limit
  /** Records to skip; instead of pages. */
  readonly offset?: Offset
  /** The place of a page: `next_cursor` or `prev_cursor` of another one, or the empty text for the first. */
  readonly cursor?: Cursor
}

interface PagesQuery<
  Entity,
  Options,
  Selected,
  Included,
  ByInclude
> extends Chosen<Entity, Options, Selected, Included, ByInclude> {
  /** Records of a request. Default: the server's. */
  readonly per_page?: number
  /** The cursor to start from. Default: the first page. */
  readonly cursor?: string
}

type PageOf<Item, Limit, Offset, Cursor> = Given<Cursor> extends true ? CursorPage<Item>
  : Given<Limit | Offset> extends true ? OffsetPage<Item>
    : Page<Item>

/** The record of an answer that nothing is selected or included for. */
type Whole<Entity, Options> = RecordOf<Entity, Options, [], [], {}>

/** The methods of a resource. `Filled`: something may fill in what bodies leave out. `Hard`: rows may be removed. */
export interface ResourceApi<Entity, Options, Writable, Filled extends boolean, Hard> {
  /** A page of records: by `page`, by `limit` and `offset`, or by `cursor`. */
  list<
    const Selected extends FieldList<Options> = [],
    const Included extends IncludeList<Entity, Options> = [],
    const ByInclude extends FieldsByInclude<Options> = {},
    Limit extends number = never,
    Offset extends number = never,
    Cursor extends string = never
  >(
    query?: ListQuery<Entity, Options, Selected, Included, ByInclude, Limit, Offset, Cursor>
  ): Promise<PageOf<RecordOf<Entity, Options, Selected, Included, ByInclude>, Limit, Offset, Cursor>>

  /** The pages of all records, one request after the other, by cursor. */
  pages<
    const Selected extends FieldList<Options> = [],
    const Included extends IncludeList<Entity, Options> = [],
    const ByInclude extends FieldsByInclude<Options> = {}
  >(
    query?: PagesQuery<Entity, Options, Selected, Included, ByInclude>
  ): AsyncIterableIterator<CursorPage<RecordOf<Entity, Options, Selected, Included, ByInclude>>>

  /** All records, one after the other, a page of them at once. */
  each<
    const Selected extends FieldList<Options> = [],
    const Included extends IncludeList<Entity, Options> = [],
    const ByInclude extends FieldsByInclude<Options> = {}
  >(
    query?: PagesQuery<Entity, Options, Selected, Included, ByInclude>
  ): AsyncIterableIterator<RecordOf<Entity, Options, Selected, Included, ByInclude>>

  /** All records of one moment, in one answer, as they arrive. Leaving the loop ends the request. */
  stream<
    const Selected extends FieldList<Options> = [],
    const Included extends IncludeList<Entity, Options> = [],
    const ByInclude extends FieldsByInclude<Options> = {}
  >(
    query?: Chosen<Entity, Options, Selected, Included, ByInclude>
  ): AsyncIterableIterator<RecordOf<Entity, Options, Selected, Included, ByInclude>>

  /** The record with a key. One that there isn't is a `CrudError` with status 404. */
  get<
    const Selected extends FieldList<Options> = [],
    const Included extends IncludeList<Entity, Options> = [],
    const ByInclude extends FieldsByInclude<Options> = {}
  >(
    id: KeyOf<Entity>,
    query?: Shown<Options, Selected, Included, ByInclude>
  ): Promise<RecordOf<Entity, Options, Selected, Included, ByInclude>>

  /** Creates a record and returns it. */
  create(body: CreateBody<Entity, Writable, Filled>, options?: CallOptions): Promise<Whole<Entity, Options>>

  /** Creates records, all of them or none, and returns them. */
  createMany(
    bodies: ReadonlyArray<CreateBody<Entity, Writable, Filled>>,
    options?: CallOptions
  ): Promise<Array<Whole<Entity, Options>>>

  /** Changes the given properties of a record and returns it. */
  update(
    id: KeyOf<Entity>,
    body: UpdateBody<Entity, Writable>,
    options?: WriteOptions
  ): Promise<Whole<Entity, Options>>

  /** Deletes a record and returns it as it was. */
  delete(
    id: KeyOf<Entity>,
    options?: WriteOptions & {
      /** Remove the row, even where it could be marked as deleted. */
      readonly hard?: Hard,
    }
  ): Promise<Whole<Entity, Options>>

  /** Takes a deletion back and returns the record. */
  restore(id: KeyOf<Entity>, options?: WriteOptions): Promise<Whole<Entity, Options>>
}
