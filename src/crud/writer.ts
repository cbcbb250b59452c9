/** Writes of one resource: as one statement where the entity allows, through MikroORM's unit of work where it doesn't. */
import { ConflictError, NotFoundError, OutOfScopeError, PreconditionFailedError } from '../errors.ts'
import type { EntityModel } from '../model/index.ts'
import { idOfKey, planDelete, planExists, planGet, planInsert, planUpdate, type AnyWritePlan, type Id, type RecordData } from '../plan/index.ts'
import { convertError, isDriverError, type JsonRecord, type Row } from '../run/index.ts'
import { readIfMatch, type IfMatch } from './if-match.ts'
import { withOnCreate, withOnUpdate } from './new-row.ts'
import { checkReferences, guardedKeys, isGuarded } from './references.ts'
import type { ActiveFilters, ReadOptions } from './foreign.ts'
import type { Resource } from './resource.ts'
import type { ScopeRules } from './scope.ts'
import { emOf, requirePromises, runOn, transactionOn, wait, type CrudSession, type Work } from './steps.ts'
import { assignEntity, cascadesOf, createEntities, findLocked, reasonForUnitOfWork, removeEntity, type WriteKind } from './unit-of-work.ts'

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

  constructor (resource: Resource, session: CrudSession, options: WriteOptions, scope: ScopeRules | undefined) {
    this.#resource = resource
    this.#model = resource.model
    this.#session = session
    this.#options = options
    this.#scope = scope
  }

  /**
   * Inserts rows, all of them or none.
   *
   * @param pointer where a row is in the body
   */
  * create (rows: readonly RecordData[], pointer: (index: number) => string): Work<JsonRecord[]> {
    const filters = yield * this.#filters(rows)
    const unitOfWork = this.#needsUnitOfWork('create', rows)
    const chunks = unitOfWork ? [] : chunksOf(rows.map((row) => withOnCreate(row, this.#model, emOf(this.#session))))
    const checksReferences = unitOfWork || rows.length > 1
    const single = !unitOfWork && chunks.length === 1 && !this.#scope?.partial && !(checksReferences && rows.some((row) => guardedKeys(row, filters).length > 0))
    if (single) return (yield * this.#insert(this.#session, chunks[0]!, filters, pointer)).map(({ record }) => record)
    return yield * this.#transaction((session) => this.#createIn(session, unitOfWork ? 'unit of work' : chunks, rows, checksReferences, filters, pointer))
  }

  * #createIn (session: CrudSession, chunks: 'unit of work' | readonly RecordData[][], rows: readonly RecordData[], checksReferences: boolean, filters: ActiveFilters, pointer: (index: number) => string): Work<JsonRecord[]> {
    if (checksReferences) yield * checkReferences(session, rows, filters, pointer)
    const written: Written[] = []
    if (chunks === 'unit of work') {
      for (const key of yield * wait(createEntities(emOf(session), this.#model, rows))) written.push({ key, record: yield * this.#readBack(session, idOfKey(this.#model, key)) })
    } else {
      for (const chunk of chunks) written.push(...yield * this.#insert(session, chunk, filters, pointer))
    }
    for (const { key } of written) yield * this.#checkScope(session, idOfKey(this.#model, key))
    return written.map(({ record }) => record)
  }

  /** Changes what is given of a record; nothing, when nothing is. */
  * update (id: Id, data: RecordData): Work<JsonRecord> {
    if (data.columns.length === 0 && data.links.length === 0) return yield * this.#unchanged(this.#session, id)
    const filters = yield * this.#filters([data])
    if (this.#needsUnitOfWork('update', [data])) return yield * this.#transaction((session) => this.#assignData(session, id, data, filters))
    const complete = withOnUpdate(data, this.#model, emOf(this.#session))
    const versions = this.#versions()
    const plan = planUpdate(id, complete, this.#resource.selection, { deleted: this.#options.includeDeleted ? 'with' : 'without', versions, isGuarded: (model) => isGuarded(model, filters) })
    if (plan === undefined) throw new NotFoundError()
    return this.#scope?.partial
      ? yield * this.#transaction((session) => this.#updateIn(session, plan, id, data, filters))
      : yield * this.#updateIn(this.#session, plan, id, data, filters)
  }

  * #updateIn (session: CrudSession, plan: AnyWritePlan, id: Id, data: RecordData, filters: ActiveFilters): Work<JsonRecord> {
    const [written] = yield * this.#run(session, plan, filters)
    if (written === undefined) throw yield * this.#reason(session, id, data, filters)
    if (session !== this.#session) yield * this.#checkScope(session, id)
    return written.record
  }

  * #assignData (session: CrudSession, id: Id, data: RecordData, filters: ActiveFilters): Work<JsonRecord> {
    yield * checkReferences(session, [data], filters)
    const record = yield * this.#assign(session, id, data.properties, 'without', data.links.map(({ relation }) => relation.name))
    return data.columns.length > 0 ? record : (yield * this.#touch(session, id, filters)) ?? record
  }

  /** A set of links is part of the record: its version and its `onUpdate` change with it, though its own row does not. */
  * #touch (session: CrudSession, id: Id, filters: ActiveFilters): Work<JsonRecord | undefined> {
    const data = withOnUpdate({ columns: [], references: [], links: [], properties: {} }, this.#model, emOf(this.#session))
    if (data.columns.length === 0 && this.#model.version === undefined) return undefined
    const plan = planUpdate(id, data, this.#resource.selection, { deleted: 'with', isGuarded: () => false })
    const [written] = plan === undefined ? [] : yield * this.#run(session, plan, filters)
    return written?.record
  }

  /** Marks a record as deleted, or as not deleted any more. */
  * mark (id: Id, deletedAt: Date | null): Work<JsonRecord> {
    const property = this.#model.deletedAt!
    const deleted = deletedAt === null ? 'only' : 'without'
    if (this.#needsUnitOfWork('update')) {
      return yield * this.#transaction((session) => this.#assign(session, id, { [property.name]: deletedAt }, deleted))
    }
    const data = withOnUpdate({
      columns: [{ property, column: property.column, value: deletedAt?.toISOString() ?? null }], references: [], links: [], properties: { [property.name]: deletedAt },
    }, this.#model, emOf(this.#session))
    const plan = planUpdate(id, data, this.#resource.selection, { deleted, versions: this.#versions(), isGuarded: () => false })
    return yield * this.#single(plan, id, deletedAt === null)
  }

  /** Removes a record. */
  * remove (id: Id): Work<JsonRecord> {
    if (this.#needsUnitOfWork('delete')) return yield * this.#transaction((session) => this.#removeIn(session, id))
    return yield * this.#single(planDelete(id, this.#resource.selection, { deleted: 'with', versions: this.#versions() }), id, false)
  }

  * #removeIn (session: CrudSession, id: Id): Work<JsonRecord> {
    const em = emOf(session)
    const { entity } = yield * this.#locked(session, id, 'with', cascadesOf(em, this.#model))
    const record = yield * this.#readBack(session, id)
    yield * wait(removeEntity(em, entity))
    return record
  }

  /** Runs the write of one row; a row that was not there, or not as it had to be, is an error. */
  * #single (plan: AnyWritePlan | undefined, id: Id, restoring: boolean): Work<JsonRecord> {
    if (plan === undefined) throw new NotFoundError()
    const [written] = yield * this.#run(this.#session, plan, yield * this.#filters([]))
    if (written !== undefined) return written.record
    // restoring a row that is not deleted changes nothing; one that is may have another version than it should
    if (restoring) return yield * this.#unchanged(this.#session, id, true)
    throw yield * this.#reason(this.#session, id, undefined, new Map())
  }

  * #insert (session: CrudSession, rows: readonly RecordData[], filters: ActiveFilters, pointer: (index: number) => string): Work<Written[]> {
    const written = yield * this.#run(session, planInsert(rows, this.#resource.selection, (model) => rows.length === 1 && isGuarded(model, filters)), filters)
    if (written.length === rows.length) return written
    yield * checkReferences(session, rows, filters, pointer)
    // what was missing has come since
    throw new ConflictError()
  }

  * #run (session: CrudSession, plan: AnyWritePlan, filters: ActiveFilters): Work<Written[]> {
    const compiled = this.#resource.compileWrite(session, plan, this.#options, filters)
    const rows = yield * wait(runOn(session, compiled, this.#model))
    return rows.map((row: Row) => {
      const record = JSON.parse(row['item'] as string) as JsonRecord
      compiled.toWire?.(record)
      return { record, key: JSON.parse(row['key'] as string) as string[] }
    })
  }

  /** Changes an entity through the unit of work. */
  * #assign (session: CrudSession, id: Id, data: object, deleted: 'without' | 'only', populate: readonly string[] = []): Work<JsonRecord> {
    const { entity, isDeleted } = yield * this.#locked(session, id, this.#options.includeDeleted || deleted === 'only' ? 'with' : 'without', populate)
    if (deleted === 'only' && !isDeleted) return yield * this.#readBack(session, id)
    yield * wait(assignEntity(emOf(session), entity, data))
    yield * this.#checkScope(session, id)
    return yield * this.#readBack(session, id)
  }

  /** The entity, locked, if it is there, in scope, and of the right version. */
  * #locked (session: CrudSession, id: Id, deleted: 'with' | 'without', populate: readonly string[] = []): Work<{ entity: object, isDeleted: boolean }> {
    const plan = planGet(id, undefined, this.#resource.whitelist, { includeDeleted: deleted === 'with' })
    const entity = plan && (yield * wait(findLocked(emOf(session), this.#model, id, populate)))
    if (plan === undefined || entity === null || entity === undefined) throw new NotFoundError()
    const [row] = yield * wait(runOn(session, yield * wait(this.#resource.compile(session, plan, this.#options))))
    if (row === undefined) throw new NotFoundError()
    this.#checkVersion(row)
    const { deletedAt } = this.#model
    return { entity, isDeleted: deletedAt !== undefined && (entity as Record<string, unknown>)[deletedAt.name] != null }
  }

  /** The record as it is, for writes that change nothing. */
  * #unchanged (session: CrudSession, id: Id, includeDeleted = this.#options.includeDeleted): Work<JsonRecord> {
    const plan = planGet(id, undefined, this.#resource.whitelist, { includeDeleted })
    const compiled = plan && (yield * wait(this.#resource.compile(session, plan, this.#options)))
    const [row] = compiled === undefined ? [] : yield * wait(runOn(session, compiled))
    if (row === undefined) throw new NotFoundError()
    this.#checkVersion(row)
    const record = JSON.parse(row['item'] as string) as JsonRecord
    compiled?.toWire?.(record)
    return record
  }

  /** The record after a write that has returned nothing of it, whatever hides it now. */
  * #readBack (session: CrudSession, id: Id): Work<JsonRecord> {
    const plan = planGet(id, undefined, this.#resource.whitelist, { includeDeleted: true })!
    const compiled = yield * wait(this.#resource.compile(session, plan, { filtered: false }))
    const [row] = yield * wait(runOn(session, compiled))
    const record = JSON.parse(row!['item'] as string) as JsonRecord
    compiled.toWire?.(record)
    return record
  }

  /** Why a write found no row: only looked into when it has failed. */
  * #reason (session: CrudSession, id: Id, data: RecordData | undefined, filters: ActiveFilters): Work<Error> {
    yield * this.#unchanged(session, id)
    if (data !== undefined) yield * checkReferences(session, [data], filters)
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
    const rows = yield * wait(runOn(session, yield * wait(this.#resource.compile(session, plan, { ...this.#options, filtered: false }))))
    if (rows.length === 0) throw new OutOfScopeError()
  }

  /** Filters that are active for the resource and for what rows refer to. */
  * #filters (rows: readonly RecordData[]): Work<ActiveFilters> {
    const targets = rows.flatMap(({ references, links }) => [...references, ...links].map(({ relation }) => relation.target))
    return yield * wait(this.#resource.activeFilters(this.#session, this.#resource.entitiesOf([...new Set([this.#model, ...targets])], this.#options), 'update'))
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
    const links = rows.flatMap(({ links }) => links).map(({ relation }) => `'${relation.publicName}'`)
    const reason = links.length > 0 ? `the links of ${links[0]}` : reasonForUnitOfWork(emOf(this.#session), this.#model, kind)
    if (reason !== undefined) requirePromises(this.#session, `To ${kind} ${this.#model.name} takes MikroORM's unit of work, because of ${reason}`)
    return reason !== undefined
  }
}

/** A record that was written. */
interface Written {
  readonly record: JsonRecord
  readonly key: readonly string[]
}

/** As many rows for each statement as its parameters allow. */
function chunksOf (rows: readonly RecordData[]): RecordData[][] {
  const widest = rows.reduce((widest, { columns }) => Math.max(widest, columns.length), 0) + 1
  const size = Math.max(1, Math.floor(MAX_PARAMETERS / widest))
  const chunks: RecordData[][] = []
  for (let start = 0; start < rows.length; start += size) chunks.push(rows.slice(start, start + size))
  return chunks
}
