/**
 * Changes the record with a key, or creates it: one record, or several of which either all are written or none. Usually
 * it is one statement. `upsert-way.ts` decides whether the records are looked for first.
 */
import { ConfigError } from '../base/errors.ts'
import { shown } from '../base/option-checks.ts'
import type { Steps } from '../base/steps.ts'
import { findUpsertKey, type UpsertKey } from '../plan/index.ts'
import { listJson } from '../answer/index.ts'
import { convertRecords, type JsonAnswer } from '../read/index.ts'
import type { Call } from '../resource/index.ts'
import { readData } from '../schema/index.ts'
import { changedIn, withAfterHooks } from './after.ts'
import { beginCreate } from './create-data.ts'
import type { Data } from './new-row.ts'
import { upsertAtOnce } from './one-statement/upsert.ts'
import { repeated } from './repeat.ts'
import {
  bodyWithoutKey, givenByServer, withKeys, type Upsert, type UpsertData, type UpsertedRow,
} from './upsert-data.ts'
import { withoutKey } from './update-data.ts'
import { upsertInTurn } from './upsert-in-turn.ts'
import { wayOfUpsert, type ReasonToLook } from './upsert-way.ts'
import { answerOne, beginWrite, bodyRules } from './write.ts'

interface UpsertAnswer extends JsonAnswer {
  readonly created: boolean
}

/** @param decided the values of the data, if the validation of a request has read them */
export function * upsertOne (
  call: Call,
  key: UpsertKey,
  data: Data,
  decided?: readonly UpsertData[]
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
  decided?: readonly UpsertData[]
): Steps<JsonAnswer> {
  const upsert = beginUpsert(call, key)
  const { write } = upsert
  const rows = yield * upsertRecords(upsert, data, decided, (index) => `/${index}`)
  const records = yield * convertRecords(write, rows.map(({ json }) => json), write.resource.toWire)
  return { json: listJson(records.map((record, index) => upserted(rows[index]!.created, record))) }
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
  decided: readonly UpsertData[] | undefined,
  pointer: (index: number) => string
): Steps<readonly UpsertedRow[]> {
  const { write } = upsert
  const rows = decided ?? readUpserts(upsert, data, pointer)
  if (rows.length === 0) return []
  return yield * withAfterHooks(
    write,
    (telling) => writeRows({ ...upsert, write: telling }, data, rows, pointer),
    (written) =>
      written.map((row, index) => ({
        change: row.created ? 'insert' : 'update',
        written: row,
        changed: changedIn(row.created ? data[index]! : changesOf(data[index]!, upsert), write.model),
      }))
  )
}

/** The values of a body that may change a record that exists: without the key that found it and its primary key. */
const changesOf = (body: Data, { write, key }: Upsert): Data =>
  withoutKey(bodyWithoutKey(body, key), undefined, write.model).data

/** The data of records, read as far as it does not depend on whether they exist. */
function readUpserts (
  upsert: Upsert,
  data: readonly Data[],
  pointer: (index: number) => string
): readonly UpsertData[] {
  const { write: { model, resource: { writable } }, key } = upsert
  const rows = data.map((one, index) => readData(one, model, { by: writable.upsert!, pointer: pointer(index) }))
  return withKeys(rows, key, givenByServer(upsert), pointer)
}

function * writeRows (
  upsert: Upsert,
  data: readonly Data[],
  rows: readonly UpsertData[],
  pointer: (index: number) => string
): Steps<readonly UpsertedRow[]> {
  const written = yield * repeated(upsert.write.session, () => tryAtOnce(upsert, data, rows, pointer))
  if (typeof written !== 'string') return written
  return yield * upsertInTurn(upsert, data, rows.map(({ on }) => on), pointer)
}

function * tryAtOnce (
  upsert: Upsert,
  data: readonly Data[],
  rows: readonly UpsertData[],
  pointer: (index: number) => string
): Steps<readonly UpsertedRow[] | ReasonToLook> {
  const way = yield * wayOfUpsert(upsert, data, rows, pointer)
  return typeof way === 'string' ? way : yield * upsertAtOnce(way, upsert.key, pointer)
}
