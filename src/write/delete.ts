/** Deletes and restores records. */
import { ConfigError } from '../base/errors.ts'
import { promisedBy, wait, type Steps } from '../base/steps.ts'
import type { Id } from '../plan/index.ts'
import type { JsonAnswer } from '../read/index.ts'
import { crudContext, type Call } from '../resource/index.ts'
import { withAfterHooks } from './after.ts'
import { answerOne, beginWrite, type Write, type Written } from './write.ts'
import { markRow, removeRow, restoreRow } from './one-statement/change.ts'
import { throwPointed } from './point-error.ts'
import { repeated } from './repeat.ts'
import { filtersOfChange } from './run-write.ts'
import { markThroughEntity, removeThroughEntity } from './unit-of-work/through-entities.ts'
import { throughEntities } from './unit-of-work/entities.ts'
import { needsUnitOfWork } from './unit-of-work/reason.ts'

/** Marks a record as deleted. Without `deleted_at`, or with the option `hard`, it removes the record. */
export function * deleteOne (call: Call, id: Id): Steps<JsonAnswer> {
  const { crud, session, options } = call
  const write = beginWrite(call)
  if (crud.beforeDelete !== undefined) {
    yield * wait(crud.beforeDelete(id, crudContext(session, options.context)), () => promisedBy('beforeDelete'))
  }
  const marks = write.model.deletedAt !== undefined && options.hard !== true
  const deletedAt = marks ? new Date() : undefined
  const written = yield * withAfterHooks(
    write,
    (write) => repeated(session, () => deletedAt === undefined ? remove(write, id) : mark(write, id, deletedAt)),
    (written) => [{ change: 'delete', written, changed: [] }]
  )
  return yield * answerOne(write, written)
}

/**
 * Removes the mark of a deletion.
 *
 * @throws {ConfigError} when records of the entity are not marked as deleted
 */
export function * restoreOne (call: Call, id: Id): Steps<JsonAnswer> {
  const write = beginWrite(call)
  const { deletedAt } = write.model
  if (deletedAt === undefined) {
    throw new ConfigError(`${write.model.name} has no 'deleted_at': there is nothing to restore.`)
  }
  const written = yield * withAfterHooks(
    write,
    (write) => repeated(call.session, () => mark(write, id, null)),
    (written) => [{ change: 'update', written, changed: [deletedAt.name] }]
  )
  return yield * answerOne(write, written)
}

function * mark (begun: Write, id: Id, deletedAt: Date | null): Steps<Written> {
  const { write, filters } = yield * filtersOfChange(begun, [])
  try {
    return needsUnitOfWork(write, 'update')
      ? yield * throughEntities(write, (inner) => markThroughEntity(inner, id, deletedAt))
      : deletedAt === null
        ? yield * restoreRow(write, id, filters)
        : yield * markRow(write, id, deletedAt, filters)
  } catch (error) {
    return yield * throwPointed(error, write, [])
  }
}

function * remove (begun: Write, id: Id): Steps<Written> {
  const { write, filters } = yield * filtersOfChange(begun, [])
  return needsUnitOfWork(write, 'delete')
    ? yield * throughEntities(write, (inner) => removeThroughEntity(inner, id))
    : yield * removeRow(write, id, filters)
}
