/** Finds the entity of a record and locks it until the transaction ends. */
import type { EntityManager } from '@mikro-orm/postgresql'
import type { Steps } from '../../base/steps.ts'
import { NotFoundError } from '../../base/errors.ts'
import { planGet, type Id } from '../../plan/index.ts'
import { findRow } from '../run-write.ts'
import { writtenOf, type Write, type Written } from '../write.ts'
import { findLocked, flushing } from './entities.ts'

/**
 * The entity of a record that exists, lies in the scope and has a version that If-Match allows.
 *
 * @param populate relations to load with the entity
 * @throws {NotFoundError}, {PreconditionFailedError}
 */
export function * lockRecord (
  write: Write<EntityManager>,
  id: Id,
  deleted: 'with' | 'without',
  populate: readonly string[] = []
): Steps<{ readonly entity: object, readonly record: Written, readonly isDeleted: boolean }> {
  const { model, resource, session } = write
  const includeDeleted = deleted === 'with'
  // a statement is not needed for an id that no record can have
  const possible = planGet(id, undefined, resource.whitelist, { includeDeleted }) !== undefined
  const entity = possible ? yield * flushing(() => findLocked(session, model, id, populate)) : null
  if (entity === null) throw new NotFoundError()
  const record = writtenOf(yield * findRow(write, id, includeDeleted))
  const { deletedAt } = model
  return {
    entity,
    record,
    isDeleted: deletedAt !== undefined && (entity as Record<string, unknown>)[deletedAt.name] != null,
  }
}
