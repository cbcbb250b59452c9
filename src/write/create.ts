/** Creates one record, or several, of which either all are created or none. */
import type { RecordData } from '../plan/index.ts'
import {
  isInTransaction,
  sharedEmOf,
  type ActiveFilters,
  type Call,
  type CrudSession,
} from '../resource/index.ts'
import type { JsonAnswer } from '../read/index.ts'
import { enterStage } from '../run/index.ts'
import { answerMany, answerOne } from './answer.ts'
import { beginCreate, completeRow, requireList, rowOfBody, withServerValues, type CreateData } from './create-data.ts'
import { dataOfHook } from './hook-data.ts'
import { withOnCreate, type Data } from './new-row.ts'
import { checksItself, chunksForServer, insertChunk, insertChunks, insertPart } from './one-statement/insert.ts'
import { throwPointed, type Attempt } from './point-error.ts'
import { keysToCheck } from './reference-questions.ts'
import { repeated } from './repeat.ts'
import { filtersOfWrite, writeInTransaction } from './run-write.ts'
import { createThroughEntities } from './unit-of-work/create.ts'
import { needsUnitOfWork } from './unit-of-work/reason.ts'
import { withRows } from './scope-row.ts'
import { beginWrite, type Write, type Written } from './write.ts'
import { checkingItself, needsTransaction } from './written-scope.ts'

/** @param isChecked whether the schema of complete new records has accepted the data */
export async function createOne (call: Call, data: Data, isChecked = false): Promise<JsonAnswer> {
  const write = beginWrite(call)
  const [written] = await createRecords(write, [data], isChecked, () => '')
  return answerOne(write, written!)
}

/** @param isChecked whether the schema of complete new records has accepted each record */
export async function createMany (call: Call, data: readonly Data[], isChecked = false): Promise<JsonAnswer> {
  const write = beginWrite(call)
  requireList(write, data)
  return answerMany(write, await createRecords(write, data, isChecked, (index) => `/${index}`))
}

/** @param pointer the JSON pointer of a record in the body */
async function createRecords (
  write: Write,
  data: readonly Data[],
  isChecked: boolean,
  pointer: (index: number) => string
): Promise<Written[]> {
  const create = beginCreate(write, isChecked)
  const rows: RecordData[] = []
  for (let index = 0; index < data.length; index++) {
    const one = data[index]!
    const at = pointer(index)
    const row = rowOfBody(create, one, at)
    rows.push(create.direct ? row : completeRow(create, one, await withBeforeCreate(create, one), at))
  }
  if (rows.length === 0) return []
  const checked = withRows(write, rows)
  return await repeated(write.session, () => insertRows(checked, rows, pointer))
}

async function withBeforeCreate (create: CreateData, one: Data): Promise<Data> {
  const data = withServerValues(create, one)
  if (create.hook === undefined) return data
  enterStage()
  const returned = dataOfHook('beforeCreate', await create.hook(data))
  enterStage('plan')
  return returned
}

/** Inserts rows in the cheapest correct way: by one statement, by several in a transaction, or as entities. */
async function insertRows (
  write: Write,
  rows: readonly RecordData[],
  pointer: (index: number) => string
): Promise<Written[]> {
  const filters = await filtersOfWrite(write, rows)
  if (needsUnitOfWork(write, 'create', rows)) {
    const entities: object[] = []
    const attempt: Attempt = ({ session }, { from, to }) => session.insertMany(entities.slice(from, to))
    try {
      return await writeInTransaction(write, (inner) => createThroughEntities(inner, rows, filters, pointer, entities))
    } catch (error) {
      return await throwPointed(error, write, rows, pointer, attempt)
    }
  }
  const completed = rows.map((row) => withOnCreate(row, write.model, sharedEmOf(write.session)))
  const chunks = chunksForServer(write, completed)
  const checked = checkingItself(write, filters)
  const single = isSingle(checked, rows, chunks.length, filters)
  try {
    return single
      ? await insertChunk(checked, chunks[0]!, filters, pointer)
      : await writeInTransaction(checked, (inner) => insertChunks(inner, rows, chunks, filters, pointer))
  } catch (error) {
    const attempt: Attempt = (inner, { from, to }) => insertPart(inner, completed.slice(from, to), filters)
    // the error of a single statement has ended the transaction of the session
    const isOver = single && isInTransaction(write.session)
    return await throwPointed(error, checked, rows, pointer, isOver ? undefined : attempt)
  }
}

/** Whether one statement is enough, because no check has to run before or after it. */
export function isSingle (
  write: Write<CrudSession>,
  rows: readonly RecordData[],
  chunks: number,
  filters: ActiveFilters
): boolean {
  return chunks === 1 && !needsTransaction(write) &&
    (checksItself(rows) ||
      rows.every((row) => refersToNothing(row) || keysToCheck(row, filters, write.session).length === 0))
}

const refersToNothing = ({ references, links }: RecordData): boolean => references.length === 0 && links.length === 0
