/** The base class of a resource: one entity, its whitelist, and what can be done with its records. */
import type { EntityManager, EntityName, FilterQuery, QueryBuilder } from '@mikro-orm/postgresql'
import type { FastifyRequest } from 'fastify'
import { QueryBuilderConfig } from '../config/index.ts'
import { ConfigError } from '../errors.ts'
import { planCount, planExists, planGet, planList, type Id } from '../plan/index.ts'
import { parseQueryParams, type QueryParams } from '../query/index.ts'
import { pageInfo, pageJson, run, type JsonRecord, type OffsetInfo, type PageInfo, type Row } from '../run/index.ts'
import { Resource, type CompiledRead } from './resource.ts'

/** What `new CrudBase` and the constructor of a subclass take. */
export interface CrudOptions<Entity extends object> {
  /** The entity: a class, an `EntitySchema`, or what `defineEntity` returns. */
  readonly model: EntityName<Entity>
  /** What clients may ask for. Default: nothing. */
  readonly queryConfig?: QueryBuilderConfig<Entity>
  /** Name of the resource in `fields[<name>]`. Default: the name of the entity's table. */
  readonly name?: string
}

/** What the methods of `CrudBase` take beside what they work on. */
export interface CrudReadOptions<Entity extends object = any> {
  /** A condition on the resource's own rows in MikroORM's query language, ANDed to everything. */
  readonly scope?: FilterQuery<Entity>
  /** Also see rows that are marked as deleted. Default: false. */
  readonly includeDeleted?: boolean
  /** Handed to hooks and custom filters. */
  readonly context?: Readonly<Record<string, unknown>>
}

/** What hooks look at: where they run, and what the caller passed as `context`. */
export interface CrudContext {
  readonly em: EntityManager
  readonly request?: FastifyRequest
  readonly [key: string]: unknown
}

/** A record in wire form: what JSON has of it. */
export type CrudRecord = Record<string, any>

/** A page of records: by `page` and `per_page`, or by `limit` and `offset`, as the request asked. */
export type CrudPage = { readonly items: CrudRecord[] } & (PageInfo | OffsetInfo)

const NO_PARAMS = parseQueryParams('')

/**
 * Reads one entity by a whitelist. Each read is one statement; its records are plain objects in wire form.
 *
 * All methods run in the transaction that `em` is in, if there is one. Names are checked against the entity when the
 * resource meets its ORM: when it is registered with Fastify, or at the first use.
 *
 * @example
 * class CategoryCrud extends CrudBase<Category> {
 *   constructor () { super({ model: Category, queryConfig }) }
 * }
 * const page = await new CategoryCrud().list(em, parseQueryParams('filter[name]=Tech&sort=-created_at'))
 */
export class CrudBase<Entity extends object = any> {
  readonly model: EntityName<Entity>
  readonly queryConfig: QueryBuilderConfig<Entity>
  readonly name: string | undefined
  readonly #resources = new WeakMap<object, Resource>()

  /**
   * Changes a record before it leaves, whole pages and single records alike. Declaring it means that the JSON of the
   * database is parsed; what is returned is sent.
   */
  afterRead? (record: CrudRecord, context: CrudContext): CrudRecord | Promise<CrudRecord>

  constructor ({ model, queryConfig = new QueryBuilderConfig<Entity>(), name }: CrudOptions<Entity>) {
    if (model === undefined) throw new ConfigError(`${new.target.name}: "model" is required, the entity of the resource.`)
    if (!(queryConfig instanceof QueryBuilderConfig)) throw new ConfigError(`${new.target.name}: "queryConfig" must be a QueryBuilderConfig.`)
    this.model = model
    this.queryConfig = queryConfig
    this.name = name
  }

  /**
   * A page of records.
   *
   * @param params what `parseQueryParams` made of a query string
   * @throws {FilterValidationError} and its like, with all that is wrong with `params` in `errors`
   */
  async list (em: EntityManager, params: QueryParams = NO_PARAMS, options: CrudReadOptions<Entity> = {}): Promise<CrudPage> {
    return JSON.parse(await this.listJson(em, params, options))
  }

