/** What the methods of `CrudBase` take and return. */
import type { EntityName, FilterQuery } from '@mikro-orm/postgresql'
import type {
  InUrl,
  IsAny,
  OnlyOptions,
  PathCheck,
  QueryBuilderConfig,
  QueryBuilderOptions,
  WritableOption,
} from '../config/index.ts'
import type { CrudValues } from './wire-types.ts'
import type { CursorInfo, OffsetInfo, PageInfo } from '../run/index.ts'

/** Holds where an entity has what a configuration names, which may have been made without knowing the entity. */
type ConfigCheck<Entity extends object, Config> = Config extends QueryBuilderConfig<any, infer Options>
  ? { readonly '~options': QueryBuilderOptions<Entity> & DefaultSortCheck<Entity, Options> }
  : OnlyOptions<Config> & DefaultSortCheck<Entity, Config>

type DefaultSortCheck<Entity, Options> = Options extends { readonly defaultSort: infer Items extends readonly string[] }
  ? Refusal<SortCheck<Entity, Items[number], SortAlias<Options>>>
  : unknown

type Refusal<Sentence> = [Sentence] extends [never] ? unknown : { readonly defaultSort: Sentence }

/** Nothing for an item of a `defaultSort` that is a property, or the alias of an allowed sort; else a sentence. */
type SortCheck<Entity, Item extends string, Alias> = Item extends unknown
  ? Unsigned<Item> extends Alias ? never : Extract<PathCheck<Entity, Unsigned<Item>, 'sort'>, string>
  : never

type Unsigned<Item extends string> = Item extends `${'-' | '+'}${infer Name}` ? Name : Item

/** The names that sorts have in the URL beside those of properties. */
type SortAlias<Options> = Options extends { readonly allowedSorts: ReadonlyArray<infer Sort> }
  ? Sort extends { readonly kind: infer Kind, readonly '~url': InUrl<infer Name, infer Alias> }
    ? (Kind extends 'custom' ? Name : never) | (IsAny<Alias> extends true ? never : Alias)
    : never
  : never

/** What `new CrudBase` and the constructor of a subclass take. */
export interface CrudOptions<
  Entity extends object,
  Config extends QueryBuilderOptions<Entity> = QueryBuilderOptions<Entity>,
  Writable extends WritableOption<Entity> = WritableOption<Entity>
> {
  /** The entity: a class, an `EntitySchema`, or what `defineEntity` returns. */
  readonly model: EntityName<Entity>
  /** What clients may ask for: a `QueryBuilderConfig`, or the object that one is made of. Default: nothing. */
  readonly queryConfig?: Config & ConfigCheck<Entity, Config>
  /**
   * What bodies may set: `['name', 'price']`, `{ create: [...], update: [...] }`, or `'all'` for every property that is
   * not generated, hidden or computed. Default: nothing, and records are neither created nor updated.
   */
  readonly writable?: Writable
  /** Name of the resource in `fields[<name>]`. Default: the name of the entity's table. */
  readonly name?: string
}

/** Options of all methods of `CrudBase`. A method refuses options that it does not look at. */
interface CommonOptions<Entity extends object> {
  /** A condition on the resource's own rows in MikroORM's query language, ANDed to everything. */
  readonly scope?: FilterQuery<Entity>
  /** Handed to hooks and custom filters. */
  readonly context?: Readonly<Record<string, unknown>>
}

/** Options of methods that look for rows. */
interface WithDeleted {
  /** Also see rows that are marked as deleted. Default: false. */
  readonly includeDeleted?: boolean
}

/** Values that the server sets in a write. */
interface ServerValues<Entity extends object> {
  /**
   * Values by property name, hidden properties and those that bodies may not set among them. They win over the body, hooks
   * see them in the data, and a scope holds for them.
   */
  readonly values?: CrudValues<Entity>
}

/** Options of `list`, `get`, `count`, `exists` and `query`. */
export interface CrudReadOptions<Entity extends object = any> extends CommonOptions<Entity>, WithDeleted {}

/** Options of `stream` and `streamJson`. */
export interface CrudStreamOptions<Entity extends object = any> extends CrudReadOptions<Entity> {
  /** Ends the stream when it aborts, also while the database is working for it. */
  readonly signal?: AbortSignal
}

/** Options of `create` and `createMany`. */
export interface CrudCreateOptions<Entity extends object = any> extends CommonOptions<Entity>, ServerValues<Entity> {}

/** Options of `restore`, which `update` and `delete` have, too. */
export interface CrudWriteOptions<Entity extends object = any> extends CommonOptions<Entity> {
  /** The header If-Match: entity tags of versions, of which the record has to have one, or `*`. */
  readonly ifMatch?: string
}

/** Options of `update`. */
export interface CrudUpdateOptions<Entity extends object = any>
  extends CrudWriteOptions<Entity>, WithDeleted, ServerValues<Entity> {}

/** Options of `delete`. */
export interface CrudDeleteOptions<Entity extends object = any> extends CrudWriteOptions<Entity> {
  /** Remove the row, even where it could be marked as deleted. Default: false. */
  readonly hard?: boolean
}

/** A record in wire form: what JSON has of it. */
export type CrudRecord = Record<string, any>

/** A page of records: by `page` and `per_page`, by `limit` and `offset`, or by `cursor`, as the request asked. */
export type CrudPage = { readonly items: CrudRecord[] } & (PageInfo | OffsetInfo | CursorInfo)
