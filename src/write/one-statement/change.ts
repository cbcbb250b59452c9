/** Changes or removes the row of one record by a statement whose `where` has the id, scope, deletion and version. */
import { NotFoundError } from '../../base/errors.ts'
import type { Steps } from '../../base/steps.ts'
import { columnsBesideKey, type EntityModel } from '../../model/index.ts'
import { EMPTY_RECORD, planDelete, planUpdate, type Id, type RecordData, type WritePlan } from '../../plan/index.ts'
import { NO_FILTERS, sharedEmOf, type ActiveFilters } from '../../resource/index.ts'
import { withOnUpdate } from '../new-row.ts'
import { checkChangedReferences, checkReferences, keyValuesOf, mayBeHidden, searchOf } from '../check-references.ts'
import { pivotTables, replaceLinks } from '../links.ts'
import { afterOthers, findInScope, findRow, previousOf, runWrite, withWhole, writeInTransaction } from '../run-write.ts'
import { foundUnchanged, type Write, type Written } from '../write.ts'
import { withScopeInStatement, needsScopeTransaction } from '../scope-of-rows.ts'
import { versionsOf } from '../if-match.ts'

/** The plan of an update, or `undefined` for an id that no record can have. */
function planChange (
  write: Write,
  id: Id,
  data: RecordData,
  filters: ActiveFilters
): WritePlan | undefined {
  const { model, session, options, resource } = write
  return planUpdate(id, withOnUpdate(data, model, sharedEmOf(session)), resource.selection, {
    deleted: options.includeDeleted ? 'with' : 'without',
    versions: versionsOf(write),
    mayBeHidden: (target) => mayBeHidden(target, filters, session),
  })
}

/** The plan of a statement that sets the mark of a deletion, or removes it if `deletedAt` is null. */
function planMark (write: Write, id: Id, deletedAt: Date | null): WritePlan | undefined {
  const { model, session, resource } = write
  const data = withOnUpdate(deletionOf(model, deletedAt), model, sharedEmOf(session))
  return planUpdate(id, data, resource.selection, {
    deleted: deletedAt === null ? 'only' : 'without',
    versions: versionsOf(write),
    mayBeHidden: () => false,
  })
}

/** The change that sets the mark of a deletion, or removes it if `deletedAt` is null. */
export function deletionOf ({ deletedAt: mark }: EntityModel, deletedAt: Date | null): RecordData {
  const property = mark!
  return {
    ...EMPTY_RECORD,
    columns: [{ property, column: property.column }],
    values: [deletedAt?.toISOString() ?? null],
    properties: { [property.name]: deletedAt },
  }
}

/** Changes the given columns and links of a row. The row must still be in its scope afterwards. */
export function * updateRow (
  write: Write,
  id: Id,
  data: RecordData,
  filters: ActiveFilters
): Steps<Written> {
  const checked = withScopeInStatement(write, filters, [data])
  if (!needsScopeTransaction(checked) && data.links.length === 0) return yield * changeRow(checked, id, data, filters)
  return yield * writeInTransaction(checked, (inner) => changeInside(inner, id, data, filters))
}

function * changeRow (write: Write, id: Id, data: RecordData, filters: ActiveFilters): Steps<Written> {
  if (columnsBesideKey(write.model).length === 0) return yield * lockRow(write, id, filters)
  return (yield * runChange(write, planChange(write, id, data, filters), filters)) ??
    (yield * refuseChange(write, id, data, filters))
}

/** Locks a row that has only a key: what changes is its links or its children. */
function * lockRow (write: Write, id: Id, filters: ActiveFilters): Steps<Written> {
  // a caller who may not see the row must not make others wait for its lock
  yield * findRow(write, id)
  yield * keyValuesOf(searchOf(write, filters), write.model, id, true)
  const row = yield * findRow(write, id)
  return { ...yield * withWhole(write, id, row), previous: yield * previousOf(write, id) }
}

/** Changes a row and its links in the transaction of the session, and looks for the row in its scope afterwards. */
export function * changeInside (write: Write, id: Id, data: RecordData, filters: ActiveFilters): Steps<Written> {
  // the row is locked by its statement, also if only links change
  const written = yield * changeRow(write, id, data, filters)
  const { links } = data
  if (links.length > 0) yield * changeLinks(write, id, links, filters)
  yield * findInScope(write, id)
  return links.length === 0 ? written : yield * afterOthers(write, written, id, pivotTables([data]))
}

function * changeLinks (write: Write, id: Id, links: RecordData['links'], filters: ActiveFilters): Steps<void> {
  const search = searchOf(write, filters)
  yield * checkReferences(search, [{ ...EMPTY_RECORD, links }])
  const own = yield * keyValuesOf(search, write.model, id)
  for (const one of links) yield * replaceLinks(search, own!, one)
}

/** Marks a row as deleted. */
export function * markRow (write: Write, id: Id, deletedAt: Date, filters: ActiveFilters): Steps<Written> {
  return (yield * runChange(write, planMark(write, id, deletedAt), filters)) ?? (yield * refuseChange(write, id))
}

/** Removes the mark of a deletion. The row must still be in its scope, which a deletion may take it out of. */
export function * restoreRow (write: Write, id: Id, filters: ActiveFilters): Steps<Written> {
  const checked = withScopeInStatement(write, filters, [])
  if (!needsScopeTransaction(checked)) return yield * unmark(checked, id, filters)
  return yield * writeInTransaction(checked, (inner) => unmark(inner, id, filters))
}

function * unmark (write: Write, id: Id, filters: ActiveFilters): Steps<Written> {
  const written = yield * runChange(write, planMark(write, id, null), filters)
  // No deleted row matched. findRow throws a 404 or a 412. A row that is not deleted is returned unchanged.
  if (written === undefined) return foundUnchanged(yield * findRow(write, id, true))
  yield * findInScope(write, id)
  return written
}

export function * removeRow (write: Write, id: Id, filters: ActiveFilters): Steps<Written> {
  const plan = planDelete(id, write.resource.selection, versionsOf(write))
  return (yield * runChange(write, plan, filters)) ?? (yield * refuseChange(write, id))
}

function * runChange (
  write: Write,
  plan: WritePlan | undefined,
  filters: ActiveFilters
): Steps<Written | undefined> {
  if (plan === undefined) throw new NotFoundError()
  const [written] = yield * runWrite(write, plan, filters)
  return written
}

/**
 * Throws the reason why a write found no row. It takes another statement, which runs only after the write failed.
 *
 * @throws {NotFoundError}, {PreconditionFailedError}, {ConflictError}
 */
export function * refuseChange (
  write: Write,
  id: Id,
  data?: RecordData,
  filters: ActiveFilters = NO_FILTERS,
  pointer?: () => string
): Steps<never> {
  yield * findRow(write, id)
  if (data !== undefined) yield * checkChangedReferences(searchOf(write, filters), write.model, id, data, pointer)
  throw new NotFoundError()
}
