/** The base class of a resource: one entity, its whitelist, and what can be done with its records. */
import type { EntityManager, EntityName, QueryBuilder } from '@mikro-orm/postgresql'
import {
  QueryBuilderConfig,
  readWritable,
  type QueryBuilderOptions,
  type WritableConfig,
  type WritableOption,
} from '../config/index.ts'
import { ConfigError } from '../errors.ts'
import {
  planList,
  planStream,
  readData,
  withSharedColumns,
  type BodyRules,
  type Id,
  type RecordData,
} from '../plan/index.ts'
import { parseQueryParams, type QueryParams } from '../query/index.ts'
import { enterStage, type QueryOperation } from '../run/index.ts'
import { nearest } from '../suggest.ts'
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
import {
  changesOfHook,
  checkScopeData,
  closedBody,
  keyColumnErrors,
  readScopeData,
  repeated,
  scopeData,
  valuesData,
  withoutKey,
  Writer,
  type Data,
  type Written,
} from '../write/index.ts'
import {
  after,
  checkScope,
  contextOf,
  perform,
  readScope,
  requirePromises,
  Resource,
  schemaOf,
  sharedEmOf,
  wait,
  type CrudContext,
  type CrudResult,
  type CrudSession,
  type MaybePromise,
  type ScopeRules,
  type Work,
} from '../resource/index.ts'
import { columnsOf, convertJson, convertListJson, Reader, streamBatches, type VersionedJson } from '../read/index.ts'

/** A record that was written, likewise; of an inserted one with the columns of its key, as texts. */
interface WrittenJson extends VersionedJson {
  readonly key: readonly string[] | undefined
}

