/** Creates one record, or several, of which either all are created or none. */
import type { EntityManager } from '@mikro-orm/postgresql'
import { ConfigError } from '../base/errors.ts'
import { shown } from '../base/option-checks.ts'
import type { Steps } from '../base/steps.ts'
import { haveChildren, type RecordData } from '../plan/index.ts'
import { isInTransaction, sharedEmOf, type ActiveFilters, type Call } from '../resource/index.ts'
import type { JsonAnswer } from '../read/index.ts'
import { changedIn, withAfterHooks } from './after.ts'
import { answerMany, answerOne, beginWrite, type Write, type Written } from './write.ts'
import { beginCreate, completeRow, rowOfBody, type CreateData } from './create-data.ts'
import { withOnCreate, type Data } from './new-row.ts'
import { checksItself, chunksForServer, insertChunk, insertChunks, insertPart } from './one-statement/insert.ts'
import { isOfLinks, throwPointed, type InsertAttempt } from './point-error.ts'
import { keysToCheck } from './check-references.ts'
import { repeated } from './repeat.ts'
import { createWithChildren } from './children/index.ts'
import { filtersOfWrite, writeInTransaction } from './run-write.ts'
import { throughEntities } from './unit-of-work/entities.ts'
import { createThroughEntities, insertEntities } from './unit-of-work/through-entities.ts'
import { needsUnitOfWork } from './unit-of-work/reason.ts'
import { withScopeInStatement, needsScopeTransaction, withScopeCheck } from './scope-of-rows.ts'

/** @param decided the row of the data, if the validation of a request has made it */
export function * createOne (call: Call, data: Data, decided?: readonly RecordData[]): Steps<JsonAnswer> {
  const write = beginWrite(call)
  const [written] = yield * createRecords(write, [data], decided, () => '')
  return yield * answerOne(write, written!)
}

/** @param decided the rows of the data, if the validation of a request has made them */
export function * createMany (
  call: Call,
  data: readonly Data[],
  decided?: readonly RecordData[]
): Steps<JsonAnswer> {
  const write = beginWrite(call)
  if (!Array.isArray(data)) {
    throw new ConfigError(`${call.crud.constructor.name}.createMany takes a list of records, got ${shown(data)}.`)
  }
  return yield * answerMany(write, yield * createRecords(write, data, decided, (index) => `/${index}`))
}

/** @param pointer the JSON pointer of a record in the body */
function * createRecords (
  write: Write,
  data: readonly Data[],
  decided: readonly RecordData[] | undefined,
  pointer: (index: number) => string
): Steps<readonly Written[]> {
  const create = beginCreate(write)
  const rows = decided ?? (yield * rowsOfBodies(create, data, pointer))
  if (rows.length === 0) return []
  return yield * withAfterHooks(
    withScopeCheck(write, rows),
    (checked) => repeated(write.session, () => insertFamilies(checked, rows, pointer)),
    (created) =>
      created.map((written, index) => ({ change: 'insert', written, changed: changedIn(data[index]!, write.model) }))
  )
}

export function * rowsOfBodies (
  create: CreateData,
  data: readonly Data[],
  pointer: (index: number) => string
): Steps<RecordData[]> {
  const rows: RecordData[] = []
  for (let index = 0; index < data.length; index++) {
    const one = data[index]!
    const at = pointer(index)
    const row = rowOfBody(create, one, at)
    rows.push(create.direct ? row : yield * completeRow(create, one, at))
  }
  return rows
}

/** Inserts rows, and their children if they have some. */
const insertFamilies = (
  write: Write,
  rows: readonly RecordData[],
  pointer: (index: number) => string
): Steps<Written[]> => haveChildren(rows) ? createWithChildren(write, rows, pointer) : insertRows(write, rows, pointer)

/** Inserts rows in the cheapest correct way: by one statement, by several in a transaction, or as entities. */
export function * insertRows (
  write: Write,
  rows: readonly RecordData[],
  pointer: (index: number) => string
): Steps<Written[]> {
  const filters = yield * filtersOfWrite(write, rows)
  if (needsUnitOfWork(write, 'create', rows)) {
    const entities: object[] = []
    try {
      return yield * throughEntities(write, (inner) => createThroughEntities(inner, rows, filters, pointer, entities))
    } catch (error) {
      const attempt: InsertAttempt = (inner, { from, to }) => {
        const links = isOfLinks(error) ? rows.slice(from, to) : []
        return insertEntities(inner as Write<EntityManager>, entities.slice(from, to), links, filters)
      }
      return yield * throwPointed(error, write, rows, pointer, attempt)
    }
  }
  const completed = rows.map((row) => withOnCreate(row, write.model, sharedEmOf(write.session)))
  const chunks = chunksForServer(write, completed)
  const checked = withScopeInStatement(write, filters, rows)
  const single = isSingle(checked, rows, chunks.length, filters)
  try {
    return single
      ? yield * insertChunk(checked, chunks[0]!, filters, pointer)
      : yield * writeInTransaction(checked, (inner) => insertChunks(inner, rows, chunks, filters, pointer))
  } catch (error) {
    const attempt: InsertAttempt = (inner, { from, to }) =>
      insertPart(inner, completed.slice(from, to), filters, isOfLinks(error))
    return yield * throwPointed(error, checked, rows, pointer, attempt)
  }
}

/**
 * Whether one statement is enough: no check has to run before or after it, and its error does not end a transaction in
 * which the refused record of a batch is then searched.
 */
function isSingle (
  write: Write,
  rows: readonly RecordData[],
  chunks: number,
  filters: ActiveFilters
): boolean {
  return chunks === 1 && (rows.length === 1 || !isInTransaction(write.session)) && !needsScopeTransaction(write) &&
    (checksItself(rows) || rows.every((row) => keysToCheck(row, filters, write.session).length === 0))
}