  /** The same answer as `list`, as JSON text. */
  async listJson (em: EntityManager, params: QueryParams = NO_PARAMS, options: CrudReadOptions<Entity> = {}): Promise<string> {
    const resource = this.bind(em)
    const plan = planList(params, resource.whitelist, options)
    const { row, read } = await this.#run(resource, em, plan, options)
    const items = await this.#items(`[${(row!.items as string | null) ?? ''}]`, read, em, options)
    return pageJson(items, pageInfo(plan.window, row!))
  }

  /**
   * The record with a key, or `null` when there is none, it is deleted, or out of scope.
   *
   * @param id the primary key, the `uuid` of an entity that has one, or an object for a composite key
   * @param params may hold `include` and `fields`
   */
  async get (em: EntityManager, id: Id, params?: QueryParams, options: CrudReadOptions<Entity> = {}): Promise<CrudRecord | null> {
    const json = await this.getJson(em, id, params, options)
    return json === null ? null : JSON.parse(json)
  }

  /** The same answer as `get`, as JSON text. */
  async getJson (em: EntityManager, id: Id, params?: QueryParams, options: CrudReadOptions<Entity> = {}): Promise<string | null> {
    const resource = this.bind(em)
    const plan = planGet(id, params, resource.whitelist, options)
    if (plan === undefined) return null
    const { row, read } = await this.#run(resource, em, plan, options)
    return row === undefined ? null : await this.#item(row.item as string, read, em, options)
  }

  /** How many records the filters of `params` keep. */
  async count (em: EntityManager, params: QueryParams = NO_PARAMS, options: CrudReadOptions<Entity> = {}): Promise<number> {
    const resource = this.bind(em)
    const { row } = await this.#run(resource, em, planCount(params, resource.whitelist, options), options)
    return Number(row!.count)
  }

  /** Whether there is a record with the key. */
  async exists (em: EntityManager, id: Id, options: CrudReadOptions<Entity> = {}): Promise<boolean> {
    const resource = this.bind(em)
    const plan = planExists(id, resource.whitelist, options)
    if (plan === undefined) return false
    const { row } = await this.#run(resource, em, plan, options)
    return row!.exists as boolean
  }

  /**
   * MikroORM's QueryBuilder with the filters, sorts and pagination of `params` applied, and whatever else hides rows:
   * the way out for what this class doesn't do. The alias of the entity is `e0`.
   */
  async query (em: EntityManager, params: QueryParams = NO_PARAMS, options: CrudReadOptions<Entity> = {}): Promise<QueryBuilder<Entity>> {
    const resource = this.bind(em)
    return await resource.query(em, planList(params, resource.whitelist, options), options)
  }

  /**
   * Meets an ORM: looks up all names, once.
   *
   * @throws {ConfigError} when the whitelist names what the entity doesn't have, with a suggestion
   */
  bind (em: EntityManager): Resource {
    const metadata = em.getMetadata()
    let resource = this.#resources.get(metadata)
    if (resource === undefined) this.#resources.set(metadata, resource = new Resource(em, this.model, this.queryConfig as QueryBuilderConfig, this.name))
    return resource
  }

  async #run (resource: Resource, em: EntityManager, plan: Parameters<Resource['compile']>[1], options: CrudReadOptions<Entity>): Promise<{ row: Row | undefined, read: CompiledRead }> {
    const read = await resource.compile(em, plan, options)
    const [row] = await run(em, read)
    return { row, read }
  }

  /** Text of an array of records, converted where JavaScript has a part in it. */
  async #items (json: string, { toWire }: CompiledRead, em: EntityManager, options: CrudReadOptions<Entity>): Promise<string> {
    if (toWire === undefined && this.afterRead === undefined) return json
    const records = JSON.parse(json) as JsonRecord[]
    return JSON.stringify(await Promise.all(records.map((record) => this.#convert(record, toWire, em, options))))
  }

  async #item (json: string, { toWire }: CompiledRead, em: EntityManager, options: CrudReadOptions<Entity>): Promise<string> {
    if (toWire === undefined && this.afterRead === undefined) return json
    return JSON.stringify(await this.#convert(JSON.parse(json), toWire, em, options))
  }

  async #convert (record: JsonRecord, toWire: CompiledRead['toWire'], em: EntityManager, options: CrudReadOptions<Entity>): Promise<JsonRecord> {
    toWire?.(record)
    return await this.afterRead?.(record, { ...options.context, em }) ?? record
  }
}
