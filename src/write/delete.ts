/** Deletes and restores records. */
import { ConfigError } from '../base/errors.ts'
import type { Id } from '../plan/index.ts'
import type { JsonAnswer } from '../read/index.ts'
import { crudContext, type Call, type CrudSession } from '../resource/index.ts'
import { answerOne } from './answer.ts'
import { markRow, removeRow } from './one-statement/change.ts'
import { throwPointed } from './point-error.ts'
import { repeated } from './repeat.ts'
import { filtersOfChange, writeInTransaction } from './run-write.ts'
import { removeThroughEntity } from './unit-of-work/delete.ts'
import { needsUnitOfWork } from './unit-of-work/reason.ts'
import { markThroughEntity } from './unit-of-work/update.ts'
import { beginWrite, type Write, type Written } from './write.ts'

/** Marks a record as deleted. Without `deleted_at`, or with the option `hard`, it removes the record. */
export async function deleteOne (call: Call, id: Id): Promise<JsonAnswer> {
  const { crud, session, options } = call
  const write = beginWrite(call)
  if (crud.beforeDelete !== undefined) await crud.beforeDelete(id, crudContext(session, options.context))
  const deletedAt = deletionTime(write)
  return answerOne(
    write,
    await repeated(session, () => deletedAt === undefined ? remove(write, id) : mark(write, id, deletedAt))
  )
}

/** Removes the mark of a deletion. */
export async function restoreOne (call: Call, id: Id): Promise<JsonAnswer> {
  const write = beginWrite(call)
  requireMark(write)
  return answerOne(write, await repeated(call.session, () => mark(write, id, null)))
}

/** The time with which a delete marks the record, or `undefined` if it removes the record. */
export function deletionTime ({ model, options }: Write<CrudSession>): Date | undefined {
  return model.deletedAt !== undefined && options.hard !== true ? new Date() : undefined
}

/** @throws {ConfigError} when records of the entity are not marked as deleted */
export function requireMark ({ model }: Write<CrudSession>): void {
  if (model.deletedAt === undefined) {
    throw new ConfigError(`${model.name} has no 'deleted_at': there is nothing to restore.`)
  }
}

async function mark (begun: Write, id: Id, deletedAt: Date | null): Promise<Written> {
  const { write, filters } = await filtersOfChange(begun, [])
  try {
    return needsUnitOfWork(write, 'update')
      ? await writeInTransaction(write, (inner) => markThroughEntity(inner, id, deletedAt))
      : await markRow(write, id, deletedAt, filters)
  } catch (error) {
    return await throwPointed(error, write, [])
  }
}

async function remove (begun: Write, id: Id): Promise<Written> {
  const { write, filters } = await filtersOfChange(begun, [])
  return needsUnitOfWork(write, 'delete')
    ? await writeInTransaction(write, (inner) => removeThroughEntity(inner, id))
    : await removeRow(write, id, filters)
}
