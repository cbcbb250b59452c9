/** Creates, changes and removes records as entities, in the transaction of the session. */
import type { EntityManager } from '@mikro-orm/postgresql'
import { wait, type Steps } from '../../base/steps.ts'
import { EMPTY_RECORD, idOfKey, planGet, planUpdate, type Id, type RecordData } from '../../plan/index.ts'
import { activeFilters, NO_FILTERS, type ActiveFilters } from '../../resource/index.ts'
import type { SqlValue } from '../../model/index.ts'
import type { Row } from '../../sql/index.ts'
import { withOnUpdate } from '../new-row.ts'
import { checkChangedReferences, checkReferences, keyValuesOf, searchOf, type Search } from '../check-references.ts'
import { linkAll, replaceLinks } from '../links.ts'
import { canReorder } from '../one-statement/insert.ts'
import { findInScope, findRow, previousOf, readBack, runWrite, withWhole } from '../run-write.ts'
import { foundUnchanged, writtenOf, type Write, type Written } from '../write.ts'
import { assignEntity, createEntities, findEntity, flushing, keyTextsOf, removeEntity, showLinks } from './entities.ts'
import { exactProperties, type Present } from './exact-moments.ts'
import { cascadesOf } from './reason.ts'
import { NotFoundError } from '../../base/errors.ts'

/** Changes the given properties and links of a record. */
export function * updateThroughEntity (
  write: Write<EntityManager>,
  id: Id,
  data: RecordData,
  filters: ActiveFilters
): Steps<Written> {
  const { model, session, options } = write
  const search = searchOf(write, filters)
  const deleted = options.includeDeleted ? 'with' : 'without'
  const { entity, row, previous, key } = yield * lockRecord(write, id, deleted, {
    ...data.links.length > 0 && { links: search },
  })
  const present = { record: JSON.parse(writtenOf(row).json) as Present['record'], entity: entity as Present['entity'] }
  const exact = exactProperties(data, model, present)
  yield * checkChangedReferences(search, model, id, data)
  yield * flushing(() => assignEntity(session, entity, exact, model))
  if (data.links.length > 0) {
    for (const links of data.links) yield * replaceLinks(search, key!, links)
    showLinks(session, entity, data)
  }
  yield * findInScope(write, id)
  const touched = data.columns.length > 0 ? undefined : yield * touchRow(write, id, filters)
  return { ...touched ?? (yield * readBack(write, id)), previous }
}

/** Marks a record as deleted, or removes the mark. A record without the mark stays unchanged when it is removed. */
export function * markThroughEntity (
  write: Write<EntityManager>,
  id: Id,
  deletedAt: Date | null
): Steps<Written> {
  const { model, session, options } = write
  const restores = deletedAt === null
  const deleted = restores || options.includeDeleted ? 'with' : 'without'
  const { entity, row, isDeleted, previous } = yield * lockRecord(write, id, deleted)
  if (restores && !isDeleted) return foundUnchanged(row)
  yield * flushing(() => assignEntity(session, entity, { [model.deletedAt!.name]: deletedAt }, model))
  // a deletion may take the row out of its scope, and a restore may not
  if (restores) yield * findInScope(write, id)
  return { ...yield * readBack(write, id), previous }
}

/** Updates the version and the `onUpdate` values of a record whose links change: links are part of the record. */
function * touchRow (
  write: Write<EntityManager>,
  id: Id,
  filters: ActiveFilters
): Steps<Written | undefined> {
  const { model, resource, session } = write
  const data = withOnUpdate(EMPTY_RECORD, model, session)
  if (data.columns.length === 0 && model.version === undefined) return undefined
  const plan = planUpdate(id, data, resource.selection, { deleted: 'with', mayBeHidden: () => false })
  const [written] = plan === undefined ? [] : yield * runWrite(write, plan, filters)
  return written
}

