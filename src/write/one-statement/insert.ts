/** Inserts rows by one statement, or by several in a transaction. */
import { ConflictError } from '../../base/errors.ts'
import type { Steps } from '../../base/steps.ts'
import { haveLinks, idOfKey, planInsert, type RecordData, type WritePlan } from '../../plan/index.ts'
import { keyColumns, type EntityModel } from '../../model/index.ts'
import { sharedEmOf, type ActiveFilters } from '../../resource/index.ts'
import { mayReorder } from '../../run/index.ts'
import { checkReferences, mayBeHidden, searchOf } from '../check-references.ts'
import { linkAll, pivotTables } from '../links.ts'
import { afterOthers, findInScope, readBack, runWrite } from '../run-write.ts'
import type { Write, Written } from '../write.ts'
import { needsScopeSearch } from '../scope-of-rows.ts'

/** Maximum number of parameters in a statement. The protocol counts them in 16 bits, which PGlite reads as signed. */
const MAX_BOUND = 32_000

/** The values of a row's key as texts, or `undefined` if the database makes a part of it. */
function givenKey ({ columns, values }: RecordData, model: EntityModel): readonly string[] | undefined {
  const key = keyColumns(model).map(({ column }) => values[columns.findIndex((data) => data.column === column)])
  return key.some((value) => value === undefined || value === null) ? undefined : key.map(String)
}

/** Whether the server may return the rows of an insert in another order. */
export const canReorder = ({ session, model }: Write): boolean => mayReorder(sharedEmOf(session), model.table)

/**
 * Splits rows for statements. If a statement may return its rows in another order, rows whose keys the database makes
 * have a statement each.
 */
export function chunksForServer (write: Write, rows: readonly RecordData[]): RecordData[][] {
  const alone = canReorder(write) && rows.some((row) => givenKey(row, write.model) === undefined)
  return chunksOf(rows, alone ? 1 : undefined)
}

/** Puts written rows into the order of the given ones. */
function * inOrder (write: Write, rows: readonly RecordData[], written: readonly Written[]): Steps<Written[]> {
  const byKey = new Map(written.map((row) => [JSON.stringify(row.key), row]))
  const ordered: Written[] = []
  for (const row of rows) {
    const key = givenKey(row, write.model)!
    // the database may write a value in another form
    ordered.push(byKey.get(JSON.stringify(key)) ?? (yield * readBack(write, idOfKey(write.model, key))))
  }
  return ordered
}

/** Splits rows into chunks of as many as the parameters of a statement allow, or of a given size. */
function chunksOf (rows: readonly RecordData[], given?: number): RecordData[][] {
  const widest = rows.reduce((widest, { columns }) => Math.max(widest, columns.length), 0) + 1
  const size = given ?? Math.max(1, Math.floor(MAX_BOUND / widest))
  const chunks: RecordData[][] = []
  for (let start = 0; start < rows.length; start += size) chunks.push(rows.slice(start, start + size))
  return chunks
}

/** Inserts the rows of one statement. A single row is not inserted if a record that it refers to is hidden. */
export function * insertChunk (
  write: Write,
  rows: readonly RecordData[],
  filters: ActiveFilters,
  pointer: (index: number) => string,
  needsKeys = false
): Steps<Written[]> {
  const written = yield * runWrite(write, planInsertedRows(write, rows, filters, needsKeys), filters)
  if (written.length === rows.length) {
    return rows.length > 1 && canReorder(write) ? yield * inOrder(write, rows, written) : written
  }
  yield * checkReferences(searchOf(write, filters), rows, pointer)
  // the missing record has been created in the meantime
  throw new ConflictError()
}

/**
 * Inserts the rows of several statements and their links, in the transaction of the session.
 *
 * @param needsKeys whether the keys of the new rows are wanted
 */
export function * insertChunks (
  write: Write,
  rows: readonly RecordData[],
  chunks: readonly RecordData[][],
  filters: ActiveFilters,
  pointer: (index: number) => string,
  needsKeys = false
): Steps<Written[]> {
  if (!checksItself(rows)) yield * checkReferences(searchOf(write, filters), rows, pointer)
  const linked = haveLinks(rows)
  const written: Written[] = []
  for (const chunk of chunks) written.push(...yield * insertChunk(write, chunk, filters, pointer, needsKeys || linked))
  if (linked) yield * linkAll(searchOf(write, filters), write.model, rows, written.map(({ key }) => key!), pointer)
  if (needsScopeSearch(write)) {
    for (const [index, { key }] of written.entries()) {
      yield * findInScope(write, idOfKey(write.model, key!), pointer(index))
    }
  }
  if (!linked) return written
  const records: Written[] = []
  const tables = pivotTables(rows)
  for (const record of written) {
    records.push(yield * afterOthers(write, record, idOfKey(write.model, record.key!), tables))
  }
  return records
}

/**
 * Inserts rows to find out whether the database refuses them, in a transaction that will be rolled back.
 *
 * @param links whether to insert the links of the rows as well
 */
export function * insertPart (
  write: Write,
  rows: readonly RecordData[],
  filters: ActiveFilters,
  links: boolean
): Steps<void> {
  for (const chunk of chunksOf(rows)) {
    const written = yield * runWrite(write, planInsertedRows(write, chunk, filters, links), filters)
    if (links) yield * linkAll(searchOf(write, filters), write.model, chunk, written.map(({ key }) => key!))
  }
}

/** Whether the statement of an insert checks the references of its rows. It cannot for several rows, or for links. */
export function checksItself (rows: readonly RecordData[]): boolean {
  return rows.length === 1 && !haveLinks(rows)
}

function planInsertedRows (
  write: Write,
  rows: readonly RecordData[],
  filters: ActiveFilters,
  needsKeys: boolean
): WritePlan {
  const { resource, session } = write
  return planInsert(
    rows,
    resource.selection,
    (model) => checksItself(rows) && mayBeHidden(model, filters, session),
    needsKeys || needsScopeSearch(write) || canReorder(write)
  )
}
