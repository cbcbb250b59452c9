/** Changes records as entities, in the transaction of the session. */
import type { EntityManager } from '@mikro-orm/postgresql'
import type { Steps } from '../../base/steps.ts'
import { planUpdate, type Id, type RecordData } from '../../plan/index.ts'
import type { ActiveFilters } from '../../resource/index.ts'
import { withOnUpdate } from '../new-row.ts'
import { searchOf } from '../reference-questions.ts'
import { checkChangedReferences, hiddenLinks } from '../check-references.ts'
import { checkWrittenScope, readBack, runWrite } from '../run-write.ts'
import type { Write, Written } from '../write.ts'
import { assignEntity, flushing } from './entities.ts'
import { exactProperties, type Present } from './exact.ts'
import { lockRecord } from './lock.ts'

/** Changes the given properties and links of a record. */
export function * updateThroughEntity (
  write: Write<EntityManager>,
  id: Id,
  data: RecordData,
  filters: ActiveFilters
): Steps<Written> {
  const { model, session, options } = write
  const links = data.links.map(({ relation }) => relation.name)
  const { entity, record } = yield * lockRecord(write, id, options.includeDeleted ? 'with' : 'without', links)
  const present = { record: JSON.parse(record.json) as Present['record'], entity: entity as Present['entity'] }
  const exact = exactProperties(data, model, present)
  const properties = yield * checkedProperties(write, id, { ...data, properties: exact }, filters)
  yield * flushing(() => assignEntity(session, entity, properties, model))
  yield * checkWrittenScope(write, id)
  const changed = yield * readBack(write, id)
  return data.columns.length > 0 ? changed : (yield * touchRow(write, id, filters)) ?? changed
}

/** Marks a record as deleted, or removes the mark. A record without the mark stays unchanged when it is removed. */
export function * markThroughEntity (
  write: Write<EntityManager>,
  id: Id,
  deletedAt: Date | null
): Steps<Written> {
  const { model, session, options } = write
  const restores = deletedAt === null
  const { entity, isDeleted } = yield * lockRecord(write, id, restores || options.includeDeleted ? 'with' : 'without')
  if (restores && !isDeleted) return yield * readBack(write, id)
  yield * flushing(() => assignEntity(session, entity, { [model.deletedAt!.name]: deletedAt }, model))
  yield * checkWrittenScope(write, id)
  return yield * readBack(write, id)
}

/** The values to assign to an entity. Links to records that the client does not see are kept. */
function * checkedProperties (
  write: Write,
  id: Id,
  data: RecordData,
  filters: ActiveFilters
): Steps<object> {
  const search = searchOf(write, filters)
  yield * checkChangedReferences(search, write.model, id, data)
  if (data.links.length === 0) return data.properties
  const properties: Record<string, unknown> = { ...data.properties }
  for (const { relation } of data.links) {
    const hidden = yield * hiddenLinks(search, write.model, id, relation)
    properties[relation.name] = [
      ...properties[relation.name] as unknown[],
      ...hidden.map((key) => key.length === 1 ? key[0] : key),
    ]
  }
  return properties
}

/** Updates the version and the `onUpdate` values of a record whose links change: links are part of the record. */
function * touchRow (
  write: Write<EntityManager>,
  id: Id,
  filters: ActiveFilters
): Steps<Written | undefined> {
  const { model, resource, session } = write
  const data = withOnUpdate({ columns: [], references: [], links: [], properties: {} }, model, session)
  if (data.columns.length === 0 && model.version === undefined) return undefined
  const plan = planUpdate(id, data, resource.selection, { deleted: 'with', mayBeHidden: () => false })
  const [written] = plan === undefined ? [] : yield * runWrite(write, plan, filters)
  return written
}
