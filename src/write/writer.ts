/** Writes of one resource: as one statement where the entity allows, through MikroORM's unit of work where it doesn't. */
import { ConflictError, NotFoundError, OutOfScopeError, PreconditionFailedError } from '../errors.ts'
import { keyColumns, type EntityModel } from '../model/index.ts'
import {
  idOfKey,
  planDelete,
  planExists,
  planGet,
  planInsert,
  planUpdate,
  type AnyWritePlan,
  type Id,
  type Plan,
  type RecordData,
} from '../plan/index.ts'
import { convertError, enterStage, isDriverError, type QueryOperation, type Row } from '../run/index.ts'
import { readIfMatch, type IfMatch } from './if-match.ts'
import { withOnCreate, withOnUpdate } from './new-row.ts'
import { checkChangedReferences, checkReferences, guardedKeys, hiddenLinks, isGuarded } from './references.ts'
import {
  emOf,
  requirePromises,
  runOn,
  sharedEmOf,
  transactionOn,
  wait,
  type ActiveFilters,
  type CrudSession,
  type ReadOptions,
  type Resource,
  type ScopeRules,
  type Work,
} from '../resource/index.ts'
import {
  assignEntity,
  cascadesOf,
  createEntities,
  findLocked,
  reasonForUnitOfWork,
  removeEntity,
  type WriteKind,
} from './unit-of-work/entities.ts'

export interface WriteOptions extends ReadOptions {
  /** The header If-Match: versions of which the record has to have one. */
  readonly ifMatch?: string
}

/** Parameters in one statement, at most: the protocol counts them in 16 bits, which PGlite takes to have a sign. */
const MAX_PARAMETERS = 32_000

export class Writer {
  readonly #resource: Resource
  readonly #model: EntityModel
  readonly #session: CrudSession
  readonly #options: WriteOptions
  readonly #scope: ScopeRules | undefined
  readonly #operation: QueryOperation

  constructor (
    resource: Resource,
    session: CrudSession,
    options: WriteOptions,
    scope: ScopeRules | undefined,
    operation: QueryOperation
  ) {
    this.#resource = resource
    this.#model = resource.model
    this.#session = session
    this.#options = options
    this.#scope = scope
    this.#operation = operation
  }

