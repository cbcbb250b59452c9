/** Writes the rows of a write of many records one after the other, after all of them have been locked. */
import type { EntityManager } from '@mikro-orm/postgresql'
import { wait, type Steps } from '../base/steps.ts'
import type { Id, ManyTarget } from '../plan/index.ts'
import type { ActiveFilters } from '../resource/index.ts'
import { keyValuesOf, searchOf } from './check-references.ts'
import { sendMany } from './one-statement/change-many.ts'
import { dialectOfWrite, type Write } from './write.ts'
import { writeInTransaction } from './run-write.ts'
import { findEntity } from './unit-of-work/entities.ts'

/** A change of the rows of a target, one by one. */
interface EachChange {
  readonly change: (inner: Write, id: Id) => Steps<unknown>
  /** Whether it writes links. Its lock then lets other requests link to the rows. */
  readonly hasLinks: boolean
}

/** Changes the rows of a target one by one, in a transaction, and returns their keys. */
export function eachRow (
  write: Write,
  target: ManyTarget,
  each: EachChange,
  filters: ActiveFilters
): Steps<readonly Id[]> {
  return writeInTransaction(write, (inner) => eachInside(inner, target, each, filters))
}

function * eachInside (
  write: Write,
  target: ManyTarget,
  { change, hasLinks }: EachChange,
  filters: ActiveFilters
): Steps<readonly Id[]> {
  const keys = yield * lockedKeys(write, target, hasLinks, filters)
  for (const id of keys) yield * change(write, id)
  return keys
}

/**
 * The keys of the rows, which are locked. If the server locks only single rows, they are locked one by one, and those
 * that still match are found again.
 */
function * lockedKeys (
  write: Write,
  target: ManyTarget,
  hasLinks: boolean,
  filters: ActiveFilters
): Steps<readonly Id[]> {
  const { session, model } = write
  const lock = { does: hasLinks ? 'lockForLinks' : 'lock' } as const
  const { keys } = yield * sendMany(write, target, lock, filters)
  if (dialectOfWrite(write).locksMany) return keys
  const search = searchOf(write, filters)
  for (const id of keys) {
    yield * hasLinks ? keyValuesOf(search, model, id, true) : wait(findEntity(session as EntityManager, model, id))
  }
  const locked = new Set(keys.map((id) => JSON.stringify(id)))
  const { keys: present } = yield * sendMany(write, target, lock, filters)
  return present.filter((id) => locked.has(JSON.stringify(id)))
}
