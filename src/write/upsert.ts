/**
 * Changes the record with a key, or creates it: one record, or several of which either all are written or none. Usually
 * it is one statement (`one-statement/upsert.ts`). If that does not do, the records are looked up first
 * (`upsert-in-turn.ts`).
 */
import { ConfigError } from '../base/errors.ts'
import { shown } from '../base/option-checks.ts'
import type { Steps } from '../base/steps.ts'
import { keyColumns } from '../model/index.ts'
import { findUpsertKey, type ColumnData, type RecordData, type UpsertKey, type UpsertRow } from '../plan/index.ts'
import { convertRecords, type JsonAnswer } from '../read/index.ts'
import type { Call } from '../resource/index.ts'
import { readData } from '../schema/index.ts'
import { changedIn, withAfterHooks } from './after.ts'
import { sharesColumns } from './check-body.ts'
import { beginCreate, scopedRow } from './create-data.ts'
import type { Data } from './new-row.ts'
import { upsertAtOnce } from './one-statement/upsert.ts'
import { repeated } from './repeat.ts'
import { finishChanges, isEmpty } from './update-data.ts'
import {
  bodyWithoutKey, canBeChange, canBeNew, checkDistinct, keyOfRow, readUpsert, refuseImpossible, withoutUpsertKey,
  type Upsert, type UpsertedRow,
} from './upsert-data.ts'
import { upsertInTurn } from './upsert-in-turn.ts'
import { answerOne, beginWrite, bodyRules } from './write.ts'

export interface UpsertAnswer extends JsonAnswer {
  readonly created: boolean
}

/** @param decided the values of the data, if the validation of a request has read them */
export function * upsertOne (
  call: Call,
  key: UpsertKey,
  data: Data,
  decided?: readonly RecordData[]
): Steps<UpsertAnswer> {
  const upsert = beginUpsert(call, key)
  const [row] = yield * upsertRecords(upsert, [data], decided, () => '')
  return { ...yield * answerOne(upsert.write, row!), created: row!.created }
}

/** @param decided the values of the data, if the validation of a request has read them */
export function * upsertMany (
  call: Call,
  key: UpsertKey,
  data: readonly Data[],
  decided?: readonly RecordData[]
): Steps<JsonAnswer> {
  const upsert = beginUpsert(call, key)
  const { write } = upsert
  const rows = yield * upsertRecords(upsert, data, decided, (index) => `/${index}`)
  const records = yield * convertRecords(write, rows.map(({ json }) => json), write.resource.toWire)
  return { json: `[${records.map((record, index) => upserted(rows[index]!.created, record)).join()}]` }
}

/**
 * The upsert of a method, which names its key by properties of the entity.
 *
 * @throws {ConfigError} for a key that is not one of the resource's
 */
export function * upsertBy (call: Call, on: unknown, data: Data | readonly Data[]): Steps<JsonAnswer> {
  const { crud, resource: { upsertKeys, model } } = call
  const names = (Array.isArray(on) ? on : [on]) as readonly unknown[]
  const key = findUpsertKey(upsertKeys, names, 'name')
  if (key === undefined) {
    const what = `${crud.constructor.name}.upsert`
    const known = upsertKeys.map(({ properties }) => properties.map(({ name }) => `'${name}'`).join(', '))
    throw new ConfigError(
      upsertKeys.length === 0
        ? `${what} needs the option "upsertKeys", which names unique properties of ${model.name}, as in ` +
          "new CrudBase({ model, writable, upsertKeys: ['isbn'] })."
        : `${what} takes the key in its option 'on': ${
          known.map((key) => key.includes(',') ? `[${key}]` : key).join(' or ')
        }; it got ${Array.isArray(on) ? `[${names.map(shown).join(', ')}]` : shown(on)}.`
    )
  }
  if (Array.isArray(data)) return yield * upsertMany(call, key, data as readonly Data[])
  const { json, created } = yield * upsertOne(call, key, data as Data)
  return { json: upserted(created, json) }
}

