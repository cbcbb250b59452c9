/** The base class of a resource: one entity, its whitelist, and the operations on its records. */
import type { EntityManager, EntityName, QueryBuilder } from '@mikro-orm/postgresql'
import type { AccessOptions, Role } from '../access/index.ts'
import {
  QueryBuilderConfig, readUpsertKeys, readWritable, type QueryBuilderOptions, type QueryOperation,
  type UpsertKeysOption, type WritableOption,
} from '../config/index.ts'
import { after } from '../base/or-promise.ts'
import { doInTurn, type Steps } from '../base/steps.ts'
import { planAggregate, planList, planMany, type Id } from '../plan/index.ts'
import { NO_PARAMS, type QueryParams } from '../query/index.ts'
import {
  countRecords, readGroups, readList, readRecord, readStream, recordExists, type JsonAnswer,
} from '../read/index.ts'
import {
  BoundResources, callFor, perform, queryBuilderOf, requirePromises, Resource, type Call, type CrudContext,
  type CrudResult, type CrudSession, type OperationOptions, type WriteConfig,
} from '../resource/index.ts'
import {
  createMany, createOne, deleteMany, deleteOne, restoreOne, updateMany, updateOne, upsertBy, type Affected, type Data,
} from '../write/index.ts'
import { asItIs, jsonOfAnswer, valueOfAnswer, valueOfText } from './answers.ts'
import { checkCall, readParams, refusalOfCall, type CrudParams } from './check-call.ts'
import { keyOfCall } from './check-key.ts'
import { checkAfterHooks, checkCrudOptions, checkHookNames, readPrevious } from './check-options.ts'
import type {
  CrudCreateOptions, CrudDeleteManyOptions, CrudDeleteOptions, CrudGroups, CrudOptions, CrudPage, CrudQueryOptions,
  CrudReadOptions, CrudRecord, CrudStreamOptions, CrudUpdateManyOptions, CrudUpdateOptions, CrudUpsertOptions,
  CrudWriteOptions, UpsertResult,
} from './crud-options.ts'
import type { AfterContext } from './after-context.ts'
import { roleView, type RoleView, type RoleViewOptions } from './role-view.ts'
import type { WireBody, WireRecord, WrittenRecord } from './record-types.ts'

/** The methods that do one operation. */
type OperatingMethod = Exclude<QueryOperation, 'list' | 'get' | 'stream'> | 'listJson' | 'getJson'

/** The operation of a method. */
const operationOf = (method: OperatingMethod): QueryOperation =>
  method === 'listJson' ? 'list' : method === 'getJson' ? 'get' : method

