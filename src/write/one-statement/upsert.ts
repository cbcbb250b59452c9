/** Upserts by one statement, or by several in a transaction for records that give different properties. */
import type { Steps } from '../../base/steps.ts'
import type { EntityModel } from '../../model/index.ts'
import {
  planUpsert, planUpsertMany, type RecordData, type UpsertKey, type UpsertRow, type WritePlan,
} from '../../plan/index.ts'
import { isInTransaction, sharedEmOf, type ActiveFilters } from '../../resource/index.ts'
import { isInTheWay } from '../../run/index.ts'
import { areReferencesVisible, keysToCheck, mayBeHidden, searchOf } from '../check-references.ts'
import { withOnCreate, withOnUpdate } from '../new-row.ts'
import { throwPointed, type InsertAttempt } from '../point-error.ts'
import { runWrite, writeInTransaction } from '../run-write.ts'
import { needsScopeTransaction } from '../scope-of-rows.ts'
import type { UpsertedRow } from '../upsert-data.ts'
import { dataOfRows, type ReasonToLook, type UpsertAtOnce } from '../upsert-way.ts'
import type { Write } from '../write.ts'

/** Undoes a transaction in which a row was in the way of another one. */
const UNDONE = new Error('a row is in the way of an upsert')

/** Writes all rows or none. */
export function * upsertAtOnce (
  { write: checked, filters, rows, order }: UpsertAtOnce,
  key: UpsertKey,
  pointer: (index: number) => string
): Steps<readonly UpsertedRow[] | ReasonToLook> {
  const { model, session } = checked
  const em = sharedEmOf(session)
  const all = dataOfRows(rows)
  const completed = rows.map(({ key, insert, update }): UpsertRow => ({
    key,
    insert: insert && withOnCreate(insert, model, em),
    update: update && withOnUpdate(update, model, em),
  }))
  const parts = partsOf(checked, completed, key, filters)
  const refers = rows.length > 1 && all.some((row) => keysToCheck(row, filters, session).length > 0)
  const isSingle = parts.length === 1 && !refers && !needsScopeTransaction(checked) &&
    (rows.length === 1 || !isInTransaction(session))
  try {
    const written = isSingle
      ? (yield * runWrite(checked, parts[0]!.plan, filters)) as UpsertedRow[]
      : yield * writeInTransaction(checked, (inner) => sendParts(inner, parts, refers ? all : [], filters))
    if (written.length !== rows.length) return 'in the way'
    if (rows.length === 1) return written
    const sorted = parts.length === 1 ? written : sortedAs(completed, parts, written)
    const inOrder = new Array<UpsertedRow>(sorted.length)
    for (let place = 0; place < sorted.length; place++) inOrder[order[place]!] = sorted[place]!
    return inOrder
  } catch (error) {
    if (error === UNDONE || isInTheWay(error)) return 'in the way'
    const attempt: InsertAttempt = (inner, { from, to }) =>
      sendParts(inner, partsOf(inner, completed.slice(from, to), key, filters), [], filters)
    return yield * throwPointed(error, checked, all, (place) => pointer(order[place]!), attempt)
  }
}

/** The written rows in the order of `rows`. Their statements have returned them part by part. */
function sortedAs (
  rows: readonly UpsertRow[],
  parts: readonly Part[],
  written: readonly UpsertedRow[]
): readonly UpsertedRow[] {
  const byRow = new Map(parts.flatMap(({ rows }) => rows).map((row, place) => [row, written[place]!]))
  return rows.map((row) => byRow.get(row)!)
}

/** Sends the statements of some rows, in a transaction, and returns the rows part by part. */
function * sendParts (
  write: Write,
  parts: readonly Part[],
  referring: readonly RecordData[],
  filters: ActiveFilters
): Steps<readonly UpsertedRow[]> {
  if (referring.length > 0 && !(yield * areReferencesVisible(searchOf(write, filters), referring))) throw UNDONE
  const written: UpsertedRow[] = []
  for (const { rows, plan } of parts) {
    const some = (yield * runWrite(write, plan, filters)) as UpsertedRow[]
    if (some.length !== rows.length) throw UNDONE
    written.push(...some)
  }
  // a statement may find the row that one before has written
  if (parts.length > 1 && new Set(written.map(({ key }) => JSON.stringify(key))).size < written.length) throw UNDONE
  return written
}

/** The statements of some rows: one, unless the rows differ in their columns or cannot be written as JSON. */
function partsOf (
  { resource: { selection }, session }: Write,
  rows: readonly UpsertRow[],
  key: UpsertKey,
  filters: ActiveFilters
): readonly Part[] {
  const hidden = (model: EntityModel): boolean => mayBeHidden(model, filters, session)
  if (rows.length === 1) return [{ rows, plan: planUpsert(rows[0]!, key, selection, hidden) }]
  const groups = groupsOf(rows)
  return groups.flatMap((group): readonly Part[] => {
    const plan = group.length > 1 ? planUpsertMany(group, key, selection, groups.length > 1) : undefined
    if (plan !== undefined) return [{ rows: group, plan }]
    return group.map((row) => ({ rows: [row], plan: planUpsert(row, key, selection, hidden) }))
  })
}

/** The rows by the columns that they have. Usually all of them have the same. */
function groupsOf (rows: readonly UpsertRow[]): readonly (readonly UpsertRow[])[] {
  const [first] = rows
  if (rows.every((row) => haveSame(row.insert, first!.insert) && haveSame(row.update, first!.update))) return [rows]
  const groups = new Map<string, UpsertRow[]>()
  const shapeOf = (row: RecordData | undefined): string =>
    row === undefined ? '' : row.columns.map(({ column }) => column).sort().join()
  for (const row of rows) {
    const shape = JSON.stringify([shapeOf(row.insert), shapeOf(row.update)])
    const group = groups.get(shape)
    if (group === undefined) groups.set(shape, [row])
    else group.push(row)
  }
  return [...groups.values()]
}

/** Whether two rows have the same columns in the same order. */
function haveSame (one: RecordData | undefined, other: RecordData | undefined): boolean {
  if (one === undefined || other === undefined) return one === other
  const [some, others] = [one.columns, other.columns]
  if (some === others) return true
  if (some.length !== others.length) return false
  for (let index = 0; index < some.length; index++) if (some[index]!.column !== others[index]!.column) return false
  return true
}

/** The rows of one statement. It returns fewer if others are in their way. */
interface Part {
  readonly rows: readonly UpsertRow[]
  readonly plan: WritePlan
}
