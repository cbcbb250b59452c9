/**
 * Decides the way of an upsert: one statement finds out which records exist (`one-statement/upsert.ts`), or they are
 * looked for first (`upsert-in-turn.ts`), for a reason that has a name.
 */
import type { Steps } from '../base/steps.ts'
import { keyColumns } from '../model/index.ts'
import { haveLinks, sharesColumns, type RecordData, type UpsertRow } from '../plan/index.ts'
import { sharedEmOf, type ActiveFilters } from '../resource/index.ts'
import { mayRepeatKeys } from '../run/index.ts'
import { readData } from '../schema/index.ts'
import { scopedRow } from './create-data.ts'
import type { Data } from './new-row.ts'
import { filtersOfChange } from './run-write.ts'
import { withScopeInStatement, withScopeCheck, needsScopeSearch } from './scope-of-rows.ts'
import { needsUnitOfWork } from './unit-of-work/reason.ts'
import { finishChanges, isEmpty } from './update-data.ts'
import { inKeyOrder, withoutUpsertKey, type Upsert, type UpsertData } from './upsert-data.ts'
import { possibilitiesOf, type Possibility } from './upsert-possibilities.ts'
import { dialectOfWrite, type Write } from './write.ts'

/** Why the records of an upsert are looked for before they are written. */
export type ReasonToLook =
  /** Only one of `beforeCreate` and `beforeUpdate` may run for a record. */
  | 'hook'
  /** The server adds values, which may be other ones for new records. */
  | 'values'
  /** If-Match names versions of a record. */
  | 'version'
  /** The columns of relations overlap, and a record may have other values in them. */
  | 'shared columns'
  /** A new record lacks a value that only the application can give. */
  | 'unfilled'
  /** The data changes nothing in a record that exists, and a statement returns only what it changes. */
  | 'no change'
  /** The data names a primary key, which a record that exists must have already. */
  | 'primary key'
  /** After hooks get more than the statement returns. */
  | 'hooks'
  /** The server does not take the statement. */
  | 'dialect'
  /** Several rows of the table may have one key. */
  | 'repeated keys'
  /** One of the records has links, which are written after it. */
  | 'links'
  /** MikroORM must write one of the records. */
  | 'unit of work'
  /** Only another statement can check that written rows lie in the scope. */
  | 'scope'
  /** A row was in the way, which the statement did not change. */
  | 'in the way'

/** An upsert by one statement. */
export interface UpsertAtOnce {
  readonly write: Write
  readonly filters: ActiveFilters
  /** The rows in the order of their keys. */
  readonly rows: readonly UpsertRow[]
  /** The places that they have in the data. */
  readonly order: readonly number[]
}

/**
 * Decides the way of an upsert.
 *
 * @param pointer the JSON pointer of a record in the body
 * @throws {RequestValidationError} for data that can neither be a new record nor change one
 * @throws {OutOfScopeError} for data that lies outside of the scope
 * @throws {ConfigError} if MikroORM must write a record, and the session is synchronous
 */
export function * wayOfUpsert (
  upsert: Upsert,
  data: readonly Data[],
  rows: readonly UpsertData[],
  pointer: (index: number) => string
): Steps<UpsertAtOnce | ReasonToLook> {
  const { write: begun, key } = upsert
  const early = OF_UPSERT.find(([, holds]) => holds(upsert))
  if (early !== undefined) return early[0]
  const { model, resource: { writable } } = begun
  const { completeRules } = upsert.create
  const possible = possibilitiesOf({ model, writable, key }, completeRules)
  const unchangeable = keyColumns(model).filter((part) => !key.columns.some(({ column }) => column === part.column))
    .map(({ column }) => column)
  const ready: UpsertRow[] = []
  for (let index = 0; index < rows.length; index++) {
    const row = rows[index]!
    const possibility = possible(row)
    if (!possibility.isNew && !possibility.isChange) {
      // this refuses the data as that of a new record, unless something else gives what it lacks
      readData(data[index]!, model, { by: writable.create!, partial: completeRules, pointer: pointer(index) })
      return 'unfilled'
    }
    const one = readyRow(upsert, row, possibility, unchangeable, pointer(index))
    if (typeof one === 'string') return one
    ready.push(one)
  }
  if (begun.forHooks !== undefined) return 'hooks'
  const order = inKeyOrder(rows.map(({ on }) => on))
  const ordered = order.map((index) => ready[index]!)
  const all = dataOfRows(ordered)
  const { write, filters } = yield * filtersOfChange(begun, all)
  const checked = withScopeInStatement(withScopeCheck(write, all), filters, all)
  const late = OF_SERVER.find(([, holds]) => holds(checked, ordered))
  return late === undefined ? { write: checked, filters, rows: ordered, order } : late[0]
}

/** What each row is as a new one, or else as a change. */
export const dataOfRows = (rows: readonly UpsertRow[]): RecordData[] =>
  rows.map(({ insert, update }) => insert ?? update!)

/** Reasons that are known before the data is read. */
const OF_UPSERT: ReadonlyArray<readonly [ReasonToLook, (upsert: Upsert) => boolean]> = [
  ['hook', ({ write: { crud } }) => crud.beforeCreate !== undefined || crud.beforeUpdate !== undefined],
  ['values', ({ create }) => create.values !== undefined],
  ['version', ({ write: { options } }) => options.ifMatch !== undefined],
  ['shared columns', ({ write: { model } }) => sharesColumns(model)],
]

/** Reasons that the server must tell first. */
const OF_SERVER: ReadonlyArray<readonly [ReasonToLook, (write: Write, rows: readonly UpsertRow[]) => boolean]> = [
  ['links', (_, rows) => haveLinks(dataOfRows(rows))],
  ['dialect', (write) => !dialectOfWrite(write).upserts],
  ['repeated keys', ({ session, model }) => mayRepeatKeys(sharedEmOf(session), model.table)],
  [
    'unit of work',
    (write, rows) =>
      needsUnitOfWork(write, 'create', given(rows, 'insert')) ||
      needsUnitOfWork(write, 'update', given(rows, 'update')),
  ],
  ['scope', needsScopeSearch],
]

function given (rows: readonly UpsertRow[], member: 'insert' | 'update'): RecordData[] {
  const some: RecordData[] = []
  for (const row of rows) if (row[member] !== undefined) some.push(row[member])
  return some
}

/**
 * What a record would be as a new one, and as a change.
 *
 * @param unchangeable the columns of the primary key that are not in the key of the upsert
 * @param pointer the JSON pointer of the record in the body
 */
function readyRow (
  { write, key }: Upsert,
  row: UpsertData,
  { isNew, isChange }: Possibility,
  unchangeable: readonly string[],
  pointer: string
): UpsertRow | ReasonToLook {
  const update = isChange ? finishChanges(write, withoutUpsertKey(row, key), pointer) : undefined
  if (update !== undefined && isEmpty(update)) return 'no change'
  if (update?.columns.some(({ column }) => unchangeable.includes(column))) return 'primary key'
  return { key: row.on, insert: isNew ? scopedRow(write, row, pointer) : undefined, update }
}
