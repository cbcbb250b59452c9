/**
 * Upserts that look for the records first, and then change or create each: for hooks and MikroORM's unit of work, for
 * distributed servers, and to find out why the one statement of an upsert has not written a record. The rest is done by
 * an update and a create, so that their rules hold.
 */
import { ConflictError, NotFoundError, PreconditionFailedError, UnavailableError } from '../base/errors.ts'
import { isObject } from '../base/is-object.ts'
import type { Steps } from '../base/steps.ts'
import { exactText, isExactNumber, parseExact, type EntityModel } from '../model/index.ts'
import { planPresentRow, type Id, type RecordData, type UpsertKey } from '../plan/index.ts'
import { isInTransaction } from '../resource/index.ts'
import { SEVERAL_RECORDS } from '../run/index.ts'
import { insertRows, rowsOfBodies } from './create.ts'
import type { Data } from './new-row.ts'
import { inRecord } from './point-error.ts'
import { repeated } from './repeat.ts'
import { filtersOfChange, readForWrite, writeInTransaction } from './run-write.ts'
import { withScopeCheck } from './scope-of-rows.ts'
import { changeRecord } from './update.ts'
import { readUpdate } from './update-data.ts'
import {
  bodyWithoutKey, checkEachOnce, givenByServer, inKeyOrder, type KeyValues, type Upsert, type UpsertedRow,
} from './upsert-data.ts'
import type { Write } from './write.ts'

/** Other requests may create or remove the records between the look and the write, at most so many times. */
const MAX_ATTEMPTS = 4

const BUSY = 'Concurrent writes conflict with this request. Repeat the request.'

type Keys = readonly KeyValues[]

export function * upsertInTurn (
  upsert: Upsert,
  data: readonly Data[],
  keys: Keys,
  pointer: (index: number) => string
): Steps<readonly UpsertedRow[]> {
  const { write, key } = upsert
  for (let attempt = 1; ; attempt++) {
    const found = yield * presentIds(write, key, keys)
    const ids = found.map((id) => id === undefined ? undefined : JSON.stringify(id))
    checkEachOnce(ids, key, givenByServer(upsert), pointer)
    try {
      return yield * writeFound(upsert, data, keys, found, pointer)
    } catch (error) {
      // a record that was found has been removed since
      const isLate = error instanceof NotFoundError
      if (attempt === MAX_ATTEMPTS) throw isLate ? new UnavailableError(BUSY, { cause: error }) : error
      if (isLate) continue
      if (!(error instanceof ConflictError)) throw error
      const now = yield * presentIds(write, key, keys)
      if (now.every((id, index) => (id === undefined) === (found[index] === undefined))) throw error
    }
  }
}

/** The ids of the visible records with the keys; `undefined` where there is none. */
function * presentIds (begun: Write, key: UpsertKey, keys: Keys): Steps<readonly (Id | undefined)[]> {
  const { write } = yield * filtersOfChange(begun, [])
  const ids: (Id | undefined)[] = []
  for (const data of keys) {
    const [row, ...more] = yield * readForWrite(write, planPresentRow(data, key, write.resource.whitelist))
    if (more.length > 0) throw new ConflictError(SEVERAL_RECORDS)
    ids.push(row && idIn(row['item'] as string, write.model))
  }
  return ids
}

/** The id of a record that shows its primary key. */
function idIn (json: string, { primaryKey }: EntityModel): Id {
  const record = parseExact(json) as Record<string, unknown>
  const parts = primaryKey.map(({ property }) => [property.name, partOf(record[property.publicName])] as const)
  return parts.length === 1 ? parts[0]![1] as Id : Object.fromEntries(parts)
}

const partOf = (value: unknown): unknown =>
  isObject(value) && !isExactNumber(value)
    ? Object.fromEntries(Object.entries(value).map(([name, part]) => [name, exactText(part)]))
    : exactText(value)

function * writeFound (
  { write, key, create }: Upsert,
  data: readonly Data[],
  keys: Keys,
  found: readonly (Id | undefined)[],
  pointer: (index: number) => string
): Steps<readonly UpsertedRow[]> {
  const rows: RecordData[] = []
  for (const [index, id] of found.entries()) {
    if (id !== undefined) {
      rows.push(yield * at(pointer(index), readUpdate(write, id, bodyWithoutKey(data[index]!, key))))
      continue
    }
    if (write.options.ifMatch !== undefined) {
      throw new PreconditionFailedError('There is no record that If-Match names.')
    }
    rows.push(...yield * rowsOfBodies(create, [data[index]!], () => pointer(index)))
  }
  const checked = withScopeCheck(write, rows)
  const ready: Ready = { rows, found, order: inKeyOrder(keys), pointer }
  return found.every((id) => id === undefined)
    ? yield * repeated(write.session, () => guarded(checked, false, (inner) => insertAll(inner, ready)))
    : yield * repeated(write.session, () => guarded(checked, rows.length > 1, (inner) => writeEach(inner, ready)))
}

/** The rows of an upsert, with the ids of those that exist. */
interface Ready {
  readonly rows: readonly RecordData[]
  readonly found: readonly (Id | undefined)[]
  readonly order: readonly number[]
  readonly pointer: (index: number) => string
}

function * insertAll (write: Write, { rows, pointer }: Ready): Steps<readonly UpsertedRow[]> {
  const created = yield * insertRows(write, rows, pointer)
  return created.map((row) => ({ ...row, created: true }))
}

function * writeEach (write: Write, { rows, found, order, pointer }: Ready): Steps<readonly UpsertedRow[]> {
  const written: UpsertedRow[] = []
  for (const index of order) {
    const id = found[index]
    const place = (): string => pointer(index)
    const [row] = id === undefined
      ? yield * insertRows(write, [rows[index]!], place)
      : [yield * at(place(), changeRecord(write, id, rows[index]!))]
    written[index] = { ...row!, created: id === undefined }
  }
  return written
}

/** Does work in a transaction if it takes one, or in a savepoint if an error of it would end the caller's. */
const guarded = <Result>(write: Write, takesOne: boolean, work: (inner: Write) => Steps<Result>): Steps<Result> =>
  takesOne || isInTransaction(write.session) ? writeInTransaction(write, work) : work(write)

/** Does steps about one record of a list. The pointers of their errors then lead to the record. */
function * at<Result> (pointer: string, steps: Steps<Result>): Steps<Result> {
  try {
    return yield * steps
  } catch (error) {
    throw inRecord(pointer, error)
  }
}
