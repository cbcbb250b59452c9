/** The base class of a resource: one entity, its whitelist, and what can be done with its records. */
import type { EntityManager, EntityName, QueryBuilder } from '@mikro-orm/postgresql'
import {
  QueryBuilderConfig,
  readWritable,
  type QueryBuilderOptions,
  type WritableConfig,
  type WritableOption,
} from '../config/index.ts'
import { SyncSession } from '../database/index.ts'
import { ConfigError } from '../errors.ts'
import { checkOptions } from '../options.ts'
import { planList, type Id } from '../plan/index.ts'
import { parseQueryParams, type QueryParams } from '../query/index.ts'
import { countRecords, readList, readOne, readStream, recordExists } from '../read/index.ts'
import {
  BoundResources,
  requirePromises,
  Resource,
  type CrudContext,
  type CrudResult,
  type CrudSession,
} from '../resource/index.ts'
import {
  countSync,
  createManySync,
  createSync,
  deleteSync,
  existsSync,
  getSync,
  listSync,
  restoreSync,
  updateSync,
} from '../sync/index.ts'
import { createMany, createOne, deleteOne, restoreOne, updateOne, type Data } from '../write/index.ts'
import { textOf, parsed } from './answers.ts'
import { checkCall, refusalOf } from './check-call.ts'
import type {
  CrudCreateOptions,
  CrudDeleteOptions,
  CrudOptions,
  CrudPage,
  CrudReadOptions,
  CrudRecord,
  CrudStreamOptions,
  CrudUpdateOptions,
  CrudWriteOptions,
} from './crud-options.ts'

/** The options of the constructor. */
const OPTIONS: readonly string[] = ['model', 'queryConfig', 'writable', 'name']
const NO_PARAMS = parseQueryParams('')

/**
 * Reads one entity by a whitelist, and writes its records. Each read is one statement, and so is a write where the
 * entity has no part in it; records are plain objects in wire form. A number inside JSON that JavaScript can't represent is
 * rounded in them, and exact in the texts that `listJson`, `getJson` and `streamJson` return.
 *
 * Methods take an EntityManager and return promises, or a `SyncSession` and return values. They run in the transaction
 * that it is in, if there is one. Names are checked against the entity when the
 * resource meets its ORM: when it is registered with Fastify, or at the first use.
 *
 * @example
 * class CategoryCrud extends CrudBase<Category> {
 *   constructor () { super({ model: Category, queryConfig, writable: ['name', 'price'] }) }
 * }
 * const page = await new CategoryCrud().list(em, parseQueryParams('filter[name]=Tech&sort=-created_at'))
 */
export class CrudBase<
  Entity extends object = any,
  const Config extends QueryBuilderOptions<Entity> = QueryBuilderOptions<Entity>,
  const Writable extends WritableOption<Entity> = WritableOption<Entity>
