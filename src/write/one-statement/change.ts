/** Changes or removes the row of one record by a statement whose `where` has the id, scope, deletion and version. */
import { NotFoundError } from '../../base/errors.ts'
import { planDelete, planUpdate, type AnyWritePlan, type Id, type RecordData } from '../../plan/index.ts'
import { NO_FILTERS, sharedEmOf, type ActiveFilters, type CrudSession } from '../../resource/index.ts'
import { withOnUpdate } from '../new-row.ts'
import { mayBeHidden, searchOf } from '../reference-questions.ts'
import { checkChangedReferences } from '../check-references.ts'
import { checkWrittenScope, findRow, runWrite, writeInTransaction } from '../run-write.ts'
import { versionsOf, writtenOf, type Write, type Written } from '../write.ts'
import { checkingItself, needsTransaction } from '../written-scope.ts'

/** The plan of an update, or `undefined` for an id that no record can have. */
export function planChange (
  write: Write<CrudSession>,
  id: Id,
  data: RecordData,
  filters: ActiveFilters
): AnyWritePlan | undefined {
  const { model, session, options, resource } = write
  return planUpdate(id, withOnUpdate(data, model, sharedEmOf(session)), resource.selection, {
    deleted: options.includeDeleted ? 'with' : 'without',
    versions: versionsOf(write),
    mayBeHidden: (target) => mayBeHidden(target, filters, session),
  })
}

/** The plan of a statement that sets the mark of a deletion, or removes it if `deletedAt` is null. */
export function planMark (write: Write<CrudSession>, id: Id, deletedAt: Date | null): AnyWritePlan | undefined {
  const { model, session, resource } = write
  const property = model.deletedAt!
  const data: RecordData = {
    columns: [{ property, column: property.column, value: deletedAt?.toISOString() ?? null }],
    references: [],
    links: [],
    properties: { [property.name]: deletedAt },
  }
  return planUpdate(id, withOnUpdate(data, model, sharedEmOf(session)), resource.selection, {
    deleted: deletedAt === null ? 'only' : 'without',
    versions: versionsOf(write),
    mayBeHidden: () => false,
  })
}

/** The plan of a statement that removes a row. */
export function planRemoval (write: Write<CrudSession>, id: Id): AnyWritePlan | undefined {
  return planDelete(id, write.resource.selection, { deleted: 'with', versions: versionsOf(write) })
}

/** Changes the given columns of a row. The row must still be in its scope afterwards. */
export async function updateRow (
  write: Write,
  id: Id,
  data: RecordData,
  filters: ActiveFilters
): Promise<Written> {
  const plan = planChange(write, id, data, filters)
  if (plan === undefined) throw new NotFoundError()
  const run = async (inner: Write): Promise<Written> => {
    const [written] = await runWrite(inner, plan, filters)
    return written ?? await refuseChange(inner, id, data, filters)
  }
  const checked = checkingItself(write, filters)
  if (!needsTransaction(checked)) return await run(checked)
  return await writeInTransaction(checked, async (inner) => {
    const written = await run(inner)
    await checkWrittenScope(inner, id)
    return written
  })
}

/** Marks a row as deleted, or removes the mark. A row without the mark stays unchanged when it is removed. */
export async function markRow (
  write: Write,
  id: Id,
  deletedAt: Date | null,
  filters: ActiveFilters
): Promise<Written> {
  const written = await runChange(write, planMark(write, id, deletedAt), filters)
  if (written !== undefined) return written
  // No deleted row matched. findRow throws a 404 or a 412. A row that is not deleted is returned unchanged.
  return deletedAt === null ? writtenOf(await findRow(write, id, true)) : await refuseChange(write, id)
}

export async function removeRow (write: Write, id: Id, filters: ActiveFilters): Promise<Written> {
  return await runChange(write, planRemoval(write, id), filters) ?? await refuseChange(write, id)
}

async function runChange (
  write: Write,
  plan: AnyWritePlan | undefined,
  filters: ActiveFilters
): Promise<Written | undefined> {
  if (plan === undefined) throw new NotFoundError()
  const [written] = await runWrite(write, plan, filters)
  return written
}

/**
 * Throws the reason why a write found no row. It takes another statement, which runs only after the write failed.
 *
 * @throws {NotFoundError}, {PreconditionFailedError}, {ConflictError}
 */
async function refuseChange (
  write: Write,
  id: Id,
  data?: RecordData,
  filters: ActiveFilters = NO_FILTERS
): Promise<never> {
  await findRow(write, id)
  if (data !== undefined) await checkChangedReferences(searchOf(write, filters), write.model, id, data)
  throw new NotFoundError()
}
