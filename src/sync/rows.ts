/** Inserts, changes and removes rows on a synchronous session. */
import type { SyncSession } from '../database/index.ts'
import { ConflictError, NotFoundError } from '../errors.ts'
import { idOfKey, type AnyWritePlan, type Id, type RecordData } from '../plan/index.ts'
import { NO_FILTERS, requirePromises, type ActiveFilters } from '../resource/index.ts'
import { enterStage } from '../run/index.ts'
import type { Row } from '../sql/index.ts'
import {
  canReorder,
  checksItself,
  checksScope,
  chunksOf,
  statementOfWrite,
  entitiesOfWrite,
  FILTERS_OF_WRITES,
  isEmpty,
  isImpossible,
  isSingle,
  planChange,
  planMark,
  planRow,
  planRemoval,
  planRows,
  reasonForUnitOfWork,
  requireInScope,
  requireRow,
  scopeSearch,
  searchOf,
  withOnCreate,
  writtenOf,
  writtenRows,
  type Write,
  type WriteKind,
  type Written,
} from '../write/index.ts'
import { checkChangedReferences, checkReferences } from './check-references.ts'
import { activeFilters, findRows, withRows } from './find-rows.ts'

type SyncWrite = Write<SyncSession>

/** Inserts all rows or none. */
export function insertRows (
  write: SyncWrite,
  rows: readonly RecordData[],
  pointer: (index: number) => string
): Written[] {
  const filters = filtersOf(write, rows)
  refuseUnitOfWork(write, 'create', rows)
  const chunks = chunksOf(
    rows.map((row) => withOnCreate(row, write.model, write.session.em)),
    canReorder(write) ? 1 : undefined
  )
  if (isSingle(write, rows, chunks.length, filters)) return insertChunk(write, chunks[0]!, filters, pointer)
  return inTransaction(write, (inner) => {
    if (!checksItself(rows)) checkReferences(searchOf(inner, filters), rows, pointer)
    const written = chunks.flatMap((chunk) => insertChunk(inner, chunk, filters, pointer))
    for (const { key } of written) checkWrittenScope(inner, idOfKey(write.model, key!))
    return written
  })
}

function insertChunk (
  write: SyncWrite,
  rows: readonly RecordData[],
  filters: ActiveFilters,
  pointer: (index: number) => string
): Written[] {
  const written = runWrite(write, planRows(write, rows, filters), filters)
  if (written.length === rows.length) return written
  checkReferences(searchOf(write, filters), rows, pointer)
  // the missing record has been created in the meantime
  throw new ConflictError()
}

/** Changes the given columns of a row. Without columns, only reads the row. */
export function changeRow (write: SyncWrite, id: Id, data: RecordData): Written {
  if (isEmpty(data)) return writtenOf(findRow(write, id))
  const filters = filtersOf(write, [data])
  refuseUnitOfWork(write, 'update', [data])
  const plan = planChange(write, id, data, filters)
  if (plan === undefined) throw new NotFoundError()
  const run = (inner: SyncWrite): Written => runWrite(inner, plan, filters)[0] ?? refuseChange(inner, id, data, filters)
  if (!checksScope(write)) return run(write)
  return inTransaction(write, (inner) => {
    const written = run(inner)
    checkWrittenScope(inner, id)
    return written
  })
}

/** Marks a row as deleted, or restores it. Restoring a row that is not deleted changes nothing. */
export function markRow (write: SyncWrite, id: Id, deletedAt: Date | null): Written {
  enterStage('plan')
  refuseUnitOfWork(write, 'update')
  const written = runChange(write, planMark(write, id, deletedAt))
  if (written !== undefined) return written
  return deletedAt === null ? writtenOf(findRow(write, id, true)) : refuseChange(write, id)
}

/** Removes a row. */
export function removeRow (write: SyncWrite, id: Id): Written {
  enterStage('plan')
  refuseUnitOfWork(write, 'delete')
  return runChange(write, planRemoval(write, id)) ?? refuseChange(write, id)
}

function runChange (write: SyncWrite, plan: AnyWritePlan | undefined): Written | undefined {
  if (plan === undefined) throw new NotFoundError()
  return runWrite(write, plan, filtersOf(write, []))[0]
}

/** @throws {NotFoundError}, {PreconditionFailedError} or {ConflictError}, the reason why a write has found no row */
function refuseChange (write: SyncWrite, id: Id, data?: RecordData, filters = NO_FILTERS): never {
  findRow(write, id)
  if (data !== undefined) checkChangedReferences(searchOf(write, filters), write.model, id, data)
  throw new NotFoundError()
}

function runWrite (write: SyncWrite, plan: AnyWritePlan, filters: ActiveFilters): Written[] {
  if (isImpossible(plan)) return []
  return writtenRows(write, plan, write.session.run(statementOfWrite(write, plan, filters), write.model))
}

function filtersOf (write: SyncWrite, rows: readonly RecordData[]): ActiveFilters {
  enterStage('plan')
  const { session, resource, conditions } = write
  const entities = entitiesOfWrite(write, rows)
  const filters = activeFilters(session, resource.entitiesWithScope(entities, conditions), FILTERS_OF_WRITES)
  return withRows(filters, conditions.actor, entities)
}

function findRow (write: SyncWrite, id: Id, includeDeleted?: boolean): Row {
  const plan = planRow(write, id, includeDeleted)
  return requireRow(write, plan === undefined ? [] : findRows(write, plan).rows)
}

/** @throws {OutOfScopeError} when the written row is outside the scope */
function checkWrittenScope (write: SyncWrite, id: Id): void {
  const search = scopeSearch(write, id)
  if (search !== undefined) requireInScope(findRows(write, search.plan, search.conditions).rows)
}

function inTransaction<Result> (write: SyncWrite, work: (inner: SyncWrite) => Result): Result {
  return write.session.transaction((session) => work({ ...write, session }))
}

/** @throws {ConfigError} when the write needs MikroORM's unit of work */
function refuseUnitOfWork (write: SyncWrite, kind: WriteKind, rows: readonly RecordData[] = []): void {
  const reason = reasonForUnitOfWork(write, kind, rows)
  if (reason === undefined) return
  requirePromises(write.session, `To ${kind} ${write.model.name} takes MikroORM's unit of work, because of ${reason}`)
}