  /**
   * Inserts rows, all of them or none.
   *
   * @param pointer where a row is in the body
   */
  * create (rows: readonly RecordData[], pointer: (index: number) => string): Work<Written[]> {
    const filters = yield * this.#filters(rows)
    const unitOfWork = this.#needsUnitOfWork('create', rows)
    const chunks = unitOfWork
      ? []
      : chunksOf(rows.map((row) => withOnCreate(row, this.#model, sharedEmOf(this.#session))))
    const checksReferences = unitOfWork || rows.length > 1
    const single = !unitOfWork && chunks.length === 1 && !this.#scope?.partial &&
      !(checksReferences && rows.some((row) => guardedKeys(row, filters, this.#session).length > 0))
    if (single) return yield * this.#insert(this.#session, chunks[0]!, filters, pointer)
    return yield * this.#transaction((session) =>
      this.#createIn(session, unitOfWork ? 'unit of work' : chunks, rows, checksReferences, filters, pointer)
    )
  }

  * #createIn (
    session: CrudSession,
    chunks: 'unit of work' | readonly RecordData[][],
    rows: readonly RecordData[],
    checksReferences: boolean,
    filters: ActiveFilters,
    pointer: (index: number) => string
  ): Work<Written[]> {
    if (checksReferences) {
      yield * checkReferences({ session, filters, call: this.#resource.callOf(this.#operation) }, rows, pointer)
    }
    const written: Written[] = []
    let ids: Id[]
    if (chunks === 'unit of work') {
      ids = (yield * this.#unitOfWork(createEntities(emOf(session), this.#model, rows))).map((key) =>
        idOfKey(this.#model, key)
      )
      for (const id of ids) written.push(yield * this.#readBack(session, id))
    } else {
      for (const chunk of chunks) written.push(...yield * this.#insert(session, chunk, filters, pointer))
      ids = written.map(({ key }) => idOfKey(this.#model, key!))
    }
    for (const id of ids) yield * this.#checkScope(session, id)
    return written
  }

  /** Changes what is given of a record; nothing, when nothing is. */
  * update (id: Id, data: RecordData): Work<Written> {
    if (data.columns.length === 0 && data.links.length === 0) return yield * this.#unchanged(this.#session, id)
    const filters = yield * this.#filters([data])
    if (this.#needsUnitOfWork('update', [data])) {
      return yield * this.#transaction((session) => this.#assignData(session, id, data, filters))
    }
    const complete = withOnUpdate(data, this.#model, sharedEmOf(this.#session))
    const versions = this.#versions()
    const plan = planUpdate(id, complete, this.#resource.selection, {
      deleted: this.#options.includeDeleted ? 'with' : 'without',
      versions,
      isGuarded: (model) => isGuarded(model, filters, this.#session),
    })
    if (plan === undefined) throw new NotFoundError()
    return this.#scope?.partial
      ? yield * this.#transaction((session) => this.#updateIn(session, plan, id, data, filters))
      : yield * this.#updateIn(this.#session, plan, id, data, filters)
  }

  * #updateIn (
    session: CrudSession,
    plan: AnyWritePlan,
    id: Id,
    data: RecordData,
    filters: ActiveFilters
  ): Work<Written> {
    const [written] = yield * this.#run(session, plan, filters)
    if (written === undefined) throw yield * this.#reason(session, id, data, filters)
    if (session !== this.#session) yield * this.#checkScope(session, id)
    return written
  }

  * #assignData (session: CrudSession, id: Id, data: RecordData, filters: ActiveFilters): Work<Written> {
    const record = yield * this.#assign(
      session,
      id,
      () => this.#checked(session, id, data, filters),
      'without',
      data.links.map(({ relation }) => relation.name)
    )
    return data.columns.length > 0 ? record : (yield * this.#touch(session, id, filters)) ?? record
  }

  /** What is assigned to an entity: the links that its client doesn't see stay. */
  * #checked (session: CrudSession, id: Id, data: RecordData, filters: ActiveFilters): Work<object> {
    const search = { session, filters, call: this.#resource.callOf(this.#operation) }
    yield * checkChangedReferences(search, this.#model, id, data)
    if (data.links.length === 0) return data.properties
    const properties: Record<string, unknown> = { ...data.properties }
    for (const { relation } of data.links) {
      const hidden = yield * hiddenLinks(search, this.#model, id, relation)
      properties[relation.name] = [
        ...properties[relation.name] as unknown[],
        ...hidden.map((key) => key.length === 1 ? key[0] : key),
      ]
    }
    return properties
  }

  /** A set of links is part of the record: its version and its `onUpdate` change with it, though its own row does not. */
  * #touch (session: CrudSession, id: Id, filters: ActiveFilters): Work<Written | undefined> {
    const data = withOnUpdate(
      { columns: [], references: [], links: [], properties: {} },
      this.#model,
      sharedEmOf(this.#session)
    )
    if (data.columns.length === 0 && this.#model.version === undefined) return undefined
    const plan = planUpdate(id, data, this.#resource.selection, { deleted: 'with', isGuarded: () => false })
    const [written] = plan === undefined ? [] : yield * this.#run(session, plan, filters)
    return written
  }

  /** Marks a record as deleted, or as not deleted any more. */
  * mark (id: Id, deletedAt: Date | null): Work<Written> {
    enterStage('plan')
    const property = this.#model.deletedAt!
    const deleted = deletedAt === null ? 'only' : 'without'
    if (this.#needsUnitOfWork('update')) {
      return yield * this.#transaction((session) =>
        this.#assign(session, id, function * () {
          return { [property.name]: deletedAt }
        }, deleted)
      )
    }
    const data = withOnUpdate(
      {
        columns: [{ property, column: property.column, value: deletedAt?.toISOString() ?? null }],
        references: [],
        links: [],
        properties: { [property.name]: deletedAt },
      },
      this.#model,
      sharedEmOf(this.#session)
    )
    const plan = planUpdate(id, data, this.#resource.selection, {
      deleted,
      versions: this.#versions(),
      isGuarded: () => false,
    })
    return yield * this.#single(plan, id, deletedAt === null)
  }

  /** Removes a record. */
  * remove (id: Id): Work<Written> {
    enterStage('plan')
    if (this.#needsUnitOfWork('delete')) return yield * this.#transaction((session) => this.#removeIn(session, id))
    return yield * this.#single(
      planDelete(id, this.#resource.selection, { deleted: 'with', versions: this.#versions() }),
      id,
      false
    )
  }

  * #removeIn (session: CrudSession, id: Id): Work<Written> {
    const em = emOf(session)
    const { entity } = yield * this.#locked(session, id, 'with', cascadesOf(em, this.#model))
    const record = yield * this.#readBack(session, id)
    yield * this.#unitOfWork(removeEntity(em, entity))
    return record
  }

  /** Runs the write of one row; a row that was not there, or not as it had to be, is an error. */
  * #single (plan: AnyWritePlan | undefined, id: Id, restoring: boolean): Work<Written> {
    if (plan === undefined) throw new NotFoundError()
    const [written] = yield * this.#run(this.#session, plan, yield * this.#filters([]))
    if (written !== undefined) return written
    // restoring a row that is not deleted changes nothing; one that is may have another version than it should
    if (restoring) return yield * this.#unchanged(this.#session, id, true)
    throw yield * this.#reason(this.#session, id, undefined, new Map())
  }

  * #insert (
    session: CrudSession,
    rows: readonly RecordData[],
    filters: ActiveFilters,
    pointer: (index: number) => string
  ): Work<Written[]> {
    enterStage('plan')
    const written = yield * this.#run(
      session,
      planInsert(rows, this.#resource.selection, (model) => rows.length === 1 && isGuarded(model, filters, session)),
      filters
    )
    if (written.length === rows.length) return written
    yield * checkReferences({ session, filters, call: this.#resource.callOf(this.#operation) }, rows, pointer)
    // what was missing has come since
    throw new ConflictError()
  }

  * #run (session: CrudSession, plan: AnyWritePlan, filters: ActiveFilters): Work<Written[]> {
    enterStage('compile')
    const compiled = this.#resource.compileWrite(session, plan, this.#options, filters, this.#operation)
    enterStage()
    const rows = yield * wait(runOn(session, compiled, this.#model))
    const parts = plan.kind === 'insert' ? keyColumns(this.#model).length : 0
    return rows.map((row) => writtenOf(row, parts))
  }

  /** What a write has to look at. */
  * #read (session: CrudSession, plan: Plan, options: ReadOptions = this.#options): Work<Row[]> {
    enterStage('compile')
    const compiled = yield * wait(this.#resource.compile(session, plan, options, this.#operation))
    enterStage()
    return yield * wait(runOn(session, compiled))
  }

  /** Changes an entity through the unit of work. */
  * #assign (
    session: CrudSession,
    id: Id,
    dataOf: () => Work<object>,
    deleted: 'without' | 'only',
    populate: readonly string[] = []
  ): Work<Written> {
    const { entity, isDeleted } = yield * this.#locked(
      session,
      id,
      this.#options.includeDeleted || deleted === 'only' ? 'with' : 'without',
      populate
    )
    if (deleted === 'only' && !isDeleted) return yield * this.#readBack(session, id)
    yield * this.#unitOfWork(assignEntity(emOf(session), entity, yield * dataOf(), this.#model))
    yield * this.#checkScope(session, id)
    return yield * this.#readBack(session, id)
  }

  /** The entity, locked, if it is there, in scope, and of the right version. */
  * #locked (
    session: CrudSession,
    id: Id,
    deleted: 'with' | 'without',
    populate: readonly string[] = []
  ): Work<{ entity: object, isDeleted: boolean }> {
    const plan = planGet(id, undefined, this.#resource.whitelist, { includeDeleted: deleted === 'with' })
    const entity = plan && (yield * this.#unitOfWork(findLocked(emOf(session), this.#model, id, populate)))
    if (plan === undefined || entity === null || entity === undefined) throw new NotFoundError()
    const [row] = yield * this.#read(session, plan)
    if (row === undefined) throw new NotFoundError()
    this.#checkVersion(row)
    const { deletedAt } = this.#model
    return { entity, isDeleted: deletedAt !== undefined && (entity as Record<string, unknown>)[deletedAt.name] != null }
  }

  /** The record as it is, for writes that change nothing. */
  * #unchanged (session: CrudSession, id: Id, includeDeleted = this.#options.includeDeleted): Work<Written> {
    const plan = planGet(id, undefined, this.#resource.whitelist, { includeDeleted })
    const [row] = plan === undefined ? [] : yield * this.#read(session, plan)
    if (row === undefined) throw new NotFoundError()
    this.#checkVersion(row)
    return writtenOf(row)
  }

  /** The record after a write that has returned nothing of it, whatever hides it now. */
  * #readBack (session: CrudSession, id: Id): Work<Written> {
    const plan = planGet(id, undefined, this.#resource.whitelist, { includeDeleted: true })!
    const [row] = yield * this.#read(session, plan, { filtered: false })
    return writtenOf(row!)
  }

  /** Why a write found no row: only looked into when it has failed. */
  * #reason (session: CrudSession, id: Id, data: RecordData | undefined, filters: ActiveFilters): Work<Error> {
    yield * this.#unchanged(session, id)
    if (data !== undefined) {
      yield * checkChangedReferences(
        { session, filters, call: this.#resource.callOf(this.#operation) },
        this.#model,
        id,
        data
      )
    }
    return new NotFoundError()
  }

  #versions (): readonly string[] | undefined {
    const { ifMatch } = this.#options
    const match: IfMatch = ifMatch === undefined ? 'any' : readIfMatch(ifMatch)
    return match === 'any' ? undefined : match
  }

  /** @throws {PreconditionFailedError} for a version that If-Match doesn't name; an entity without one has none to name */
  #checkVersion (row: Row): void {
    const versions = this.#versions()
    if (versions !== undefined && !versions.includes(row['version'] as string)) throw new PreconditionFailedError()
  }

  /** @throws {OutOfScopeError} when the row as written lies outside; what the scope's equalities say has been checked before */
  * #checkScope (session: CrudSession, id: Id): Work<void> {
    if (!this.#scope?.partial) return
    const plan = planExists(id, this.#resource.whitelist, { includeDeleted: true })!
    const rows = yield * this.#read(session, plan, { ...this.#options, filtered: false })
    if (rows.length === 0) throw new OutOfScopeError()
  }

  /** Filters that are active for the resource and for what rows refer to. */
  * #filters (rows: readonly RecordData[]): Work<ActiveFilters> {
    const entities = new Set([this.#model])
    for (const { references, links } of rows) {
      for (const { relation } of references) entities.add(relation.target)
      for (const { relation } of links) entities.add(relation.target)
    }
    enterStage('compile')
    const filters = yield * wait(
      this.#resource.activeFilters(this.#session, this.#resource.entitiesOf([...entities], this.#options), 'update')
    )
    enterStage('plan')
    return filters
  }

  /** What MikroORM does, statements and all. */
  * #unitOfWork<Result> (work: Promise<Result>): Work<Result> {
    enterStage('run')
    const result = yield * wait(work)
    enterStage()
    return result
  }

  /** Runs inside a transaction, or a savepoint of the one there is. */
  * #transaction<Result> (work: (session: CrudSession) => Work<Result>): Work<Result> {
    try {
      return yield * wait(transactionOn(this.#session, work))
    } catch (error) {
      throw isDriverError(error) ? convertError(error, this.#model) : error
    }
  }

  /** @throws {ConfigError} where MikroORM, which has promises only, would have to write on a synchronous session */
  #needsUnitOfWork (kind: WriteKind, rows: readonly RecordData[] = []): boolean {
    const linked = rows.find(({ links }) => links.length > 0)?.links[0]
    const reason = linked !== undefined
      ? `the links of '${linked.relation.publicName}'`
      : reasonForUnitOfWork(sharedEmOf(this.#session), this.#model, kind)
    if (reason !== undefined) {
      requirePromises(
        this.#session,
        `To ${kind} ${this.#model.name} takes MikroORM's unit of work, because of ${reason}`
      )
    }
    return reason !== undefined
  }
}

/** A record that was written, as the database has written it down. */
export interface Written {
  readonly json: string
  readonly version: string | undefined
  /** Of a row that was inserted, the columns of its key as texts. */
  readonly key: readonly string[] | undefined
}

/** @param parts of the key that the row has */
function writtenOf (row: Row, parts = 0): Written {
  const key: string[] = []
  for (let index = 0; index < parts; index++) key.push(row[`key${index}`] as string)
  return {
    json: row['item'] as string,
    version: row['version'] as string | undefined,
    key: parts === 0 ? undefined : key,
  }
}

/** As many rows for each statement as its parameters allow. */
function chunksOf (rows: readonly RecordData[]): RecordData[][] {
  const widest = rows.reduce((widest, { columns }) => Math.max(widest, columns.length), 0) + 1
  const size = Math.max(1, Math.floor(MAX_PARAMETERS / widest))
  const chunks: RecordData[][] = []
  for (let start = 0; start < rows.length; start += size) chunks.push(rows.slice(start, start + size))
  return chunks
}
