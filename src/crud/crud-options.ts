/** The types of options and results of `CrudBase`. */
import type { EntityName, FilterQuery } from '@mikro-orm/postgresql'
import type {
  AnyKey, InUrl, IsAny, OnlyOptions, PathCheck, QueryBuilderConfig, QueryBuilderOptions, RankedName, Unsigned,
  UpsertKeysOption, UrlName, WritableName, WritableOption,
} from '../config/index.ts'
import type { CrudValues, WireRecord } from './record-types.ts'
import type { InfoOf, PageValues, SkippingStyle, StyleName, TotalInfo } from '../base/page-styles.ts'

/** Checks the names of a configuration against an entity. The configuration may have been made without its type. */
type ConfigCheck<Entity extends object, Config> = Config extends QueryBuilderConfig<any, infer Options>
  ? { readonly '~options': QueryBuilderOptions<Entity> & DefaultSortCheck<Entity, Options> }
  : OnlyOptions<Config> & DefaultSortCheck<Entity, Config>

type DefaultSortCheck<Entity, Options> = Options extends { readonly defaultSort: infer Items extends readonly string[] }
  ? Refusal<SortCheck<Entity, Items[number], SortAlias<Options> | RankedName<Options>>>
  : unknown

type Refusal<Sentence> = [Sentence] extends [never] ? unknown : { readonly defaultSort: Sentence }

/** `never` for an item of a `defaultSort` that is a property or the alias of an allowed sort, else an error message. */
type SortCheck<Entity, Item extends string, Alias> = Item extends unknown
  ? Unsigned<Item> extends Alias ? never : Extract<PathCheck<Entity, Unsigned<Item>, 'sort'>, string>
  : never

/** The names of sorts in the URL that are not names of properties. */
type SortAlias<Options> = Options extends { readonly allowedSorts: ReadonlyArray<infer Sort> }
  ? Sort extends { readonly kind: infer Kind, readonly '~url': InUrl<infer Name, infer Alias> }
    ? (Kind extends 'custom' ? Name : never) | (IsAny<Alias> extends true ? never : Alias)
    : never
  : never

/** The options of `new CrudBase` and of the constructor of a subclass. */
export interface CrudOptions<
  Entity extends object,
  Config extends QueryBuilderOptions<Entity> = QueryBuilderOptions<Entity>,
  Writable extends WritableOption<Entity> = WritableOption<Entity>,
  Keys extends UpsertKeysOption<Entity> = UpsertKeysOption<Entity>
> {
  /** The entity: a class, an `EntitySchema`, or what `defineEntity` returns. */
  readonly model: EntityName<Entity>
  /** The whitelist for clients: a `QueryBuilderConfig` or its options. Default: nothing is allowed. */
  readonly queryConfig?: Config & ConfigCheck<Entity, Config>
  /**
   * The properties that bodies may set: `['name', 'price']`, `{ create: [...], update: [...] }`, or `'all'` for every
   * property that is not generated, hidden or computed. A list may also have owned children, which bodies write with
   * their parent: `['title', { comments: ['body'] }]`. Default: none, and records are neither created nor updated.
   */
  readonly writable?: Writable
  /**
   * The keys by which upserts may find records: names of unique properties, and lists of names that are unique
   * together, as in `['isbn', ['tenant', 'code']]`. Default: none, and there are no upserts.
   */
  readonly upsertKeys?: Keys
  /**
   * The properties whose values before a write the after hooks get as `context.previous`. The statement that replaces
   * the values also reads them. Default: none.
   */
  readonly previous?: ReadonlyArray<AnyKey<Entity>>
  /** Name of the resource in `fields[<name>]`. Default: the name of the entity's table. */
  readonly name?: string
}

/** Options of all methods of `CrudBase`. A method refuses options that it does not know. */
interface CommonOptions<Entity extends object> {
  /** A condition in MikroORM's query language on the resource's own rows. It is combined with all others by AND. */
  readonly scope?: FilterQuery<Entity>
  /** Passed to hooks and custom filters. */
  readonly context?: Readonly<Record<string, unknown>>
}

/** An option of methods that look for rows. */
interface WithDeleted {
  /** Include rows that are marked as deleted. Default: false. */
  readonly includeDeleted?: boolean
}

/** Values that the server sets in a write. */
interface ServerValues<Entity extends object> {
  /**
   * Values by property name. They may include hidden properties and those that bodies may not set. They replace
   * values of the body, are part of the data of hooks, and must satisfy the scope.
   */
  readonly values?: CrudValues<Entity>
}

/** Options of `list`, `get`, `count` and `exists`, and also of `query`. */
export interface CrudReadOptions<Entity extends object = any> extends CommonOptions<Entity>, WithDeleted {}

/** Options of `query`. */
export interface CrudQueryOptions<Entity extends object = any> extends CrudReadOptions<Entity> {
  /** Add the order of the sorts, or the default one. Default: true. A `groupBy()` needs `false`. */
  readonly order?: boolean
  /** Add the limit and the offset of the page. Default: true. A `groupBy()` needs `false`. */
  readonly limit?: boolean
}

/** Options of `stream` and `streamJson`. */
export interface CrudStreamOptions<Entity extends object = any> extends CrudReadOptions<Entity> {
  /** Ends the stream when it aborts, even while the database is executing its statement. */
  readonly signal?: AbortSignal
}

/** Options of `create` and `createMany`. */
export interface CrudCreateOptions<Entity extends object = any> extends CommonOptions<Entity>, ServerValues<Entity> {}

/** Options of `restore`, and also of `update` and `delete`. */
export interface CrudWriteOptions<Entity extends object = any> extends CommonOptions<Entity> {
  /** The header If-Match: `*`, or entity tags of versions. The record must have one of these versions. */
  readonly ifMatch?: string
}

