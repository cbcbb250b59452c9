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

interface Types<Entity, Config, Writable, Keys> {
  readonly '~types': {
    readonly entity: Entity,
    readonly config: Config,
    readonly writable: Writable,
    readonly upsertKeys: Keys,
  }
}

type ApiOfEntry<Entry> = CrudOf<Entry> extends Types<infer Entity, infer Config, infer Writable, infer Keys> ? Pick<
    ResourceApi<Entity, OptionsOf<Config>, Writable, TraitsOf<Entry, Keys>>,
    MethodsOf<Entry, Entity>
  >
  : never

/**
 * The traits of a resource, by its options. A boolean that is not a literal may be true. It is an alias, because
 * TypeScript writes the members of an alias into the declarations of an application. Of an interface it would write the
 * name, which is not exported.
 */
type TraitsOf<Entry, Keys> = {
  readonly filled: IsFilled<Entry>
  readonly hard: IsOn<Entry, 'allowHardDelete'> extends true ? boolean : never
  readonly writeKey: IsOn<Entry, 'idempotency'> extends true ? string | true : never
  readonly query: IsOn<Entry, 'query'>
  readonly upsertKeys: Keys
}

/** Whether an option of an entry is given, and not `false`. A `CrudBase` has methods with the names of some options. */
type IsOn<Entry, Name extends string> = Entry extends
  & { readonly crud: unknown }
  & {
    readonly [Option in Name]: infer Value
  } ? [Value] extends [false] ? false : true
  : false

type OptionsOf<Config> = Config extends QueryBuilderConfig<any, infer Options> ? Options : Config

type Methods = {
  aggregate: 'aggregate',
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
type OptIn = 'aggregate' | 'createMany' | 'upsert' | 'updateMany' | 'deleteMany'

/** The methods of a resource. If the type of its list of operations has no literals, it may have any operation. */
type MethodsOf<Entry, Entity> =
  | Methods[OperationsOf<Entry, Entity>]
  | (IsOn<Entry, 'stream'> extends true ? 'stream' : never)

type OperationsOf<Entry, Entity> = Entry extends { readonly operations: ReadonlyArray<infer Operation> }
  ? string extends Operation ? keyof Methods : Operation & keyof Methods
  : Exclude<keyof Methods, OptIn | (IsMarked<Entity> extends true ? never : 'restore')>

/** Whether a delete marks records instead of removing them, as far as the entity's type shows. */
type IsMarked<Entity> = IsAny<Entity> extends true ? true
  : Extract<keyof Entity, 'deleted_at' | 'deletedAt'> extends never ? false
    : true

/** Whether the server may fill in properties that a body omits. */
type IsFilled<Entry> = Entry extends { readonly scope: unknown } ? true
  : CrudOf<Entry> extends { beforeCreate(...args: never[]): unknown } ? true
    : false
