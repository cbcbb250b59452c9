/** Changes a record. */
import type { EntityManager } from '@mikro-orm/postgresql'
import type { Steps } from '../base/steps.ts'
import type { Id, RecordData } from '../plan/index.ts'
import type { JsonAnswer } from '../read/index.ts'
import type { Call } from '../resource/index.ts'
import { changedIn, withAfterHooks } from './after.ts'
import { answerOne, beginWrite, foundUnchanged, type Write, type Written } from './write.ts'
import type { Data } from './new-row.ts'
import { updateRow } from './one-statement/change.ts'
import { throwPointed } from './point-error.ts'
import { repeated } from './repeat.ts'
import { changesChildren, changeWithChildren } from './children/index.ts'
import { filtersOfChange, findRow } from './run-write.ts'
import { throughEntities } from './unit-of-work/entities.ts'
import { needsUnitOfWork } from './unit-of-work/reason.ts'
import { updateThroughEntity } from './unit-of-work/through-entities.ts'
import { isEmpty, readUpdate, withoutKey } from './update-data.ts'
import { withScopeCheck } from './scope-of-rows.ts'

/** @param decided the changes, if the validation of a request has made them of the data */
export function * updateOne (call: Call, id: Id, data: Data, decided?: RecordData): Steps<JsonAnswer> {
  const write = beginWrite(call)
  const changes = yield * readUpdate(write, id, data, decided)
  const written = yield * withAfterHooks(
    withScopeCheck(write, [changes]),
    (checked) => repeated(call.session, () => changeRecord(checked, id, changes)),
    (written) => {
      const changed = changedIn(withoutKey(data, id, write.model).data, write.model)
      return [{ change: 'update', written, changed }]
    }
  )
  return yield * answerOne(write, written)
}

export function * changeRecord (begun: Write, id: Id, data: RecordData): Steps<Written> {
  const { write, filters } = yield * filtersOfChange(begun, [data])
  const finds = isEmpty(data) && !changesChildren(data)
  const takesEntity = !finds && needsUnitOfWork(write, 'update', [data])
  const change = (inner: Write): Steps<Written> => {
    if (finds) return findRecord(inner, id)
    return takesEntity
      ? updateThroughEntity(inner as Write<EntityManager>, id, data, filters)
      : updateRow(inner, id, data, filters)
  }
  if (data.children !== undefined) return yield * changeWithChildren(write, data, { id, change })
  try {
    return yield * takesEntity ? throughEntities(write, change) : change(write)
  } catch (error) {
    return yield * throwPointed(error, write, [data])
  }
}

/** The record, unchanged. */
function * findRecord (write: Write, id: Id): Steps<Written> {
  return foundUnchanged(yield * findRow(write, id))
}
