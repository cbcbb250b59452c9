/** A resource as data providers use it: any name, any record. Admin frameworks do not know the types of records. */
import type { Affected, Client } from '../client/index.ts'
import type { AnyRecord } from '../client/url-names.ts'
import { PendingWrites } from '../client/pending-writes.ts'
import type { AnyQuery } from '../client/query-string.ts'
import type { CallOptions } from '../client/query-types.ts'
import type { FilterRules } from './filter.ts'

/** The key of a record, as an admin framework knows it. */
export type RecordId = string | number

/** The key of a record, as the client takes it: a value, or the parts of a composite key. */
export type RecordKey = RecordId | readonly RecordId[]

interface Repeatable extends CallOptions {
  readonly idempotencyKey?: string | undefined
}

interface Write extends Repeatable {
  readonly ifMatch?: string
}

/** A page of an answer; `total` and `has_prev` are absent if it has a cursor. */
export interface AnyPage {
  readonly items: AnyRecord[]
  readonly total: number | null
  /** Whether there are more records than `total`. Absent if the server counts all of them. */
  readonly total_is_minimum?: boolean
  readonly has_next: boolean
  readonly has_prev: boolean
}

/** The conditions of a write of many records. */
export interface ManyConditions {
  readonly filter: object
}

/** The methods of the client that data providers call. The server refuses those that a resource does not offer. */
interface AnyResource {
  list(query: AnyQuery & CallOptions): Promise<AnyPage>
  each(query: AnyQuery & CallOptions): AsyncIterable<AnyRecord>
  get(id: RecordKey, query: AnyQuery & CallOptions): Promise<AnyRecord>
  create(body: object, options?: Repeatable): Promise<AnyRecord>
  createMany(bodies: readonly object[], options?: Repeatable): Promise<AnyRecord[]>
  update(id: RecordKey, body: object, options: Write): Promise<AnyRecord>
  updateMany(query: ManyConditions, body: object, options?: Repeatable): Promise<Affected>
  delete(id: RecordKey, options: Write): Promise<AnyRecord>
  deleteMany(query: ManyConditions, options?: Repeatable): Promise<Affected>
}

/** The name of a resource in an admin framework: its path without the first slash. */
type NameOf<Path extends string> = Path extends `/${infer Name}` ? Name : Path

/** The properties of a resource's records. */
type PropertyOf<Resource> = Resource extends { list(...args: never[]): Promise<{ readonly items: Array<infer Item> }> }
  ? keyof Item & string
  : string

/** The names of a resource's filters. */
type FilterOf<Resource> = Resource extends { list(query?: infer Query): unknown }
  ? Query extends { readonly filter?: infer Filters } ? keyof NonNullable<Filters> & string : string
  : string

/** `boolean` if the writes of a resource may have an idempotency key, otherwise `false`. */
type RepeatableOf<Resource> = Resource extends { create(body: never, options?: infer Options): unknown }
  ? TakesKey<Options>
  : Resource extends { update(id: never, body: never, options?: infer Options): unknown } ? TakesKey<Options>
    : boolean
type TakesKey<Options> = Options extends { readonly idempotencyKey?: infer Key }
  ? true extends Key ? boolean : false
  : false

/** Operations on several records in one request. */
type ManyOperation = 'createMany' | 'updateMany' | 'deleteMany'

/** The properties of a resource that a data provider needs to know. */
export interface ResourceOptions<
  Property extends string = string,
  Name extends string = string,
  FilterName extends string = string,
  Operation extends ManyOperation = ManyOperation,
  Repeatable extends boolean = boolean
> {
  /**
   * The property that identifies records, and a filter that allows `in`. For a composite key, a list of such properties
   * in the order of the path. One of them may lie behind a relation: `invoice.number`. Default: `id`.
   */
  readonly id?: Property | ReadonlyArray<Property | `${Property}.${string}`>
  /**
   * The resources of relations, by property. It is needed for those whose records have a composite key. The relation
   * then has the id of its record, instead of an object with the parts of the key.
   */
  readonly references?: { readonly [Relation in Property]?: Name }
  /**
   * The property with the version of a record. If it is given, a write changes the record only if it still has the
   * version that the user saw. Default: writes overwrite any version.
   */
  readonly version?: Property
  /**
   * Filters that take no operator: `AllowedFilters.search`, `anyOf`, `scope`, `custom` and `trashed`. refine has an
   * operator in every condition: on these filters, `eq` and `contains` are left out. In react-admin, the end of such a
   * name is not an operator.
   */
  readonly plainFilters?: readonly FilterName[]
  /**
   * The operations on several records that the resource offers. Such a change then takes one request, which changes all
   * records or none. Any other takes a request for each record. Default: `['createMany']`.
   */
  readonly operations?: readonly Operation[]
  /**
   * Sends an `Idempotency-Key` with every write, which the resource's option `idempotency` allows. The client repeats
   * writes without an answer, and a write that a person tries again is done only once. Default: `false`.
   */
  readonly idempotency?: Repeatable
  /** The largest `per_page` of the resource, its `maxPerPage`. Larger pages take several requests. Default: 100. */
  readonly maxPerPage?: number
  /**
   * `false` if the resource cannot be sorted by its key. The server then uses its own default when the framework sorts
   * by `id`, as it does for lists without an order. Default: `true`.
   */
  readonly sortById?: boolean
}

