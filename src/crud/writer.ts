/** Writes of one resource: as one statement where the entity allows, through MikroORM's unit of work where it doesn't. */
import type { EntityManager } from '@mikro-orm/postgresql'
import { ConflictError, NotFoundError, OutOfScopeError, PreconditionFailedError } from '../errors.ts'
import type { EntityModel, RelationProperty, SqlValue } from '../model/index.ts'
import { idOfKey, planDelete, planExists, planGet, planInsert, planUpdate, type AnyWritePlan, type Id, type RecordData } from '../plan/index.ts'
import { convertError, isDriverError, run, transact, type JsonRecord, type Row } from '../run/index.ts'
import { compileReferences, type Foreign } from '../sql/index.ts'
import { readIfMatch, type IfMatch } from './if-match.ts'
import { withOnCreate, withOnUpdate } from './new-row.ts'
import type { ActiveFilters, ReadOptions, Resource } from './resource.ts'
import type { ScopeRules } from './scope.ts'
import { assignEntity, cascadesOf, createEntities, findLocked, needsUnitOfWork, removeEntity } from './unit-of-work.ts'

export interface WriteOptions extends ReadOptions {
  /** The header If-Match: versions of which the record has to have one. */
  readonly ifMatch?: string
}

/** Parameters in one statement, at most: the protocol counts them in 16 bits, which PGlite takes to have a sign. */
const MAX_PARAMETERS = 32_000

export class Writer {
  readonly #resource: Resource
  readonly #model: EntityModel
  readonly #em: EntityManager
  readonly #options: WriteOptions
  readonly #scope: ScopeRules | undefined

  constructor (resource: Resource, em: EntityManager, options: WriteOptions, scope: ScopeRules | undefined) {
    this.#resource = resource
    this.#model = resource.model
    this.#em = em
    this.#options = options
    this.#scope = scope
  }