/** @param entities gets the entities of the rows, also if the database refuses one */
export function * createThroughEntities (
  write: Write<EntityManager>,
  rows: readonly RecordData[],
  filters: ActiveFilters,
  pointer: (index: number) => string,
  entities: object[]
): Steps<Written[]> {
  const { model, session } = write
  const search = searchOf(write, filters)
  yield * checkReferences(search, rows, pointer)
  const properties = rows.map((row, index) => exactProperties(row, model, undefined, pointer(index)))
  const keys: string[][] = []
  // MikroORM relies on the order in which an insert returns its rows
  for (const some of canReorder(write) ? properties.map((row) => [row]) : [properties]) {
    keys.push(...yield * flushing(() => createEntities(session, model, some, entities)))
  }
  yield * linkAll(search, model, rows, keys, pointer)
  for (const [index, entity] of entities.entries()) showLinks(session, entity, rows[index]!)
  const ids = keys.map((key) => idOfKey(model, key))
  const written: Written[] = []
  for (const [index, id] of ids.entries()) written.push({ ...yield * readBack(write, id), key: keys[index] })
  for (const [index, id] of ids.entries()) yield * findInScope(write, id, pointer(index))
  return written
}

/** Inserts the rows of entities as they are, without hooks, and the links of their data. */
export function * insertEntities (
  write: Write<EntityManager>,
  entities: readonly object[],
  rows: readonly RecordData[],
  filters: ActiveFilters
): Steps<void> {
  const { model, session } = write
  yield * wait(session.insertMany([...entities]))
  yield * linkAll(searchOf(write, filters), model, rows, rows.map((_, index) => keyTextsOf(entities[index]!, model)))
}

/** Removes a record. Records of its cascades are loaded first, since MikroORM removes only loaded ones. */
export function * removeThroughEntity (write: Write<EntityManager>, id: Id): Steps<Written> {
  const { model, session } = write
  const { entity, row, previous } = yield * lockRecord(write, id, 'with', {
    populate: cascadesOf(session, model),
  })
  const record = yield * withWhole(write, id, row)
  yield * flushing(() => removeEntity(session, entity))
  return { ...record, previous }
}

interface LockedRecord {
  readonly entity: object
  readonly row: Row
  readonly isDeleted: boolean
  /** The values of its key, if its links are to be written. */
  readonly key: readonly SqlValue[] | undefined
  /** For an after hook: the values before the write. */
  readonly previous: string | undefined
}

/**
 * The locked entity of a record that exists, lies in the scope and has a version that If-Match allows.
 *
 * @param more.populate relations to load with the entity
 * @param more.links for a write of its links: the search for its key. The lock lets other requests link to the record,
 *   or two that link the same records from both sides would wait for each other
 * @throws {NotFoundError}, {PreconditionFailedError}
 */
function * lockRecord (
  write: Write<EntityManager>,
  id: Id,
  deleted: 'with' | 'without',
  { populate = [], links }: { readonly populate?: readonly string[], readonly links?: Search } = {}
): Steps<LockedRecord> {
  const { model, resource, session } = write
  const includeDeleted = deleted === 'with'
  // a statement is not needed for an id that no record can have
  const possible = planGet(id, undefined, resource.whitelist, { includeDeleted }) !== undefined
  // a caller who may not see the row must not make others wait for its lock
  if (possible && (yield * mayHideRows(write))) yield * findRow(write, id, includeDeleted)
  const key = possible && links ? yield * keyValuesOf(links, model, id, true) : undefined
  const isFound = links === undefined ? possible : key !== undefined
  const entity = isFound ? yield * flushing(() => findEntity(session, model, id, { lock: !links, populate })) : null
  if (entity === null) throw new NotFoundError()
  const row = yield * findRow(write, id, includeDeleted)
  const { deletedAt } = model
  return {
    entity,
    row,
    key,
    isDeleted: deletedAt !== undefined && (entity as Record<string, unknown>)[deletedAt.name] != null,
    previous: yield * previousOf(write, id),
  }
}

/** Whether the scope, the role or a MikroORM filter may hide rows of the resource. */
function * mayHideRows ({ conditions, session, model }: Write): Steps<boolean> {
  const { scope, actor, target } = conditions
  return scope !== undefined || actor !== undefined || target !== undefined ||
    (yield * wait(activeFilters(session, [model]))) !== NO_FILTERS
}
