/** Inserts, changes and removes rows on a synchronous session. */
import type { SyncSession } from '../database/index.ts'
import { ConflictError, NotFoundError } from '../base/errors.ts'
import { idOfKey, type AnyWritePlan, type Id, type RecordData } from '../plan/index.ts'
import { NO_FILTERS, requirePromises, type ActiveFilters } from '../resource/index.ts'
import { areTriggersKnown, enterStage, TRIGGERS, noteTriggers } from '../run/index.ts'
import type { Row } from '../sql/index.ts'
import {
  canReorder,
  checkingItself,
  checksItself,
  checksScope,
  chunksOf,
  statementOfWrite,
  entitiesOfWrite,
  errorModelOf,
  filterTypeOf,
  isEmpty,
  isImpossible,
  isSingle,
  needsTransaction,
  planChange,
  planMark,
  planRow,
  planRemoval,
  planRows,
  reasonForUnitOfWork,
  requireInScope,
  requireRow,
  scopeSearch,
  searchesScope,
  searchOf,
  withOnCreate,
  withTarget,
  writtenOf,
  writtenRows,
  type Write,
  type WriteKind,
  type Written,
} from '../write/index.ts'
import { checkChangedReferences, checkReferences } from './check-references.ts'
import { activeFilters, findRows, withRows } from './find-rows.ts'
import { pointing, type Attempt } from './point-error.ts'

type SyncWrite = Write<SyncSession>

/** Inserts all rows or none. */
export function insertRows (
  begun: SyncWrite,
  rows: readonly RecordData[],
  pointer: (index: number) => string
): Written[] {
  const filters = filtersOf(begun, rows)
  refuseUnitOfWork(begun, 'create', rows)
  const write = checkingItself(begun, filters)
  const completed = rows.map((row) => withOnCreate(row, write.model, write.session.em))
  const chunks = chunksOf(completed, canReorder(write) ? 1 : undefined)
  const single = isSingle(write, rows, chunks.length, filters)
  const insert = (): Written[] => {
    if (single) return insertChunk(write, chunks[0]!, filters, pointer)
    return inTransaction(write, (inner) => {
      if (!checksItself(rows)) checkReferences(searchOf(inner, filters), rows, pointer)
      const written = chunks.flatMap((chunk) => insertChunk(inner, chunk, filters, pointer))
      if (searchesScope(write)) { for (const { key } of written) checkWrittenScope(inner, idOfKey(write.model, key!)) }
      return written
    })
  }
  const attempt: Attempt = (inner, { from, to }) =>
    chunksOf(completed.slice(from, to)).map((chunk) => runWrite(inner, planRows(inner, chunk, filters), filters))
  // the error of a single statement ends the transaction of the session
  const endsAll = single && write.session.isInTransaction
  return pointing(write, rows, insert, pointer, endsAll ? undefined : attempt)
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
export function changeRow (begun: SyncWrite, id: Id, data: RecordData): Written {
  const { write, filters } = filtersOfChange(begun, [data])
  if (isEmpty(data)) return writtenOf(findRow(write, id))
  refuseUnitOfWork(write, 'update', [data])
  const plan = planChange(write, id, data, filters)
  if (plan === undefined) throw new NotFoundError()
  const run = (inner: SyncWrite): Written => runWrite(inner, plan, filters)[0] ?? refuseChange(inner, id, data, filters)
  const checked = checkingItself(write, filters)
  return pointing(checked, [data], () => {
    if (!needsTransaction(checked)) return run(checked)
    return inTransaction(checked, (inner) => {
      const written = run(inner)
      checkWrittenScope(inner, id)
      return written
    })
  })
}

/** Marks a row as deleted, or restores it. Restoring a row that is not deleted changes nothing. */
export function markRow (begun: SyncWrite, id: Id, deletedAt: Date | null): Written {
  const { write, filters } = filtersOfChange(begun, [])
  refuseUnitOfWork(write, 'update')
  const written = pointing(write, [], () => runChange(write, planMark(write, id, deletedAt), filters))
  if (written !== undefined) return written
  return deletedAt === null ? writtenOf(findRow(write, id, true)) : refuseChange(write, id)
}

/** Removes a row. */
export function removeRow (begun: SyncWrite, id: Id): Written {
  const { write, filters } = filtersOfChange(begun, [])
  refuseUnitOfWork(write, 'delete')
  return runChange(write, planRemoval(write, id), filters) ?? refuseChange(write, id)
}

function runChange (write: SyncWrite, plan: AnyWritePlan | undefined, filters: ActiveFilters): Written | undefined {
  if (plan === undefined) throw new NotFoundError()
  return runWrite(write, plan, filters)[0]
}

/** @throws {NotFoundError}, {PreconditionFailedError} or {ConflictError}, the reason why a write has found no row */
function refuseChange (write: SyncWrite, id: Id, data?: RecordData, filters = NO_FILTERS): never {
  findRow(write, id)
  if (data !== undefined) checkChangedReferences(searchOf(write, filters), write.model, id, data)
  throw new NotFoundError()
}

function runWrite (write: SyncWrite, plan: AnyWritePlan, filters: ActiveFilters): Written[] {
  if (isImpossible(plan)) return []
  return writtenRows(write, plan, write.session.run(statementOfWrite(write, plan, filters), errorModelOf(write)))
}

function filtersOf (write: SyncWrite, rows: readonly RecordData[]): ActiveFilters {
  enterStage('plan')
  const { session, resource, conditions } = write
  if (checksScope(write) && !areTriggersKnown(session.em)) noteTriggers(session.em, session.run(TRIGGERS))
  const entities = entitiesOfWrite(write, rows)
  const filters = activeFilters(session, resource.entitiesWithScope(entities, conditions), 'read')
  return withRows(filters, conditions.actor, entities)
}

/** The filters for the change or removal of a row, and the write with the conditions on that row. */
function filtersOfChange (
  begun: SyncWrite,
  rows: readonly RecordData[]
): { readonly write: SyncWrite, readonly filters: ActiveFilters } {
  const filters = filtersOf(begun, rows)
  const ofOperation = activeFilters(begun.session, [begun.model], filterTypeOf(begun))
  return { write: withTarget(begun, filters, ofOperation), filters }
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