> {
  /** @internal Only a type: what the types of a client follow from. */
  declare readonly '~types': { readonly entity: Entity, readonly config: Config, readonly writable: Writable }

  readonly model: EntityName<Entity>
  readonly queryConfig: QueryBuilderConfig<Entity>
  readonly name: string | undefined
  readonly #writable: WritableConfig | undefined
  readonly #resources = new BoundResources()

  /**
   * Changes the data of a new record, or of each of several, before anything is written. What it returns may hold any
   * property that has a column, those that clients may not write included.
   */
  beforeCreate? (data: CrudRecord, context: CrudContext): CrudRecord | Promise<CrudRecord>
  /** The same for an update: the data is what is to be changed. */
  beforeUpdate? (id: Id, data: CrudRecord, context: CrudContext): CrudRecord | Promise<CrudRecord>
  /** Runs before a delete, soft or hard. What it throws prevents it. */
  beforeDelete? (id: Id, context: CrudContext): void | Promise<void>
  /**
   * Changes a record before it leaves, whole pages and single records alike. Declaring it means that the JSON of the
   * database is parsed; what is returned is sent. Numbers are JavaScript's: an integer beyond 2^53 inside JSON is rounded.
   *
   * It shapes answers and protects nothing: a value that it masks still shows through other resources' includes, and
   * through filters, sorts and cursors. A value is protected by `hidden` on its property, by whitelists that leave it out, or
   * by a separate entity or view without it.
   */
  afterRead? (record: CrudRecord, context: CrudContext): CrudRecord | Promise<CrudRecord>

  constructor (options: CrudOptions<Entity, Config, Writable>) {
    checkOptions(new.target.name, options, OPTIONS)
    const { model, queryConfig = {}, writable, name } = options ?? {}
    if (model === undefined) {
      throw new ConfigError(`${new.target.name}: "model" is required, the entity of the resource.`)
    }
    this.model = model
    this.queryConfig = queryConfig instanceof QueryBuilderConfig
      ? queryConfig
      : new QueryBuilderConfig<Entity>(queryConfig as QueryBuilderOptions<Entity>)
    this.name = name
    this.#writable = readWritable(new.target.name, writable)
  }

  /**
   * A page of records.
   *
   * @param params the result of `parseQueryParams` for a query string
   * @throws {FilterValidationError} and its like, with all that is wrong with `params` in `errors`
   */
  list<On extends CrudSession> (
    session: On,
    params: QueryParams = NO_PARAMS,
    options: CrudReadOptions<Entity> = {}
  ): CrudResult<On, CrudPage> {
    return refusalOf(this, 'list', session, options, params) ?? parsed(this.listJson(session, params, options))
  }

  /** The same answer as `list`, as JSON text. */
  listJson<On extends CrudSession> (
    session: On,
    params: QueryParams = NO_PARAMS,
    options: CrudReadOptions<Entity> = {}
  ): CrudResult<On, string> {
    return refusalOf(this, 'listJson', session, options, params) ?? textOf(
      session instanceof SyncSession
        ? listSync(this, session, params, options)
        : readList(this, session, params, options)
    )
  }

  /**
   * The record with a key, or `null` when there is none, it is deleted, or out of scope.
   *
   * @param id the primary key, the `uuid` of an entity that has one, or an object for a composite key
   * @param params may hold `include` and `fields`
   */
  get<On extends CrudSession> (
    session: On,
    id: Id,
    params?: QueryParams,
    options: CrudReadOptions<Entity> = {}
  ): CrudResult<On, CrudRecord | null> {
    return refusalOf(this, 'get', session, options, params) ?? parsed(this.getJson(session, id, params, options))
  }

  /** The same answer as `get`, as JSON text. */
  getJson<On extends CrudSession> (
    session: On,
    id: Id,
    params?: QueryParams,
    options: CrudReadOptions<Entity> = {}
  ): CrudResult<On, string | null> {
    return refusalOf(this, 'getJson', session, options, params) ?? textOf(
      session instanceof SyncSession
        ? getSync(this, session, id, params, options)
        : readOne(this, session, id, params, options)
    )
  }

  /** How many records the filters of `params` keep. */
  count<On extends CrudSession> (
    session: On,
    params: QueryParams = NO_PARAMS,
    options: CrudReadOptions<Entity> = {}
  ): CrudResult<On, number> {
    return refusalOf(this, 'count', session, options, params) ?? (session instanceof SyncSession
      ? countSync(this, session, params, options)
      : countRecords(this, session, params, options)) as CrudResult<On, number>
  }

  /** Whether there is a record with the key. */
  exists<On extends CrudSession> (
    session: On,
    id: Id,
    options: CrudReadOptions<Entity> = {}
  ): CrudResult<On, boolean> {
    return refusalOf(this, 'exists', session, options) ?? (session instanceof SyncSession
      ? existsSync(this, session, id, options)
      : recordExists(this, session, id, options)) as CrudResult<On, boolean>
  }

  /**
   * All records that the filters of `params` keep, in order, one after the other: in constant memory, whatever their
   * number and their size. On PostgreSQL they are those of one moment, and occupy a connection until the last one, or
   * until the caller leaves the loop; on PGlite they are read page by page. In a transaction of the caller's whose
   * isolation level is READ COMMITTED, what records include is that of the moment in which it is read.
   *
   * @param params may hold filters, sorts, fields and includes
   * @param options may hold a `signal` that ends the stream
   * @example
   * for await (const category of categories.stream(em, parseQueryParams('sort=name'))) console.log(category.name)
   */
  async * stream (
    em: EntityManager,
    params: QueryParams = NO_PARAMS,
    options: CrudStreamOptions<Entity> = {}
  ): AsyncGenerator<CrudRecord, void, undefined> {
    checkCall(this, 'stream', em, options, params)
    for await (const batch of this.streamJson(em, params, options)) {
      for (const json of batch) yield JSON.parse(json)
    }
  }

  /** The same records as JSON texts, in the batches in which they are read. */
  async * streamJson (
    em: EntityManager,
    params: QueryParams = NO_PARAMS,
    options: CrudStreamOptions<Entity> = {}
  ): AsyncGenerator<string[], void, undefined> {
    checkCall(this, 'streamJson', em, options, params)
    requirePromises(em, 'stream() waits for one batch after the other')
    yield * readStream(this, em, params, options)
  }

  /**
   * MikroORM's QueryBuilder with the filters, sorts and pagination of `params` applied, and whatever else hides rows:
   * the way out for what this class doesn't do. The alias of the entity is `e0`.
   */
  async query (
    em: EntityManager,
    params: QueryParams = NO_PARAMS,
    options: CrudReadOptions<Entity> = {}
  ): Promise<QueryBuilder<Entity>> {
    checkCall(this, 'query', em, options, params)
    requirePromises(em, 'query() makes a query that MikroORM runs')
    const resource = this.bind(em)
    return await resource.query(em, planList(params, resource.whitelist, options), options)
  }

  /**
   * Creates a record and returns it as a read would.
   *
   * @param data by public name: properties that clients may write, relations by id, a many-to-many relation as the
   *   list of ids that it is to have
   * @throws {RequestValidationError} for what is unknown, not writable, missing or not of its type; {ConflictError} for
   *   a record that exists or one that doesn't; {OutOfScopeError} when the record would lie outside `scope`
   */
  create<On extends CrudSession> (
    session: On,
    data: Data,
    options: CrudCreateOptions<Entity> = {}
  ): CrudResult<On, CrudRecord> {
    return refusalOf(this, 'create', session, options) ?? parsed(textOf(
      session instanceof SyncSession
        ? createSync(this, session, data, options)
        : createOne(this, session, data, options)
    ))
  }

  /** Creates records, all of them or none. The first one that cannot be is an error, whose pointers start with its index. */
  createMany<On extends CrudSession> (
    session: On,
    data: readonly Data[],
    options: CrudCreateOptions<Entity> = {}
  ): CrudResult<On, CrudRecord[]> {
    return refusalOf(this, 'createMany', session, options) ?? parsed(textOf(
      session instanceof SyncSession
        ? createManySync(this, session, data, options)
        : createMany(this, session, data, options)
    ))
  }

  /**
   * Changes the given properties of a record and returns it; an update of nothing changes nothing.
   *
   * @throws {NotFoundError}, {PreconditionFailedError} when `ifMatch` names no version of it, and the errors of `create`
   */
  update<On extends CrudSession> (
    session: On,
    id: Id,
    data: Data,
    options: CrudUpdateOptions<Entity> = {}
  ): CrudResult<On, CrudRecord> {
    return refusalOf(this, 'update', session, options) ?? parsed(textOf(
      session instanceof SyncSession
        ? updateSync(this, session, id, data, options)
        : updateOne(this, session, id, data, options)
    ))
  }

  /**
   * Deletes a record and returns it: marks it where the entity has `deleted_at`, else, or with `hard`, removes it.
   *
   * @throws {NotFoundError} also for a record that is marked already
   */
  delete<On extends CrudSession> (
    session: On,
    id: Id,
    options: CrudDeleteOptions<Entity> = {}
  ): CrudResult<On, CrudRecord> {
    return refusalOf(this, 'delete', session, options) ?? parsed(textOf(
      session instanceof SyncSession
        ? deleteSync(this, session, id, options)
        : deleteOne(this, session, id, options)
    ))
  }

  /**
   * Takes the mark of a deletion back and returns the record; a record that is not deleted stays unchanged.
   *
   * @throws {NotFoundError}, and {ConfigError} when the entity has no `deleted_at`
   */
  restore<On extends CrudSession> (
    session: On,
    id: Id,
    options: CrudWriteOptions<Entity> = {}
  ): CrudResult<On, CrudRecord> {
    return refusalOf(this, 'restore', session, options) ?? parsed(textOf(
      session instanceof SyncSession
        ? restoreSync(this, session, id, options)
        : restoreOne(this, session, id, options)
    ))
  }

  /**
   * Meets an ORM: looks up all names, once.
   *
   * @throws {ConfigError} when the whitelist names what the entity doesn't have, with a suggestion
   */
  bind (em: EntityManager): Resource {
    return this.#resources.of(
      em,
      () => new Resource(em, this.model, this.queryConfig as QueryBuilderConfig, this.name, this.#writable)
    )
  }
}