/**
 * Reads one entity by a whitelist, and writes its records. Each read is one statement, and so is a write unless it
 * needs MikroORM's unit of work. Records are plain objects in wire form. A number inside JSON that JavaScript cannot
 * represent is rounded in them, and exact in the texts that `listJson`, `getJson` and `streamJson` return.
 *
 * Methods take an EntityManager and return promises, or a `SyncSession` and return values. If that is in a
 * transaction, they run in that transaction. Names are checked against the entity when the resource is registered with
 * Fastify, or else when it is first used.
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
  const Writable extends WritableOption<Entity> = WritableOption<Entity>,
  const Keys extends UpsertKeysOption<Entity> = UpsertKeysOption<Entity>
> {
  /** @internal A type without a value, from which the types of a client are derived. */
  declare readonly '~types': {
    readonly entity: Entity,
    readonly config: Config,
    readonly writable: Writable,
    readonly upsertKeys: Keys,
  }

  /** The entity. */
  readonly model: EntityName<Entity>
  /** The whitelist, with all defaults. */
  readonly queryConfig: QueryBuilderConfig<Entity>
  /** The name in `fields[<name>]`, if it is not the name of the table. */
  readonly name: string | undefined
  readonly #options: Omit<WriteConfig, 'fills'>
  readonly #resources = new BoundResources()
  readonly #accesses = new Set<AccessOptions>()

  /**
   * Changes the data of each new record before any record is written. The returned data may contain any property that
   * has a column, including those that clients may not write.
   */
  beforeCreate? (data: WireBody<Entity>, context: CrudContext): CrudRecord | Promise<CrudRecord>
  /** Changes the data of an update, which contains only the properties to change. */
  beforeUpdate? (id: Id, data: WireBody<Entity>, context: CrudContext): CrudRecord | Promise<CrudRecord>
  /** Runs before a soft or hard delete. If it throws, the record is not deleted. */
  beforeDelete? (id: Id, context: CrudContext): void | Promise<void>
  /**
   * Changes the data of `updateMany`, once for all records. A class with `beforeUpdate` needs it to offer `updateMany`,
   * for which `beforeUpdate` does not run.
   */
  beforeUpdateMany? (data: WireBody<Entity>, context: CrudContext): CrudRecord | Promise<CrudRecord>
  /**
   * Runs once before `deleteMany`. If it throws, no record is deleted. A class with `beforeDelete` needs it to offer
   * `deleteMany`, for which `beforeDelete` does not run.
   */
  beforeDeleteMany? (context: CrudContext): void | Promise<void>
  /**
   * Changes each record of an answer, in pages and alone. The returned record is sent. If the hook is declared, the
   * JSON of the database is parsed, and an integer beyond 2^53 inside JSON is rounded.
   *
   * It shapes answers and does not protect values. A value that it masks can still be found through includes of other
   * resources, and through filters, sorts and cursors. To protect a value, set `hidden` on its property, leave it out
   * of all whitelists, or use a separate entity or view without it.
   */
  afterRead? (record: WireRecord<Entity>, context: CrudContext): CrudRecord | Promise<CrudRecord>

  /**
   * Runs once a record has been created and its transaction has committed, also one of the caller. It runs for each
   * record of `createMany`. It does not run for what is rolled back, nor if it is unknown whether a commit succeeded.
   *
   * The method of this class, `withTransaction` and the answer of a generated route wait for it. If it throws, the
   * error is logged with the operation and the key, and the answer stays the same.
   *
   * @param record the record as clients without a role see it, before `afterRead`
   * @example
   * class Tickets extends CrudBase<Ticket> {
   *   override async afterCreate (ticket: WireRecord<Ticket>): Promise<void> {
   *     await fetch(hook, { method: 'POST', body: JSON.stringify(ticket) })
   *   }
   * }
   */
  afterCreate? (record: WireRecord<Entity>, context: AfterContext<Entity>): void | Promise<void>
  /** Runs, like `afterCreate`, once a record has been changed or restored, unless the update had nothing to change. */
  afterUpdate? (record: WireRecord<Entity>, context: AfterContext<Entity>): void | Promise<void>
  /** Runs, like `afterCreate`, once a record has been deleted, softly or not. */
  afterDelete? (record: WireRecord<Entity>, context: AfterContext<Entity>): void | Promise<void>
  /**
   * Runs, like `afterCreate`, once for all records that `updateMany` has changed. A class with `afterUpdate` needs it
   * to offer `updateMany`, for which `afterUpdate` does not run. `context.previous` is absent.
   *
   * @param keys the keys of the records, each as `get` takes it
   */
  afterUpdateMany? (keys: readonly Id[], context: AfterContext<Entity>): void | Promise<void>
  /**
   * Runs, like `afterCreate`, once for all records that `deleteMany` has deleted. A class with `afterDelete` needs it
   * to offer `deleteMany`, for which `afterDelete` does not run. `context.previous` is absent.
   */
  afterDeleteMany? (keys: readonly Id[], context: AfterContext<Entity>): void | Promise<void>

  constructor (options: CrudOptions<Entity, Config, Writable, Keys>) {
    checkCrudOptions(new.target.name, options)
    const { model, queryConfig = {}, writable, upsertKeys, previous, name } = options
    this.model = model
    this.queryConfig = queryConfig instanceof QueryBuilderConfig
      ? queryConfig
      : new QueryBuilderConfig<Entity>(queryConfig as QueryBuilderOptions<Entity>)
    this.name = name
    this.#options = {
      writable: readWritable(new.target.name, writable),
      upsertKeys: readUpsertKeys(new.target.name, upsertKeys),
      previous: readPrevious(new.target.name, previous),
    }
  }

  /**
   * Returns a page of records.
   *
   * @param params the result of `parseQueryParams` for a query string, or an object such as
   *   `{ filter: { or: [{ status: 'open' }, { price: { gte: 100 } }] }, sort: ['-price'], per_page: 20 }`
   * @throws {FilterValidationError} or a similar error, with all mistakes of `params` in `errors`
   */
  list<On extends CrudSession> (
    session: On,
    params: CrudParams = NO_PARAMS,
    options: CrudReadOptions<Entity> = {}
  ): CrudResult<On, CrudPage<Entity, Config>> {
    return refusalOfCall(this, 'list', session, options, params) ??
      after(this.listJson(session, params, options), valueOfText) as any // any: the signature has the type
  }

  /** Returns the answer of `list` as JSON text. */
  listJson<On extends CrudSession> (
    session: On,
    params: CrudParams = NO_PARAMS,
    options: CrudReadOptions<Entity> = {}
  ): CrudResult<On, string> {
    return this.#run('listJson', session, options, (call) => readList(call, readParams(params)), jsonOfAnswer, params)
  }

  /**
   * Returns a page of groups with numbers about the records of each: `group`, `aggregate`, filters, `sort` and the page
   * of `params`. The hook `afterRead` does not run, because groups are not records.
   *
   * @throws {FieldValidationError} or a similar error, with all mistakes of `params` in `errors`
   * @example
   * await products.aggregate(em, parseQueryParams('group=status&aggregate=count,price.sum&sort=-count'))
   * // { items: [{ status: 'active', count: 12, price_sum: '99.50' }], total: 1, page: 1, ... }
   */
  aggregate<On extends CrudSession> (
    session: On,
    params: CrudParams,
    options: CrudReadOptions<Entity> = {}
  ): CrudResult<On, CrudGroups> {
    const steps = (call: Call): Steps<JsonAnswer> =>
      readGroups(call, planAggregate(readParams(params), call.resource.whitelist, options))
    return this.#run('aggregate', session, options, steps, valueOfAnswer, params ?? null)
  }

  /**
   * Returns the record with a key, or `null` if it does not exist, is deleted, or lies outside of the scope.
   *
   * @param id the primary key, the `uuid` of an entity that has one, or an object for a composite key
   * @param params may hold `include` and `fields`
   * @throws {ConfigError} for an `id` that cannot be a key, such as `undefined`
   */
  get<On extends CrudSession> (
    session: On,
    id: Id,
    params?: CrudParams,
    options: CrudReadOptions<Entity> = {}
  ): CrudResult<On, WireRecord<Entity> | null> {
    return refusalOfCall(this, 'get', session, options, params) ??
      after(this.getJson(session, id, params, options), valueOfText) as any // any: the signature has the type
  }

  /** Returns the answer of `get` as JSON text. */
  getJson<On extends CrudSession> (
    session: On,
    id: Id,
    params?: CrudParams,
    options: CrudReadOptions<Entity> = {}
  ): CrudResult<On, string | null> {
    const steps = (call: Call): Steps<JsonAnswer | null> =>
      readRecord(call, keyOfCall(call, id), params && readParams(params))
    return this.#run('getJson', session, options, steps, jsonOfAnswer, params)
  }

  /** Returns the number of records that match the filters of `params`. */
  count<On extends CrudSession> (
    session: On,
    params: CrudParams = NO_PARAMS,
    options: CrudReadOptions<Entity> = {}
  ): CrudResult<On, number> {
    return this.#run('count', session, options, (call) => countRecords(call, readParams(params)), asItIs, params)
  }

  /** Returns whether a record with the key exists. */
  exists<On extends CrudSession> (
    session: On,
    id: Id,
    options: CrudReadOptions<Entity> = {}
  ): CrudResult<On, boolean> {
    return this.#run('exists', session, options, (call) => recordExists(call, keyOfCall(call, id)), asItIs)
  }

  /**
   * Yields all records that match the filters of `params`, in order. Memory stays constant, whatever the number and
   * size of the records. On PostgreSQL, all records come from one snapshot, and the stream occupies a connection
   * until the last record or until the caller leaves the loop. On PGlite, records are read page by page. In a READ
   * COMMITTED transaction of the caller, included records are those of the moment in which they are read.
   *
   * @param params may hold filters, sorts, fields and includes
   * @param options may hold a `signal` that ends the stream
   * @example
   * for await (const category of categories.stream(em, parseQueryParams('sort=name'))) console.log(category.name)
   */
  async * stream (
    em: EntityManager,
    params: CrudParams = NO_PARAMS,
    options: CrudStreamOptions<Entity> = {}
  ): AsyncGenerator<WireRecord<Entity>, void, undefined> {
    checkCall(this, 'stream', em, options, params)
    for await (const batch of this.streamJson(em, params, options)) {
      for (const json of batch) yield JSON.parse(json)
    }
  }

  /** Yields the records of `stream` as JSON texts, in the batches in which they are read. */
  async * streamJson (
    em: EntityManager,
    params: CrudParams = NO_PARAMS,
    options: CrudStreamOptions<Entity> = {}
  ): AsyncGenerator<string[], void, undefined> {
    checkCall(this, 'streamJson', em, options, params)
    requirePromises(em, 'stream() waits for one batch after the other')
    yield * readStream(await doInTurn(callFor(this, em, 'stream', options)), readParams(params))
  }

  /**
   * Returns MikroORM's QueryBuilder with the filters, sorts and pagination of `params`, the scope and MikroORM's
   * filters applied. Use it for queries that this class does not support. The alias of the entity is `e0`. For a role
   * it selects the properties that the role sees. A `select()` of yours replaces them and is not limited.
   *
   * @example
   * const qb = await categories.query(em, params, { order: false, limit: false })
   * const report = await qb.select(['status', raw('count(*)::int as count')]).groupBy('status').execute()
   */
  query (
    em: EntityManager,
    params: CrudParams = NO_PARAMS,
    options: CrudQueryOptions<Entity> = {}
  ): Promise<QueryBuilder<Entity>> {
    const refusal = refusalOfCall(this, 'query', em, options, params)
    if (refusal !== undefined) return refusal
    requirePromises(em, 'query() makes a query that MikroORM runs')
    return this.#query(em, readParams(params), options)
  }

  async #query (
    em: EntityManager,
    params: QueryParams,
    options: CrudQueryOptions<Entity>
  ): Promise<QueryBuilder<Entity>> {
    const { resource, actor } = await doInTurn(callFor(this, em, 'list', options))
    return await queryBuilderOf(resource, em, planList(params, resource.whitelist, options), options, actor)
  }

  /**
   * Creates a record and returns it in the form of a read.
   *
   * @param data values by public name. Only properties that clients may write are allowed. A relation is given by its
   *   id, a many-to-many relation by the list of its ids.
   * @throws {RequestValidationError} for properties that are unknown, not writable, missing or of the wrong type
   * @throws {ConflictError} if the record exists already, or refers to a record that does not exist
   * @throws {OutOfScopeError} if the record would lie outside `scope`
   */
  create<On extends CrudSession> (
    session: On,
    data: WireBody<Entity>,
    options: CrudCreateOptions<Entity> = {}
  ): CrudResult<On, WrittenRecord<Entity>> {
    return this.#run('create', session, options, (call) => createOne(call, data as Data), valueOfAnswer)
  }

  /**
   * Creates all records or none. The first record that cannot be created throws an error, whose pointers start with the
   * index of that record.
   */
  createMany<On extends CrudSession> (
    session: On,
    data: ReadonlyArray<WireBody<Entity>>,
    options: CrudCreateOptions<Entity> = {}
  ): CrudResult<On, WrittenRecord<Entity>[]> {
    return this.#run('createMany', session, options, (call) => createMany(call, data as readonly Data[]), valueOfAnswer)
  }

  /**
   * Changes the record with a key, or creates it if no record has the key. Returns the record, and whether it was
   * created. What `data` does not give stays unchanged.
   *
   * A list is written as a whole or not at all, and returns a list in its order. The hook of what happens to a record
   * runs: `beforeCreate` or `beforeUpdate`. If another request creates or removes the record at the same time, the
   * other hook may run after it.
   *
   * @param data a record, or a list of records. Each must have the key
   * @param options `on` names the key, one of the option `upsertKeys`
   * @throws {ConflictError} if the record with the key is deleted, or outside of what the caller may change
   * @throws {PreconditionFailedError} if `ifMatch` does not contain the record's version, or there is no record
   * @throws the errors of `create` for a new record, and those of `update` for one that exists
   * @example
   * const { created, record } = await books.upsert(em, { isbn: '978-0141439518', price: 9.5 }, { on: 'isbn' })
   */
  upsert<On extends CrudSession> (
    session: On,
    data: ReadonlyArray<WireBody<Entity>>,
    options: CrudUpsertOptions<Entity>
  ): CrudResult<On, UpsertResult<WrittenRecord<Entity>>[]>
  upsert<On extends CrudSession> (
    session: On,
    data: WireBody<Entity>,
    options: CrudUpsertOptions<Entity>
  ): CrudResult<On, UpsertResult<WrittenRecord<Entity>>>
  upsert<On extends CrudSession> (
    session: On,
    data: WireBody<Entity> | ReadonlyArray<WireBody<Entity>>,
    options: CrudUpsertOptions<Entity>
  ): any { // any: the overloads have the types
    const steps = (call: Call): Steps<JsonAnswer> => upsertBy(call, options?.on, data as Data | readonly Data[])
    return this.#run('upsert', session, options, steps, valueOfAnswer)
  }

  /**
   * Changes the given properties of a record and returns it. If `data` is empty, the record stays unchanged.
   *
   * @throws {NotFoundError} if the record does not exist
   * @throws {PreconditionFailedError} if `ifMatch` does not contain the record's version
   * @throws the errors of `create`
   */
  update<On extends CrudSession> (
    session: On,
    id: Id,
    data: WireBody<Entity>,
    options: CrudUpdateOptions<Entity> = {}
  ): CrudResult<On, WrittenRecord<Entity>> {
    const steps = (call: Call): Steps<JsonAnswer> => updateOne(call, keyOfCall(call, id), data as Data)
    return this.#run('update', session, options, steps, valueOfAnswer)
  }

  /**
   * Deletes a record and returns it. If the entity has `deleted_at`, the record is marked as deleted. Otherwise, or
   * with `hard`, it is removed.
   *
   * @throws {NotFoundError} if the record does not exist or, without `hard`, is already marked as deleted
   */
  delete<On extends CrudSession> (
    session: On,
    id: Id,
    options: CrudDeleteOptions<Entity> = {}
  ): CrudResult<On, WrittenRecord<Entity>> {
    return this.#run('delete', session, options, (call) => deleteOne(call, keyOfCall(call, id)), valueOfAnswer)
  }

  /**
   * Removes the mark of a deletion and returns the record. A record that is not deleted stays unchanged.
   *
   * @throws {NotFoundError} if the record does not exist
   * @throws {ConfigError} if the entity has no `deleted_at`
   */
  restore<On extends CrudSession> (
    session: On,
    id: Id,
    options: CrudWriteOptions<Entity> = {}
  ): CrudResult<On, WrittenRecord<Entity>> {
    return this.#run('restore', session, options, (call) => restoreOne(call, keyOfCall(call, id)), valueOfAnswer)
  }

  /**
   * Sets the given properties of all records that match the filters of `params`, or of none. Rows that are marked as
   * deleted stay unchanged, unless `includeDeleted` is set.
   *
   * @param params may hold filters only, and at least one of them must leave out records
   * @returns the number of changed records
   * @throws {TooManyError} if more than `maxAffected` records match
   * @throws {ConfigError} if the class has `beforeUpdate` and lacks `beforeUpdateMany`
   * @throws the errors of `list` for filters, and those of `update` for `data`, `NotFoundError` excepted
   * @example
   * const drafts = parseQueryParams('filter[status]=draft')
   * const { affected } = await articles.updateMany(em, drafts, { status: 'archived' })
   */
  updateMany<On extends CrudSession> (
    session: On,
    params: CrudParams,
    data: WireBody<Entity>,
    options: CrudUpdateManyOptions<Entity> = {}
  ): CrudResult<On, Affected> {
    const steps = (call: Call): Steps<Affected> => {
      const { includeDeleted } = options
      const target = planMany(readParams(params), call.resource.whitelist, { includeDeleted, onlyLive: true })
      return updateMany(call, target, data as Data)
    }
    return this.#run('updateMany', session, options, steps, asItIs, params ?? null)
  }

  /**
   * Deletes all records that match the filters of `params`, or none. If the entity has `deleted_at`, they are marked as
   * deleted, and those that are marked already stay unchanged. Otherwise, or with `hard`, they are removed.
   *
   * @param params may hold filters only, and at least one of them must leave out records
   * @returns the number of deleted records
   * @throws {TooManyError} if more than `maxAffected` records match
   * @throws {ConflictError} if other records refer to one that is to be removed
   * @throws {ConfigError} if the class has `beforeDelete` and lacks `beforeDeleteMany`
   * @example
   * await articles.deleteMany(em, parseQueryParams('filter[status]=archived'), { dryRun: true }) // { affected: 12 }
   */
  deleteMany<On extends CrudSession> (
    session: On,
    params: CrudParams,
    options: CrudDeleteManyOptions<Entity> = {}
  ): CrudResult<On, Affected> {
    const steps = (call: Call): Steps<Affected> => {
      const onlyLive = call.resource.model.deletedAt !== undefined && options.hard !== true
      return deleteMany(call, planMany(readParams(params), call.resource.whitelist, { onlyLive }))
    }
    return this.#run('deleteMany', session, options, steps, asItIs, params ?? null)
  }

  /**
   * Checks the arguments of a method, and does its operation.
   *
   * @param params `undefined` if the method takes none, or may do without
   */
  #run<Answer> (
    method: OperatingMethod,
    session: CrudSession,
    options: OperationOptions,
    steps: (call: Call) => Steps<Answer>,
    resultOf: (answer: Answer) => unknown,
    params?: unknown
  ): any { // any: the signatures of the methods have the types
    return refusalOfCall(this, method, session, options, params) ??
      after(perform(this, session, operationOf(method), options, steps), resultOf)
  }

  /**
   * Returns the methods of this class within the limits of a role, for tests and scripts. They act for the role on any
   * session. In a route, `request.em` does the same without this method.
   *
   * @param name a role of the option `access`
   * @throws {ConfigError} for a name that is not the name of a role, and if there are no rules, because no server with
   *   the option `access` has made routes of this resource and the rules are not passed
   * @example
   * const page = await projects.forRole('guest').list(orm.em.fork(), parseQueryParams('sort=name'))
   */
  forRole (name: string, options: RoleViewOptions = {}): RoleView<this> {
    return roleView(this, name, options, [...this.#accesses])
  }

  /** @internal Takes the rules of a server that has routes of this resource, for `forRole`. */
  takeAccess (access: AccessOptions): void {
    this.#accesses.add(access)
  }

  /**
   * Binds the resource to an ORM: looks up all names, once.
   *
   * @internal
   * @param role the role that the resource is for. Default: no limits.
   * @throws {ConfigError} with a suggestion, if the whitelist names a property that the entity does not have
   */
  bind (em: EntityManager, role?: Role): Resource {
    return this.#resources.of(em, role, () => {
      checkHookNames(this, CrudBase.prototype)
      checkAfterHooks(this, this.#options.previous)
      const replaces = (method: 'create' | 'createMany' | 'update'): boolean => isOwnMethod(this, method)
      const fills = {
        create: this.beforeCreate !== undefined || replaces('create') || replaces('createMany'),
        update: this.beforeUpdate !== undefined || replaces('update'),
      }
      const { model, queryConfig, name } = this
      return new Resource(em, model, queryConfig as QueryBuilderConfig, name, { ...this.#options, fills }, role)
    })
  }
}

/** Whether the application overrides a method. */
export const isOwnMethod = (crud: CrudBase, method: keyof CrudBase): boolean =>
  crud[method] !== CrudBase.prototype[method]
