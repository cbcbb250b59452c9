/** The type of an API, from the resources of its server. It is all that a client imports of it, and no code. */
import type { IsAny, QueryBuilderConfig } from '../config/index.ts'
import type { ResourceApi } from './types.ts'

/**
 * The type of the API of `resources`, as `crudKit` takes them, for `createClient`. A resource whose literal types are
 * not known (`new QueryBuilderConfig<Category>(...)`, with a type argument) takes any names.
 *
 * @example
 * export const resources = { '/categories': new CrudBase({ model: Category, queryConfig: { ... } }) }
 * export type Api = ApiOf<typeof resources>
 */
export type ApiOf<Resources> = { readonly [Path in keyof Resources & string]: ApiOfEntry<Resources[Path]> }

type CrudOf<Entry> = Entry extends { readonly crud: infer Crud } ? Crud : Entry

interface Types<Entity, Config, Writable> {
  readonly '~types': { readonly entity: Entity, readonly config: Config, readonly writable: Writable }
}

type ApiOfEntry<Entry> = CrudOf<Entry> extends Types<infer Entity, infer Config, infer Writable>
  ? Pick<ResourceApi<Entity, OptionsOf<Config>, Writable, IsFilled<Entry>, HardOf<Entry>>, MethodsOf<Entry, Entity>>
  : never

type OptionsOf<Config> = Config extends QueryBuilderConfig<any, infer Options> ? Options : Config

type Methods = {
  list: 'list' | 'pages' | 'each',
  get: 'get',
  create: 'create',
  createMany: 'createMany',
  update: 'update',
  delete: 'delete',
  restore: 'restore',
}

/** A list whose literals are not known may hold any operation. */
type MethodsOf<Entry, Entity> = Methods[OperationsOf<Entry, Entity>] | StreamOf<Entry>

type OperationsOf<Entry, Entity> = Entry extends { readonly operations: ReadonlyArray<infer Operation> }
  ? string extends Operation ? keyof Methods : Operation & keyof Methods
  : Exclude<keyof Methods, 'createMany' | (IsMarked<Entity> extends true ? never : 'restore')>

/** Whether deleted records are marked, as far as types know. */
type IsMarked<Entity> = IsAny<Entity> extends true ? true
  : Extract<keyof Entity, 'deleted_at' | 'deletedAt'> extends never ? false
    : true

type StreamOf<Entry> = Entry extends { readonly stream: infer Stream } ? Stream extends false ? never : 'stream' : never

/** Whether something on the server may fill in what a body leaves out. */
type IsFilled<Entry> = Entry extends { readonly scope: unknown } ? true
  : CrudOf<Entry> extends { beforeCreate(...args: never[]): unknown } ? true
    : false

type HardOf<Entry> = Entry extends { readonly allowHardDelete: infer Allowed } ? Allowed extends false ? never : boolean
  : never