/** The options of a data provider. */
export interface DataProviderOptions<Api> {
  /** Options by the name of the resource, i.e. its path without the first slash. */
  readonly resources?: {
    readonly [Path in keyof Api & string as NameOf<Path>]?: ResourceOptions<
      PropertyOf<Api[Path]>,
      NameOf<keyof Api & string>,
      FilterOf<Api[Path]>,
      ManyOperation & keyof Api[Path],
      RepeatableOf<Api[Path]>
    >
  }
}

/** A resource with its options. */
export interface Bound extends FilterRules {
  readonly name: string
  readonly resource: AnyResource
  /** The properties that identify a record. Several properties are the parts of a composite key. */
  readonly key: readonly string[]
  readonly version: string | undefined
  readonly operations: readonly ManyOperation[]
  readonly maxPerPage: number
  readonly sortById: boolean
}

/** Returns a function that finds the resource of a name. */
export function resourcesOf<Api> (api: Client<Api>, options: DataProviderOptions<Api>): (name: string) => Bound {
  const given = options.resources as Readonly<Record<string, ResourceOptions | undefined>> | undefined
  const pending = new PendingWrites()
  const keyOf = (name: string): readonly string[] => [given?.[name]?.id ?? 'id'].flat()
  return (name) => {
    const {
      references = {}, plainFilters = [], version, operations = ['createMany'], maxPerPage = 100, sortById = true,
      idempotency = false,
    } = given?.[name] ?? {}
    const plain = (api as unknown as Readonly<Record<string, AnyResource>>)[`/${name}`]!
    const resource = idempotency ? repeatable(plain, name, pending) : plain
    const keys = Object.entries(references).map(([relation, target]) => [relation, keyOf(target!)] as const)
    return {
      name,
      resource,
      key: keyOf(name),
      references: new Map(keys.filter(([, key]) => key.length > 1)),
      plainFilters: new Set(plainFilters),
      version,
      operations,
      maxPerPage,
      sortById,
    }
  }
}

/** A resource whose writes have keys. */
function repeatable (resource: AnyResource, name: string, pending: PendingWrites): AnyResource {
  type Keyed = { readonly idempotencyKey: string }
  const send = async <Result>(write: readonly unknown[], work: (key: Keyed) => Promise<Result>): Promise<Result> =>
    await pending.send(JSON.stringify([name, ...write], asText), (idempotencyKey) => work({ idempotencyKey }))
  return {
    ...resource,
    create: (body) => send(['create', body], (key) => resource.create(body, key)),
    createMany: (bodies) => send(['createMany', bodies], (key) => resource.createMany(bodies, key)),
    update: (id, body, options) =>
      send(['update', id, body, options], (key) => resource.update(id, body, { ...options, ...key })),
    updateMany: (query, body) => send(['updateMany', query, body], (key) => resource.updateMany(query, body, key)),
    delete: (id, options) => send(['delete', id, options], (key) => resource.delete(id, { ...options, ...key })),
    deleteMany: (query) => send(['deleteMany', query], (key) => resource.deleteMany(query, key)),
  }
}

const asText = (_: string, value: unknown): unknown => typeof value === 'bigint' ? String(value) : value

/**
 * Writes the order of a list. A property of the records that frameworks call `id` is the resource's key.
 *
 * @param sorts pairs of a property and a direction
 */
export function sortOf (
  sorts: ReadonlyArray<{ readonly field: string, readonly order: string }>,
  { key, sortById }: Bound
): string[] {
  return sorts.filter(({ field }) => field !== 'id' || sortById).flatMap(({ field, order }) => {
    const sign = order.toLowerCase() === 'desc' ? '-' : '+'
    return (field === 'id' ? key : [field]).map((name) => sign + name)
  })
}
