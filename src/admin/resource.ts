/** A resource as data providers use it: any name, any record. Admin frameworks do not know the types of records. */
import type { Client } from '../client/index.ts'
import type { AnyQuery } from '../client/query-string.ts'

/** A record of any resource. */
export type AnyRecord = Record<string, any>

/** The key of a record. */
export type Id = string | number

interface Call {
  readonly signal?: AbortSignal | undefined
}

interface Write extends Call {
  readonly ifMatch?: string
}

/** A page of an answer; `total` and `has_prev` are absent if it has a cursor. */
export interface AnyPage {
  readonly items: AnyRecord[]
  readonly total: number | null
  readonly has_next: boolean
  readonly has_prev: boolean
}

/** The methods of the client that data providers call. The server refuses those that a resource does not offer. */
export interface AnyResource {
  list(query: AnyQuery & Call): Promise<AnyPage>
  each(query: AnyQuery & Call): AsyncIterable<AnyRecord>
  get(id: Id, query: AnyQuery & Call): Promise<AnyRecord>
  create(body: object): Promise<AnyRecord>
  createMany(bodies: readonly object[]): Promise<AnyRecord[]>
  update(id: Id, body: object, options: Write): Promise<AnyRecord>
  delete(id: Id, options: Write): Promise<AnyRecord>
}

/** The name of a resource in an admin framework: its path without the first slash. */
type NameOf<Path extends string> = Path extends `/${infer Name}` ? Name : Path

/** The properties of a resource's records. */
type PropertyOf<Resource> = Resource extends { list(...args: never[]): Promise<{ readonly items: Array<infer Item> }> }
  ? keyof Item & string
  : string

/** The properties of a resource that a data provider needs to know. */
export interface ResourceOptions<Property extends string = string> {
  /** The property that identifies records, and a filter that allows `in`. Default: `id`. */
  readonly id?: Property
  /**
   * The property with the version of a record. If it is given, a write changes the record only if it still has the
   * version that the user saw. Default: writes overwrite any version.
   */
  readonly version?: Property
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
    readonly [Path in keyof Api & string as NameOf<Path>]?: ResourceOptions<PropertyOf<Api[Path]>>
  }
}

/** A resource with its options. */
export interface Bound {
  readonly resource: AnyResource
  readonly id: string
  readonly version: string | undefined
  readonly maxPerPage: number
  readonly sortById: boolean
}

/** Returns a function that finds the resource of a name. */
export function resourcesOf<Api> (api: Client<Api>, options: DataProviderOptions<Api>): (name: string) => Bound {
  const given = options.resources as Readonly<Record<string, ResourceOptions | undefined>> | undefined
  return (name) => {
    const { id = 'id', version, maxPerPage = 100, sortById = true } = given?.[name] ?? {}
    const resource = (api as unknown as Readonly<Record<string, AnyResource>>)[`/${name}`]!
    return { resource, id, version, maxPerPage, sortById }
  }
}

/** Adds `id`, which admin frameworks need, to a record that is identified by another property. */
export function withId (record: AnyRecord, { id }: Bound): AnyRecord & { id: Id } {
  return id === 'id' ? record as AnyRecord & { id: Id } : { ...record, id: record[id] }
}

/** Removes the `id` that `withId` has added. */
export function withoutId (data: object, { id }: Bound): AnyRecord {
  if (id === 'id') return data
  const { id: _, ...rest } = data as AnyRecord
  return rest
}

/**
 * Writes the order of a list. A property of the records that frameworks call `id` is the resource's key.
 *
 * @param sorts pairs of a property and a direction
 */
export function sortOf (
  sorts: ReadonlyArray<{ readonly field: string, readonly order: string }>,
  { id, sortById }: Bound
): string[] {
  return sorts
    .filter(({ field }) => field !== 'id' || sortById)
    .map(({ field, order }) => `${order.toLowerCase() === 'desc' ? '-' : '+'}${field === 'id' ? id : field}`)
}