  /**
   * Inserts rows, all of them or none.
   *
   * @param pointer where a row is in the body
   */
  async create (rows: readonly RecordData[], pointer: (index: number) => string): Promise<JsonRecord[]> {
    const filters = await this.#filters(rows)
    const unitOfWork = needsUnitOfWork(this.#em, this.#model, 'create') || rows.some(({ links }) => links.length > 0)
    const chunks = unitOfWork ? [] : chunksOf(rows.map((row) => withOnCreate(row, this.#model, this.#em)))
    const checksReferences = unitOfWork || rows.length > 1
    const single = !unitOfWork && chunks.length === 1 && !this.#scope?.partial && !(checksReferences && rows.some((row) => this.#guardedKeys(row, filters).length > 0))
    if (single) return (await this.#insert(this.#em, chunks[0]!, filters, pointer)).map(({ record }) => record)
    return await this.#transaction(async (em) => {
      if (checksReferences) await this.#checkReferences(em, rows, filters, pointer)
      const written: { record: JsonRecord, key: readonly string[] }[] = []
      if (unitOfWork) {
        for (const key of await createEntities(em, this.#model, rows)) written.push({ key, record: await this.#readBack(em, idOfKey(this.#model, key)) })
      } else {
        for (const chunk of chunks) written.push(...await this.#insert(em, chunk, filters, pointer))
      }
      for (const { key } of written) await this.#checkScope(em, idOfKey(this.#model, key))
      return written.map(({ record }) => record)
    })
  }

  /** Changes what is given of a record; nothing, when nothing is. */
  async update (id: Id, data: RecordData): Promise<JsonRecord> {
    if (data.columns.length === 0 && data.links.length === 0) return await this.#unchanged(this.#em, id)
    const filters = await this.#filters([data])
    if (data.links.length > 0 || needsUnitOfWork(this.#em, this.#model, 'update')) {
      return await this.#transaction(async (em) => {
        await this.#checkReferences(em, [data], filters)
        const record = await this.#assign(em, id, data.properties, 'without', data.links.map(({ relation }) => relation.name))
        return data.columns.length > 0 ? record : await this.#touch(em, id, filters) ?? record
      })
    }
    const complete = withOnUpdate(data, this.#model, this.#em)
    const versions = this.#versions()
    const plan = planUpdate(id, complete, this.#resource.selection, { deleted: this.#options.includeDeleted ? 'with' : 'without', versions, isGuarded: (model) => isGuarded(model, filters) })
    if (plan === undefined) throw new NotFoundError()
    const write = async (em: EntityManager): Promise<JsonRecord> => {
      const [written] = await this.#run(em, plan, filters)
      if (written === undefined) throw await this.#reason(em, id, data, filters)
      if (em !== this.#em) await this.#checkScope(em, id)
      return written.record
    }
    return this.#scope?.partial ? await this.#transaction(write) : await write(this.#em)
  }

  /** A set of links is part of the record: its version and its `onUpdate` change with it, though its own row does not. */
  async #touch (em: EntityManager, id: Id, filters: ActiveFilters): Promise<JsonRecord | undefined> {
    const data = withOnUpdate({ columns: [], references: [], links: [], properties: {} }, this.#model, this.#em)
    if (data.columns.length === 0 && this.#model.version === undefined) return undefined
    const plan = planUpdate(id, data, this.#resource.selection, { deleted: 'with', isGuarded: () => false })
    const [written] = plan === undefined ? [] : await this.#run(em, plan, filters)
    return written?.record
  }

  /** Marks a record as deleted, or as not deleted any more. */
  async mark (id: Id, deletedAt: Date | null): Promise<JsonRecord> {
    const property = this.#model.deletedAt!
    const deleted = deletedAt === null ? 'only' : 'without'
    if (needsUnitOfWork(this.#em, this.#model, 'update')) {
      return await this.#transaction((em) => this.#assign(em, id, { [property.name]: deletedAt }, deleted))
    }
    const data = withOnUpdate({
      columns: [{ property, column: property.column, value: deletedAt?.toISOString() ?? null }], references: [], links: [], properties: { [property.name]: deletedAt },
    }, this.#model, this.#em)
    const plan = planUpdate(id, data, this.#resource.selection, { deleted, versions: this.#versions(), isGuarded: () => false })
    return await this.#single(plan, id, deletedAt === null)
  }

  /** Removes a record. */
  async remove (id: Id): Promise<JsonRecord> {
    if (needsUnitOfWork(this.#em, this.#model, 'delete')) {
      return await this.#transaction(async (em) => {
        const { entity } = await this.#locked(em, id, 'with', cascadesOf(em, this.#model))
        const record = await this.#readBack(em, id)
        await removeEntity(em, entity)
        return record
      })
    }
    return await this.#single(planDelete(id, this.#resource.selection, { deleted: 'with', versions: this.#versions() }), id, false)
  }

  /** Runs the write of one row; a row that was not there, or not as it had to be, is an error. */
  async #single (plan: AnyWritePlan | undefined, id: Id, restoring: boolean): Promise<JsonRecord> {
    if (plan === undefined) throw new NotFoundError()
    const [written] = await this.#run(this.#em, plan, await this.#filters([]))
    if (written !== undefined) return written.record
    // restoring a row that is not deleted changes nothing; one that is may have another version than it should
    if (restoring) return await this.#unchanged(this.#em, id, true)
    throw await this.#reason(this.#em, id, undefined, new Map())
  }

  async #insert (em: EntityManager, rows: readonly RecordData[], filters: ActiveFilters, pointer: (index: number) => string) {
    const written = await this.#run(em, planInsert(rows, this.#resource.selection, (model) => rows.length === 1 && isGuarded(model, filters)), filters)
    if (written.length === rows.length) return written
    await this.#checkReferences(em, rows, filters, pointer)
    // what was missing has come since
    throw new ConflictError()
  }

  async #run (em: EntityManager, plan: AnyWritePlan, filters: ActiveFilters): Promise<{ record: JsonRecord, key: readonly string[] }[]> {
    const compiled = this.#resource.compileWrite(em, plan, this.#options, filters)
    const rows = await run(em, compiled, this.#model)
    return rows.map((row: Row) => {
      const record = JSON.parse(row['item'] as string) as JsonRecord
      compiled.toWire?.(record)
      return { record, key: JSON.parse(row['key'] as string) as string[] }
    })
  }

  /** Changes an entity through the unit of work. */
  async #assign (em: EntityManager, id: Id, data: object, deleted: 'without' | 'only', populate: readonly string[] = []): Promise<JsonRecord> {
    const { entity, isDeleted } = await this.#locked(em, id, this.#options.includeDeleted || deleted === 'only' ? 'with' : 'without', populate)
    if (deleted === 'only' && !isDeleted) return await this.#readBack(em, id)
    await assignEntity(em, entity, data)
    await this.#checkScope(em, id)
    return await this.#readBack(em, id)
  }

  /** The entity, locked, if it is there, in scope, and of the right version. */
  async #locked (em: EntityManager, id: Id, deleted: 'with' | 'without', populate: readonly string[] = []) {
    const plan = planGet(id, undefined, this.#resource.whitelist, { includeDeleted: deleted === 'with' })
    const entity = plan && await findLocked(em, this.#model, id, populate)
    if (plan === undefined || entity === null || entity === undefined) throw new NotFoundError()
    const [row] = await run(em, await this.#resource.compile(em, plan, this.#options))
    if (row === undefined) throw new NotFoundError()
    this.#checkVersion(row)
    const { deletedAt } = this.#model
    return { entity, isDeleted: deletedAt !== undefined && (entity as Record<string, unknown>)[deletedAt.name] != null }
  }

  /** The record as it is, for writes that change nothing. */
  async #unchanged (em: EntityManager, id: Id, includeDeleted = this.#options.includeDeleted): Promise<JsonRecord> {
    const plan = planGet(id, undefined, this.#resource.whitelist, { includeDeleted })
    const compiled = plan && await this.#resource.compile(em, plan, this.#options)
    const [row] = compiled === undefined ? [] : await run(em, compiled)
    if (row === undefined) throw new NotFoundError()
    this.#checkVersion(row)
    const record = JSON.parse(row['item'] as string) as JsonRecord
    compiled?.toWire?.(record)
    return record
  }

  /** The record after a write that has returned nothing of it, whatever hides it now. */
  async #readBack (em: EntityManager, id: Id): Promise<JsonRecord> {
    const plan = planGet(id, undefined, this.#resource.whitelist, { includeDeleted: true })!
    const compiled = await this.#resource.compile(em, plan, { filtered: false })
    const [row] = await run(em, compiled)
    const record = JSON.parse(row!['item'] as string) as JsonRecord
    compiled.toWire?.(record)
    return record
  }

  /** Why a write found no row: only looked into when it has failed. */
  async #reason (em: EntityManager, id: Id, data: RecordData | undefined, filters: ActiveFilters): Promise<Error> {
    await this.#unchanged(em, id)
    if (data !== undefined) await this.#checkReferences(em, [data], filters)
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
  async #checkScope (em: EntityManager, id: Id): Promise<void> {
    if (!this.#scope?.partial) return
    const plan = planExists(id, this.#resource.whitelist, { includeDeleted: true })!
    const [row] = await run(em, await this.#resource.compile(em, plan, { ...this.#options, filtered: false }))
    if (!row!['exists']) throw new OutOfScopeError()
  }

  /** Filters that are active for the resource and for what rows refer to. */
  async #filters (rows: readonly RecordData[]): Promise<ActiveFilters> {
    const targets = rows.flatMap(({ references, links }) => [...references, ...links].map(({ relation }) => relation.target))
    return await this.#resource.activeFilters(this.#em, [...new Set([this.#model, ...targets])], 'update')
  }

  /** Relations of a row whose records are looked for before it is written: those that a foreign key would find though they are hidden, and links. */
  #guardedKeys ({ references, links }: RecordData, filters: ActiveFilters): { readonly relation: RelationProperty, readonly keys: ReadonlyArray<readonly SqlValue[]> }[] {
    return [...references.filter(({ relation }) => isGuarded(relation.target, filters)).map(({ relation, key }) => ({ relation, keys: [key] })), ...links]
  }

  /** @throws {ConflictError} when a record that a row refers to is not there, is deleted, or hidden by a filter */
  async #checkReferences (em: EntityManager, rows: readonly RecordData[], filters: ActiveFilters, pointer: (index: number) => string = () => ''): Promise<void> {
    const wanted = new Map<RelationProperty, Map<string, WantedKey>>()
    for (const [index, row] of rows.entries()) {
      for (const { relation, keys } of this.#guardedKeys(row, filters)) {
        let distinct = wanted.get(relation)
        if (distinct === undefined) wanted.set(relation, distinct = new Map())
        for (const key of keys) {
          const text = JSON.stringify(key)
          if (!distinct.has(text)) distinct.set(text, { key, row: index })
        }
      }
    }
    let missing: { relation: RelationProperty, row: number } | undefined
    for (const [relation, keys] of wanted) {
      const first = await this.#firstMissing(em, relation, [...keys.values()], filters)
      if (first !== undefined && (missing === undefined || first.row < missing.row)) missing = { relation, row: first.row }
    }
    if (missing !== undefined) throw missingReference(missing.relation, pointer(missing.row))
  }

  /** The first of some keys that no visible record has; which one, is only looked into when there is one. */
  async #firstMissing (em: EntityManager, relation: RelationProperty, keys: readonly WantedKey[], filters: ActiveFilters): Promise<WantedKey | undefined> {
    const isComplete = async (count: number) => {
      for (let start = 0; start < count; start += MAX_KEYS) {
        const some = keys.slice(start, Math.min(start + MAX_KEYS, count))
        if (await this.#countVisible(em, relation, some.map(({ key }) => key), filters) < some.length) return false
      }
      return true
    }
    if (await isComplete(keys.length)) return undefined
    // the first `low` are there, the first `high` are not
    let [low, high] = [0, keys.length]
    while (high - low > 1) {
      const middle = (low + high) >> 1
      if (await isComplete(middle)) low = middle
      else high = middle
    }
    return keys[low]
  }

  async #countVisible (em: EntityManager, { target, join }: RelationProperty, keys: ReadonlyArray<readonly SqlValue[]>, filters: ActiveFilters): Promise<number> {
    const values: unknown[] = []
    const add = (value: unknown): number => values.push(value) - 1
    const slots = keys.map((key) => key.map(add))
    const foreign: Foreign = this.#resource.foreign(em, { model: target, customs: [] }, {}, filters, values)
    const { text, slots: bound } = compileReferences({ model: target, columns: join.targetColumns, keys: slots }, foreign)
    const [row] = await run(em, { text, values: bound.map((slot) => values[slot]), readOnly: true })
    return Number(row!['count'])
  }

  /** Runs inside a transaction, or a savepoint of the one there is. */
  async #transaction<Result> (work: (em: EntityManager) => Promise<Result>): Promise<Result> {
    try {
      return await transact(this.#em, work)
    } catch (error) {
      throw isDriverError(error) ? convertError(error, this.#model) : error
    }
  }
}

/** A key that has to be there, and the first row that refers to it. */
interface WantedKey {
  readonly key: readonly SqlValue[]
  readonly row: number
}

/** Keys in one question for records, at most: their parameters are limited, and so is the nesting of its `or`s. */
const MAX_KEYS = 1_000

function missingReference ({ publicName }: RelationProperty, pointer: string): ConflictError {
  const detail = `'${publicName}' refers to a record that does not exist.`
  return new ConflictError(detail, { errors: [{ source: { pointer: `${pointer}/${publicName}` }, code: 'FST_CRUD_CONFLICT', detail }] })
}

const isGuarded = (model: EntityModel, filters: ActiveFilters): boolean => model.deletedAt !== undefined || filters.has(model)

/** As many rows for each statement as its parameters allow. */
function chunksOf (rows: readonly RecordData[]): RecordData[][] {
  const widest = rows.reduce((widest, { columns }) => Math.max(widest, columns.length), 0) + 1
  const size = Math.max(1, Math.floor(MAX_PARAMETERS / widest))
  const chunks: RecordData[][] = []
  for (let start = 0; start < rows.length; start += size) chunks.push(rows.slice(start, start + size))
  return chunks
}
