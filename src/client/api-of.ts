/**
 * The type of an API, derived from its server's resources. A client imports only this type and no code of the server.
 */
import type { IsAny, QueryBuilderConfig } from '../config/index.ts'
import type { ResourceApi } from './client-types.ts'

/**
 * The type of the API of `resources`, the object that you pass to `crudKit`, for `createClient`. If the literal types
 * of a resource are unknown, the client accepts any names: `new QueryBuilderConfig<Category>(...)` with a type
 * argument, or a class that `extends CrudBase<Category>` without `typeof queryConfig` as second argument.
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

type ApiOfEntry<Entry> = CrudOf<Entry> extends Types<infer Entity, infer Config, infer Writable> ? Pick<
    ResourceApi<Entity, OptionsOf<Config>, Writable, IsFilled<Entry>, HardOf<Entry>, KeyOfWrites<Entry>>,
    MethodsOf<Entry, Entity>
  >
  : never

type OptionsOf<Config> = Config extends QueryBuilderConfig<any, infer Options> ? Options : Config

type Methods = {
  list: 'list' | 'pages' | 'each' | 'url',
  get: 'get',
  create: 'create',
  createMany: 'createMany',
  upsert: 'upsert',
  update: 'update',
  updateMany: 'updateMany',
  deleteMany: 'deleteMany',
  delete: 'delete',
  restore: 'restore',
}

/** The operations that a resource offers only if its options name them. */
type OptIn = 'createMany' | 'upsert' | 'updateMany' | 'deleteMany'

/** The methods of a resource. If the type of its list of operations has no literals, it may have any operation. */
type MethodsOf<Entry, Entity> = Methods[OperationsOf<Entry, Entity>] | StreamOf<Entry>

type OperationsOf<Entry, Entity> = Entry extends { readonly operations: ReadonlyArray<infer Operation> }
  ? string extends Operation ? keyof Methods : Operation & keyof Methods
  : Exclude<keyof Methods, OptIn | (IsMarked<Entity> extends true ? never : 'restore')>

/** Whether a delete marks records instead of removing them, as far as the entity's type shows. */
type IsMarked<Entity> = IsAny<Entity> extends true ? true
  : Extract<keyof Entity, 'deleted_at' | 'deletedAt'> extends never ? false
    : true

/** The method `stream`, for entries with the option. A `CrudBase` has a method of that name. */
type StreamOf<Entry> = Entry extends { readonly crud: unknown, readonly stream: infer Stream }
  ? Stream extends false ? never : 'stream'
  : never

/** Whether the server may fill in properties that a body omits. */
type IsFilled<Entry> = Entry extends { readonly scope: unknown } ? true
  : CrudOf<Entry> extends { beforeCreate(...args: never[]): unknown } ? true
    : false

/** The idempotency keys of writes, for entries with the option. */
type KeyOfWrites<Entry> = Entry extends { readonly idempotency: infer Allowed }
  ? Allowed extends false ? never : string | true
  : never

type HardOf<Entry> = Entry extends { readonly allowHardDelete: infer Allowed } ? Allowed extends false ? never : boolean
  : never
