/**
 * Writes on a synchronous session: hooks, then statements. Writes that need MikroORM's unit of work are refused,
 * because it only works with promises.
 */
import type { SyncSession } from '../database/index.ts'
import type { Id } from '../plan/index.ts'
import type { JsonAnswer } from '../read/index.ts'
import { crudContext, knownActor, resourceFor, type CrudClass } from '../resource/index.ts'
import { enterStage, type QueryOperation } from '../run/index.ts'
import {
  beginCreate,
  beginUpdate,
  beginWriteOf,
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
  type WriteOptions,
  type Written,
} from '../write/index.ts'
import { finishList, finishRecord } from './answer.ts'
import { changeRow, insertRows, markRow, removeRow } from './rows.ts'
import { repeated } from './repeat.ts'
import { rowsSync } from './find-rows.ts'
import { valueOf } from './value.ts'

function beginWrite (
  crud: CrudClass,
  session: SyncSession,
  options: WriteOptions,
  operation: QueryOperation
): Write<SyncSession> {
  const actor = knownActor(session)
  const resource = resourceFor(crud, session, actor, operation)
  const rows = actor && rowsSync(actor, resource.model)
  return beginWriteOf(resource, crud, session, options, operation, actor, rows)
}

export function createSync (crud: CrudClass, session: SyncSession, data: Data, options: WriteOptions): JsonAnswer {
  const write = beginWrite(crud, session, options, 'create')
  const [written] = createRecords(write, [data], () => '')
  return answerOne(write, written!)
}

export function createManySync (
  crud: CrudClass,
  session: SyncSession,
  data: readonly Data[],
  options: WriteOptions
): JsonAnswer {
  const write = beginWrite(crud, session, options, 'createMany')
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

export function updateSync (
  crud: CrudClass,
  session: SyncSession,
  id: Id,
  data: Data,
  options: WriteOptions
): JsonAnswer {
  const write = beginWrite(crud, session, options, 'update')
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

export function deleteSync (crud: CrudClass, session: SyncSession, id: Id, options: WriteOptions): JsonAnswer {
  const write = beginWrite(crud, session, options, 'delete')
  valueOf('beforeDelete', crud.beforeDelete?.(id, crudContext(session, options.context)))
  const deletedAt = deletionTime(write)
  return answerOne(
    write,
    repeated(session, () => deletedAt === undefined ? removeRow(write, id) : markRow(write, id, deletedAt))
  )
}

export function restoreSync (crud: CrudClass, session: SyncSession, id: Id, options: WriteOptions): JsonAnswer {
  const write = beginWrite(crud, session, options, 'restore')
  requireMark(write)
  return answerOne(write, repeated(session, () => markRow(write, id, null)))
}

function answerOne (write: Write<SyncSession>, written: Written): JsonAnswer {
  return { ...written, json: finishRecord(write, written.json, write.resource.toWire) }
}