/** What the constructor takes. */
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
  readonly #bodies: WritableConfig | undefined
  readonly #resources = new WeakMap<object, Map<string | undefined, Resource>>()

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
    const { model, queryConfig = {}, writable, name } = options
    const unknown = Object.keys(options).find((key) => !OPTIONS.includes(key))
    if (unknown !== undefined) {
      throw new ConfigError(
        `${new.target.name}: there is no option '${unknown}'. Did you mean '${
          nearest(unknown, OPTIONS) ?? OPTIONS.join("', '")
        }'?`
      )
    }
    if (model === undefined) {
      throw new ConfigError(`${new.target.name}: "model" is required, the entity of the resource.`)
    }
    this.model = model
    this.queryConfig = queryConfig instanceof QueryBuilderConfig
      ? queryConfig
      : new QueryBuilderConfig<Entity>(queryConfig as QueryBuilderOptions<Entity>)
    this.name = name
    this.#bodies = readWritable(new.target.name, writable)
  }

  /**
   * A page of records.
   *
   * @param params what `parseQueryParams` made of a query string
   * @throws {FilterValidationError} and its like, with all that is wrong with `params` in `errors`
   */
  list<Session extends CrudSession> (
    session: Session,
    params: QueryParams = NO_PARAMS,
    options: CrudReadOptions<Entity> = {}
  ): CrudResult<Session, CrudPage> {
    return parsed(this.listJson(session, params, options))
  }

  /** The same answer as `list`, as JSON text. */
  listJson<Session extends CrudSession> (
    session: Session,
    params: QueryParams = NO_PARAMS,
    options: CrudReadOptions<Entity> = {}
  ): CrudResult<Session, string> {
    return perform(session, this.#reader(session, options).list(params))
  }

  /**
   * The record with a key, or `null` when there is none, it is deleted, or out of scope.
   *
   * @param id the primary key, the `uuid` of an entity that has one, or an object for a composite key
   * @param params may hold `include` and `fields`
   */
  get<Session extends CrudSession> (
    session: Session,
    id: Id,
    params?: QueryParams,
    options: CrudReadOptions<Entity> = {}
  ): CrudResult<Session, CrudRecord | null> {
    return parsed(this.getJson(session, id, params, options))
  }

  /** The same answer as `get`, as JSON text. */
  getJson<Session extends CrudSession> (
    session: Session,
    id: Id,
    params?: QueryParams,
    options: CrudReadOptions<Entity> = {}
  ): CrudResult<Session, string | null> {
    return after(
      this.getVersioned(session, id, params, options) as MaybePromise<VersionedJson | null>,
      (found) => found?.json ?? null
    ) as CrudResult<Session, string | null>
  }

  /** The same answer as `getJson`, with the version of the record where its entity has one. */
  getVersioned<Session extends CrudSession> (
    session: Session,
    id: Id,
    params?: QueryParams,
    options: CrudReadOptions<Entity> = {}
  ): CrudResult<Session, VersionedJson | null> {
    return perform(session, this.#reader(session, options).get(id, params))
  }

  /** How many records the filters of `params` keep. */
  count<Session extends CrudSession> (
    session: Session,
    params: QueryParams = NO_PARAMS,
    options: CrudReadOptions<Entity> = {}
  ): CrudResult<Session, number> {
    return perform(session, this.#reader(session, options).count(params))
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
    requirePromises(em, 'stream() waits for one batch after the other')
    const resource = this.bind(em)
    enterStage('plan')
    yield * streamBatches(resource, em, planStream(params, resource.whitelist, options), options, this.#afterRead)
  }

  /**
   * The keys that records have for `params`, in order, and whether their values are numbers, dates or times.
   *
   * @internal
   */
  columns (
    em: EntityManager,
    params: QueryParams = NO_PARAMS
  ): ReadonlyArray<{ readonly name: string, readonly numeric: boolean }> {
    return columnsOf(planStream(params, this.bind(em).whitelist).selection)
  }

  /** Whether there is a record with the key. */
  exists<Session extends CrudSession> (
    session: Session,
    id: Id,
    options: CrudReadOptions<Entity> = {}
  ): CrudResult<Session, boolean> {
    return perform(session, this.#reader(session, options).exists(id))
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
  create<Session extends CrudSession> (
    session: Session,
    data: Data,
    options: CrudCreateOptions<Entity> = {}
  ): CrudResult<Session, CrudRecord> {
    return recordOf(this.createVersioned(session, data, options))
  }

  /**
   * The same answer as `create`, as JSON text, with what an answer's headers say of it.
   *
   * @internal
   */
  createVersioned<Session extends CrudSession> (
    session: Session,
    data: Data,
    options: CrudCreateOptions<Entity> = {}
  ): CrudResult<Session, WrittenJson> {
    return perform(session, this.#createOne(session, data, options))
  }

  /** Creates records, all of them or none. The first one that can't be is an error, whose pointers start with its index. */
  createMany<Session extends CrudSession> (
    session: Session,
    data: readonly Data[],
    options: CrudCreateOptions<Entity> = {}
  ): CrudResult<Session, CrudRecord[]> {
    return parsed(this.createManyJson(session, data, options))
  }

  /**
   * The same answer as `createMany`, as JSON text.
   *
   * @internal
   */
  createManyJson<Session extends CrudSession> (
    session: Session,
    data: readonly Data[],
    options: CrudCreateOptions<Entity> = {}
  ): CrudResult<Session, string> {
    return perform(session, this.#createMany(session, data, options))
  }

  * #createOne (session: CrudSession, data: Data, options: CrudCreateOptions<Entity>): Work<WrittenJson> {
    const resource = this.#writable(session)
    const rules = this.#rules(resource, 'create')
    const context = contextOf(session, options.context)
    const [written] = yield * this.#create(resource, rules, session, [data], options, () => '', context, 'create')
    return yield * this.#leave(written!, resource, context)
  }

  * #createMany (session: CrudSession, data: readonly Data[], options: CrudCreateOptions<Entity>): Work<string> {
    const resource = this.#writable(session)
    const rules = this.#rules(resource, 'create')
    if (data.length === 0) return '[]'
    const context = contextOf(session, options.context)
    const written = yield * this.#create(
      resource,
      rules,
      session,
      data,
      options,
      (index) => `/${index}`,
      context,
      'createMany'
    )
    return yield * convertListJson(
      `[${written.map(({ json }) => json).join()}]`,
      resource.toWire,
      this.#afterRead,
      context
    )
  }

  /**
   * Changes the given properties of a record and returns it; an update of nothing changes nothing.
   *
   * @throws {NotFoundError}, {PreconditionFailedError} when `ifMatch` names no version of it, and what `create` throws
   */
  update<Session extends CrudSession> (
    session: Session,
    id: Id,
    data: Data,
    options: CrudUpdateOptions<Entity> = {}
  ): CrudResult<Session, CrudRecord> {
    return recordOf(this.updateVersioned(session, id, data, options))
  }

  /**
   * The same answer as `update`, as JSON text, with the version.
   *
   * @internal
   */
  updateVersioned<Session extends CrudSession> (
    session: Session,
    id: Id,
    data: Data,
    options: CrudUpdateOptions<Entity> = {}
  ): CrudResult<Session, VersionedJson> {
    return perform(session, this.#update(session, id, data, options))
  }

  * #update (session: CrudSession, id: Id, data: Data, options: CrudUpdateOptions<Entity>): Work<VersionedJson> {
    const resource = this.#writable(session)
    const { model } = resource
    const rules = this.#rules(resource, 'update')
    const context = contextOf(session, options.context)
    enterStage('plan')
    const scope = this.#scope(resource, options)
    const { data: given, errors } = withoutKey(data, id, model)
    let row = readData(given, model, { by: rules, check: (row) => [...errors, ...keyColumnErrors(row, id, model)] })
    const values = valuesData(options.values, model)
    if (this.beforeUpdate !== undefined || values !== undefined) {
      enterStage()
      const complete = { ...given, ...values }
      const changed = this.beforeUpdate === undefined
        ? complete
        : returned('beforeUpdate', yield * wait(this.beforeUpdate(id, complete, context), 'beforeUpdate'))
      enterStage('plan')
      row = changesOfHook(changed, id, model)
    }
    if (scope !== undefined) checkScopeData(row, scope, model)
    const changes = withSharedColumns(row)
    const writer = new Writer(resource, session, options, scope, 'update')
    return yield * this.#leave(yield * repeated(session, () => writer.update(id, changes)), resource, context)
  }

  /**
   * Deletes a record and returns it: marks it where the entity has `deleted_at`, else, or with `hard`, removes it.
   *
   * @throws {NotFoundError} also for a record that is marked already
   */
  delete<Session extends CrudSession> (
    session: Session,
    id: Id,
    options: CrudDeleteOptions<Entity> = {}
  ): CrudResult<Session, CrudRecord> {
    return recordOf(this.deleteVersioned(session, id, options))
  }

  /**
   * The same answer as `delete`, as JSON text, with the version.
   *
   * @internal
   */
  deleteVersioned<Session extends CrudSession> (
    session: Session,
    id: Id,
    options: CrudDeleteOptions<Entity> = {}
  ): CrudResult<Session, VersionedJson> {
    return perform(session, this.#delete(session, id, options))
  }

  * #delete (session: CrudSession, id: Id, options: CrudDeleteOptions<Entity>): Work<VersionedJson> {
    const resource = this.#writable(session)
    const context = contextOf(session, options.context)
    const scope = this.#scope(resource, options)
    yield * wait(this.beforeDelete?.(id, context), 'beforeDelete')
    const writer = new Writer(resource, session, options, scope, 'delete')
    const soft = resource.model.deletedAt !== undefined && options.hard !== true
    const deletedAt = new Date()
    return yield * this.#leave(
      yield * repeated(session, () => soft ? writer.mark(id, deletedAt) : writer.remove(id)),
      resource,
      context
    )
  }

  /**
   * Takes the mark of a deletion back and returns the record; a record that is not deleted stays as it is.
   *
   * @throws {NotFoundError}, and {ConfigError} when the entity has no `deleted_at`
   */
  restore<Session extends CrudSession> (
    session: Session,
    id: Id,
    options: CrudWriteOptions<Entity> = {}
  ): CrudResult<Session, CrudRecord> {
    return recordOf(this.restoreVersioned(session, id, options))
  }

  /**
   * The same answer as `restore`, as JSON text, with the version.
   *
   * @internal
   */
  restoreVersioned<Session extends CrudSession> (
    session: Session,
    id: Id,
    options: CrudWriteOptions<Entity> = {}
  ): CrudResult<Session, VersionedJson> {
    return perform(session, this.#restore(session, id, options))
  }

  * #restore (session: CrudSession, id: Id, options: CrudWriteOptions<Entity>): Work<VersionedJson> {
    const resource = this.#writable(session)
    if (resource.model.deletedAt === undefined) {
      throw new ConfigError(`${resource.model.name} has no 'deleted_at': there is nothing to restore.`)
    }
    const writer = new Writer(resource, session, options, this.#scope(resource, options), 'restore')
    return yield * this.#leave(
      yield * repeated(session, () => writer.mark(id, null)),
      resource,
      contextOf(session, options.context)
    )
  }

  /**
   * Meets an ORM: looks up all names, once.
   *
   * @throws {ConfigError} when the whitelist names what the entity doesn't have, with a suggestion
   */
  bind (em: EntityManager): Resource {
    const metadata = em.getMetadata()
    const schema = schemaOf(em)
    let bySchema = this.#resources.get(metadata)
    if (bySchema === undefined) this.#resources.set(metadata, bySchema = new Map())
    let resource = bySchema.get(schema)
    if (resource === undefined) {
      bySchema.set(
        schema,
        resource = new Resource(em, this.model, this.queryConfig as QueryBuilderConfig, this.name, this.#bodies)
      )
    }
    return resource
  }

  #bind (session: CrudSession): Resource {
    return this.bind(sharedEmOf(session))
  }

  /** @throws {ConfigError} when nothing of the entity is written */
  #writable (session: CrudSession): Resource {
    const resource = this.#bind(session)
    const { name, readOnly } = resource.model
    if (readOnly !== undefined) throw new ConfigError(`${name} is read-only: ${readOnly}.`)
    return resource
  }

  /** @throws {ConfigError} when bodies may not set anything by this operation: nothing is open unless the resource says so */
  #rules ({ model, writable }: Resource, operation: 'create' | 'update'): BodyRules {
    const rules = writable[operation]
    if (rules === undefined) {
      throw new ConfigError(`${this.constructor.name}: ${closedBody(operation, model.name, writable)}.`)
    }
    return rules
  }

  #reader (session: CrudSession, options: CrudReadOptions<Entity>): Reader {
    return new Reader(this, session, options, this.#afterRead)
  }

  get #afterRead () {
    return this.afterRead?.bind(this)
  }

  /** A record that was written, as it leaves. */
  * #leave (written: Written, { toWire }: Resource, context: CrudContext): Work<WrittenJson> {
    if (toWire === undefined && this.afterRead === undefined) return written
    return { ...written, json: yield * convertJson(written.json, toWire, this.#afterRead, context) }
  }

  #scope ({ model }: Resource, options: CrudReadOptions<Entity>): ScopeRules | undefined {
    checkScope(options, model)
    return options.scope === undefined ? undefined : readScope(options.scope as object, model)
  }

  * #create (
    resource: Resource,
    rules: BodyRules,
    session: CrudSession,
    data: readonly Data[],
    options: CrudCreateOptions<Entity>,
    pointer: (index: number) => string,
    context: CrudContext,
    operation: QueryOperation
  ): Work<Written[]> {
    if (resource.model.abstract) {
      throw new ConfigError(`${resource.model.name} is abstract: records are created as one of its subclasses.`)
    }
    const scope = this.#scope(resource, options)
    enterStage('plan')
    if (scope !== undefined) readScopeData(scope, resource.model)
    const rows: RecordData[] = []
    const values = valuesData(options.values, resource.model)
    const plain = this.beforeCreate === undefined && scope === undefined && values === undefined
    for (const [index, one] of data.entries()) {
      const at = pointer(index)
      const row = readData(one, resource.model, { by: rules, ...(plain && { complete: rules }), pointer: at })
      rows.push(
        withSharedColumns(
          plain ? row : yield * this.#completed({ ...one, ...values }, at, resource, rules, scope, context),
          at
        )
      )
    }
    const writer = new Writer(resource, session, options, scope, operation)
    return yield * repeated(session, () => writer.create(rows, pointer))
  }

  /** A new row: what the client and the server gave, what the hook makes of it, and what the scope adds. */
  * #completed (
    data: Data,
    pointer: string,
    { model }: Resource,
    rules: BodyRules,
    scope: ScopeRules | undefined,
    context: CrudContext
  ): Work<RecordData> {
    enterStage()
    const complete = this.beforeCreate === undefined
      ? data
      : returned('beforeCreate', yield * wait(this.beforeCreate({ ...data }, context), 'beforeCreate'))
    enterStage('plan')
    const row = readData({ ...(scope && scopeData(scope)), ...complete }, model, {
      by: 'server',
      complete: rules,
      pointer,
    })
    if (scope !== undefined) checkScopeData(row, scope, model)
    return row
  }
}

/** JSON text, or a promise of it, parsed. */
function parsed<Result> (json: unknown): Result {
  return after(
    json as MaybePromise<string | null>,
    (text) => text === null ? null : JSON.parse(text) as unknown
  ) as Result
}

/** The record of what was written, likewise. */
function recordOf<Result> (written: unknown): Result {
  return after(written as MaybePromise<VersionedJson>, ({ json }) => JSON.parse(json) as unknown) as Result
}

/** @throws {ConfigError} when a hook has returned no data: what the client sent must not pass without it */
function returned (hook: string, data: unknown): Data {
  if (typeof data !== 'object' || data === null || Array.isArray(data)) {
    throw new ConfigError(`${hook} must return the data.`)
  }
  return data as Data
}
