/** Changes a record. */
import type { Id, RecordData } from '../plan/index.ts'
import type { JsonAnswer } from '../read/index.ts'
import { crudContext, type Call } from '../resource/index.ts'
import { enterStage } from '../run/index.ts'
import { answerOne } from './answer.ts'
import { dataOfHook } from './hook-data.ts'
import type { Data } from './new-row.ts'
import { updateRow } from './one-statement/change.ts'
import { throwPointed } from './point-error.ts'
import { repeated } from './repeat.ts'
import { filtersOfChange, findRow, writeInTransaction } from './run-write.ts'
import { needsUnitOfWork } from './unit-of-work/reason.ts'
import { updateThroughEntity } from './unit-of-work/update.ts'
import { beginUpdate, finishChanges, isEmpty, readChanges } from './update-data.ts'
import { withRows } from './scope-row.ts'
import { beginWrite, writtenOf, type Write, type Written } from './write.ts'

/** @param isChecked whether the schema of changes has accepted the data */
export async function updateOne (call: Call, id: Id, data: Data, isChecked = false): Promise<JsonAnswer> {
  const { crud, session, options } = call
  const write = beginWrite(call)
  const update = beginUpdate(write, id, data, isChecked)
  let { row } = update
  if (update.complete !== undefined) {
    enterStage()
    const changed = crud.beforeUpdate === undefined
      ? update.complete
      : dataOfHook(
        'beforeUpdate',
        await crud.beforeUpdate(id, update.complete, crudContext(session, options.context))
      )
    row = readChanges(write, id, changed)
  }
  const changes = finishChanges(write, row)
  return answerOne(write, await repeated(session, () => changeRecord(withRows(write, [changes]), id, changes)))
}

async function changeRecord (begun: Write, id: Id, data: RecordData): Promise<Written> {
  const { write, filters } = await filtersOfChange(begun, [data])
  if (isEmpty(data)) return writtenOf(await findRow(write, id))
  try {
    return needsUnitOfWork(write, 'update', [data])
      ? await writeInTransaction(write, (inner) => updateThroughEntity(inner, id, data, filters))
      : await updateRow(write, id, data, filters)
  } catch (error) {
    return await throwPointed(error, write, [data])
  }
}