const upserted = (created: boolean, record: string): string => `{"created":${created},"record":${record}}`

/** @throws {ConfigError} unless bodies may set properties of new records and of changes */
function beginUpsert (call: Call, key: UpsertKey): Upsert {
  const write = beginWrite(call)
  bodyRules(write, 'update')
  return { write, key, create: beginCreate(write) }
}

/** @param pointer the JSON pointer of a record in the body */
function * upsertRecords (
  upsert: Upsert,
  data: readonly Data[],
  decided: readonly RecordData[] | undefined,
  pointer: (index: number) => string
): Steps<readonly UpsertedRow[]> {
  const { write, key } = upsert
  const rules = { model: write.model, writable: write.resource.writable, key }
  const rows = decided ?? data.map((one, index) => readUpsert(one, rules, pointer(index)))
  const given = givenByServer(upsert)
  const keys = rows.map((row, index) => keyOfRow(row, key, given, pointer(index)))
  checkDistinct(keys, key, pointer)
  if (rows.length === 0) return []
  const ready = rowsAtOnce(upsert, data, rows, keys, pointer)
  return yield * withAfterHooks(
    write,
    (telling) => writeRows({ ...upsert, write: telling }, ready, data, keys, pointer),
    (written) =>
      written.map((row, index) => ({
        change: row.created ? 'insert' : 'update',
        written: row,
        changed: changedIn(row.created ? data[index]! : bodyWithoutKey(data[index]!, key), write.model),
      }))
  )
}

function * writeRows (
  upsert: Upsert,
  ready: readonly UpsertRow[] | undefined,
  data: readonly Data[],
  keys: ReadonlyArray<readonly ColumnData[]>,
  pointer: (index: number) => string
): Steps<readonly UpsertedRow[]> {
  const { write, key } = upsert
  // the one statement does not read what after hooks get beside the record
  const written = ready === undefined || write.told !== undefined
    ? undefined
    : yield * repeated(write.session, () => upsertAtOnce(write, ready, key, pointer))
  return written ?? (yield * upsertInTurn(upsert, data, keys, pointer))
}

/** The values that the server adds to the data of each record. */
function givenByServer ({ write: { model, scope }, create: { values } }: Upsert): Parameters<typeof keyOfRow>[2] {
  if (values === undefined) return scope
  const row = readData(values, model, { by: 'server' })
  return {
    values: new Map([...scope?.values ?? [], ...row.columns.map(({ property, value }) => [property, value] as const)]),
  }
}

/**
 * What the records would be as new ones and as changes. `undefined` if that depends on the record that exists: for
 * hooks, because only one of them may run, and for data that changes nothing or names the record's key.
 */
function rowsAtOnce (
  { write, key, create }: Upsert,
  data: readonly Data[],
  rows: readonly RecordData[],
  keys: ReadonlyArray<readonly ColumnData[]>,
  pointer: (index: number) => string
): readonly UpsertRow[] | undefined {
  const { crud, model, options, resource: { writable } } = write
  if (!create.direct || crud.beforeUpdate !== undefined || options.ifMatch !== undefined || sharesColumns(model)) {
    return undefined
  }
  const others = keyColumns(model).filter(({ column }) => !key.columns.some((part) => part.column === column))
  const ready: UpsertRow[] = []
  for (const [index, row] of rows.entries()) {
    const isNew = canBeNew(row, create.completeRules, model)
    const isChange = canBeChange(row, writable.update!, model, key)
    if (!isNew && !isChange) {
      refuseImpossible(data[index]!, { model, writable, key }, create.completeRules, pointer(index))
      return undefined
    }
    const update = isChange ? finishChanges(write, withoutUpsertKey(row, key)) : undefined
    if (update !== undefined && isEmpty(update)) return undefined
    if (others.some(({ column }) => update?.columns.some((data) => data.column === column))) return undefined
    ready.push({ key: keys[index]!, insert: isNew ? scopedRow({ write }, row, pointer(index)) : undefined, update })
  }
  return ready
}
