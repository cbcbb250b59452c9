/**
 * Writes on a synchronous session: hooks, then statements. Writes that need MikroORM's unit of work are refused,
 * because it only works with promises.
 */
import type { SyncSession } from '../database/index.ts'
import type { Id } from '../plan/index.ts'
import type { JsonAnswer } from '../read/index.ts'
import { crudContext, type Call } from '../resource/index.ts'
import { enterStage } from '../run/index.ts'
import {
  beginCreate,
  beginUpdate,
  beginWrite,
  requireMark,
  completeRow,
  deletionTime,
  finishChanges,
  listOf,
  requireList,
  rowOfBody,
  readChanges,
  withRows,
  dataOfHook,
  withServerValues,
  type Data,
  type Write,
  type Written,
} from '../write/index.ts'
import { finishList, finishRecord } from './answer.ts'
import { changeRow, insertRows, markRow, removeRow } from './rows.ts'
import { repeated } from './repeat.ts'
import { valueOf } from './value.ts'

export function createSync (call: Call<SyncSession>, data: Data): JsonAnswer {
  const write = beginWrite(call)
  const [written] = createRecords(write, [data], () => '')
  return answerOne(write, written!)
}

export function createManySync (call: Call<SyncSession>, data: readonly Data[]): JsonAnswer {
  const write = beginWrite(call)
  requireList(write, data)
  const written = createRecords(write, data, (index) => `/${index}`)
  return { json: finishList(write, listOf(written), write.resource.toWire) }
}

function createRecords (
  write: Write<SyncSession>,
  data: readonly Data[],
  pointer: (index: number) => string
): Written[] {
  const create = beginCreate(write)
  const rows = data.map((one, index) => {
    const at = pointer(index)
    const row = rowOfBody(create, one, at)
    if (create.direct) return row
    const complete = withServerValues(create, one)
    if (create.hook === undefined) return completeRow(create, one, complete, at)
    enterStage()
    const returned = dataOfHook('beforeCreate', valueOf('beforeCreate', create.hook(complete)))
    enterStage('plan')
    return completeRow(create, one, returned, at)
  })
  if (rows.length === 0) return []
  const checked = withRows(write, rows)
  return repeated(write.session, () => insertRows(checked, rows, pointer))
}

export function updateSync (call: Call<SyncSession>, id: Id, data: Data): JsonAnswer {
  const { crud, session, options } = call
  const write = beginWrite(call)
  const update = beginUpdate(write, id, data)
  let { row } = update
  if (update.complete !== undefined) {
    enterStage()
    const changed = crud.beforeUpdate === undefined
      ? update.complete
      : dataOfHook(
        'beforeUpdate',
        valueOf('beforeUpdate', crud.beforeUpdate(id, update.complete, crudContext(session, options.context)))
      )
    row = readChanges(write, id, changed)
  }
  const changes = finishChanges(write, row)
  return answerOne(write, repeated(session, () => changeRow(withRows(write, [changes]), id, changes)))
}

export function deleteSync (call: Call<SyncSession>, id: Id): JsonAnswer {
  const { crud, session, options } = call
  const write = beginWrite(call)
  valueOf('beforeDelete', crud.beforeDelete?.(id, crudContext(session, options.context)))
  const deletedAt = deletionTime(write)
  return answerOne(
    write,
    repeated(session, () => deletedAt === undefined ? removeRow(write, id) : markRow(write, id, deletedAt))
  )
}

export function restoreSync (call: Call<SyncSession>, id: Id): JsonAnswer {
  const write = beginWrite(call)
  requireMark(write)
  return answerOne(write, repeated(call.session, () => markRow(write, id, null)))
}

function answerOne (write: Write<SyncSession>, written: Written): JsonAnswer {
  return { ...written, json: finishRecord(write, written.json, write.resource.toWire) }
}