/** Options of `update`. */
export interface CrudUpdateOptions<Entity extends object = any>
  extends CrudWriteOptions<Entity>, WithDeleted, ServerValues<Entity> {}

/** Options of `upsert`. */
export interface CrudUpsertOptions<Entity extends object = any> extends CommonOptions<Entity>, ServerValues<Entity> {
  /** The key by which records are found, one of `upsertKeys`: the name of its property, or a list of names. */
  readonly on: WritableName<Entity> | ReadonlyArray<WritableName<Entity>>
  /** The header If-Match. Then the one record must exist, with one of these versions. */
  readonly ifMatch?: string
}

/** A record after an upsert. */
export interface UpsertResult<Record> {
  /** Whether the upsert has created it. Otherwise it has changed it. */
  readonly created: boolean
  /** The record after the write. */
  readonly record: Record
}

/** Options of `delete`. */
export interface CrudDeleteOptions<Entity extends object = any> extends CrudWriteOptions<Entity> {
  /** Remove the row even if it could be marked as deleted. Default: false. */
  readonly hard?: boolean
}

/** Options of writes of many records. */
interface BulkOptions {
  /**
   * The maximum number of records. If more match, the write throws a `TooManyError` and changes nothing. Default: 100.
   */
  readonly maxAffected?: number
  /** Only count the records. Hooks do not run. Default: false. */
  readonly dryRun?: boolean
}

/** Options of `updateMany`. */
export interface CrudUpdateManyOptions<Entity extends object = any>
  extends CommonOptions<Entity>, WithDeleted, ServerValues<Entity>, BulkOptions {}

/** Options of `deleteMany`. */
export interface CrudDeleteManyOptions<Entity extends object = any> extends CommonOptions<Entity>, BulkOptions {
  /** Remove the rows even if they could be marked as deleted. Default: false. */
  readonly hard?: boolean
}

/** A record in wire form, as in JSON. */
export type CrudRecord = Record<string, any>

/** Whether totals are counted, by the literal types of a whitelist. Without them it is not known. */
type CountOf<Config> = Config extends QueryBuilderConfig<any, infer Options> ? CountOf<Options>
  : [QueryBuilderOptions<any>] extends [Config] ? unknown
      : Config extends { readonly pagination: { readonly count: infer Count } } ? Count
        : 'exact'

/**
 * The total of a page: a number if it is counted, also up to a number, null if it is not counted. Either of them if
 * requests may leave it out.
 */
export type TotalOf<Config> = CountOf<Config> extends infer Count
  ? Count extends 'exact' | { readonly upTo: number } ? number | (true extends ParameterOf<Config> ? null : never)
    : Count extends 'none' ? null
      : number | null
  : never

/** The option `countParameter` of a whitelist. */
type ParameterOf<Config> = Config extends QueryBuilderConfig<any, infer Options> ? ParameterOf<Options>
  : Config extends { readonly pagination: { readonly countParameter: infer Allowed } } ? Allowed
    : false

/** The values of the parameter `count`, if requests may have it. */
export type CountParameter<Config> = IsAny<Config> extends true ? CountChoice
  : [QueryBuilderOptions<any>] extends [Config] ? CountChoice
      : true extends ParameterOf<Config> ? CountChoice
        : never

type CountChoice = NonNullable<PageValues['count']>

/** The information of a page with its total, if it has one. */
type Counted<Info, Total> = Info extends TotalInfo ? Omit<Info, 'total'> & {
  /** The number of items on all pages. Null where it is not counted. */
  readonly total: Total,
}
  : Info

/** Properties of other pages, so that they can be read without knowing by which parameters a client asked. */
type AbsentIn<Info> = { readonly [Name in Exclude<MemberOfPages, keyof Info>]?: undefined }
type MemberOfPages = { [Name in StyleName]: keyof InfoOf<Name> }[StyleName]

/** A value of a facet, as in records, and the number of records with it. */
export interface CrudFacetValue {
  /** The wire form of the property, which a path may lead to. Null for records without a value. */
  readonly value: any // any: the facet is a path to a property of any type
  /** The number of records that have the value. */
  readonly count: number
}

/** The names of the facets of a whitelist. Any if the whitelist is not known. */
type FacetsOf<Config> = Config extends QueryBuilderConfig<any, infer Options> ? FacetsOf<Options>
  : [QueryBuilderOptions<any>] extends [Config] ? string
      : Config extends { readonly allowedFacets: ReadonlyArray<infer Entry> } ? UrlName<Entry>
        : never

/** The facets beside a page, if the request asks for some. */
type Faceted<Name extends string> = [Name] extends [never] ? unknown : {
  /** The values of the facets that the request names, with their numbers of records, the most frequent first. */
  readonly facets?: { readonly [Facet in Name]?: readonly CrudFacetValue[] },
}

/** A page of records, by `page` and `per_page`, by `limit` and `offset`, or by `cursor`, depending on the request. */
export type CrudPage<Entity = any, Config = QueryBuilderOptions<any>> =
  & {
    /** The records of the page. */
    readonly items: WireRecord<Entity>[],
  }
  & Faceted<FacetsOf<Config>>
  & { [Name in StyleName]: Counted<InfoOf<Name>, TotalOf<Config>> & AbsentIn<InfoOf<Name>> }[StyleName]

/** A page of groups with numbers about their records, by `page` and `per_page` or by `limit` and `offset`. */
export type CrudGroups =
  & {
    /** The groups: their values, and the numbers that were asked for. */
    readonly items: CrudRecord[],
  }
  & { [Name in SkippingStyle]: Counted<InfoOf<Name>, number> & AbsentIn<InfoOf<Name>> }[SkippingStyle]
