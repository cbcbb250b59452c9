/**
 * Writes records together with their children, in one transaction: first the records, which locks them, so that two
 * writers of one parent follow each other. Then come the children of each relation: those to remove, so that others may
 * take their unique values, those to change, and new ones. Rows whose scope hangs on rows that are written later are
 * checked at the end.
 */
import type { Steps } from '../../base/steps.ts'
import { keyColumns, type EntityModel, type SqlValue } from '../../model/index.ts'
import { idOfKey, withColumns, type Id, type RecordData } from '../../plan/index.ts'
import { NO_FILTERS } from '../../resource/index.ts'
import { keyOfTexts, keyValuesOf, searchOf } from '../check-references.ts'
import { insertInside } from '../insert-inside.ts'
import { throwPointed, type InsertAttempt } from '../point-error.ts'
import { afterOthers, findInScope, writeInTransaction } from '../run-write.ts'
import { scopeHangsOn, withScopeSearch } from '../scope-of-rows.ts'
import type { InnerWrite, Write, Written } from '../write.ts'
import { beginChildren, childId, type ChildBatch, type ParentKey } from './batches.ts'
import { withRecords } from './family-answer.ts'
import { writeBatch } from './write-batch.ts'

/**
 * Creates records with their children.
 *
 * @param pointer the JSON pointer of a record in the body
 */
export function * createWithChildren (
  write: Write,
  rows: readonly RecordData[],
  pointer: (index: number) => string
): Steps<Written[]> {
  return yield * new FamilyWrite(write, rows, pointer, yield * beginChildren(write, rows, pointer), undefined).run()
}

/**
 * The change of a record without its children. If only children change, it updates the row all the same, which locks
 * it. If nothing changes, it only reads the record.
 */
interface ParentChange {
  readonly id: Id
  readonly change: (inner: InnerWrite) => Steps<Written>
}

/** Changes a record with its children. */
export function * changeWithChildren (write: Write, row: RecordData, change: ParentChange): Steps<Written> {
  const batches = yield * beginChildren(write, [row], atRecord)
  const [written] = yield * new FamilyWrite(write, [row], atRecord, batches, change).run()
  return written!
}

const atRecord = (): string => ''

/** Records and their children on their way into the database. The records are the first part, each batch is another. */
class FamilyWrite {
  readonly #write: Write
  readonly #rows: readonly RecordData[]
  readonly #pointer: (index: number) => string
  readonly #batches: readonly ChildBatch[]
  /** Whether the scope of the records hangs on their children, so that it is checked when all parts are written. */
  readonly #isLate: boolean
  /** The same for the children of each batch, which may hang on each other. */
  readonly #areLate: readonly boolean[]
  /** Absent for new records. */
  readonly #change: ParentChange | undefined
  /** The keys of the records, as far as they are written. */
  readonly #keys: ParentKey[] = []
  /** The part that is being written: -1 for the records, or the index of a batch. */
  #current: number | undefined

  constructor (
    write: Write,
    rows: readonly RecordData[],
    pointer: (index: number) => string,
    batches: readonly ChildBatch[],
    change: ParentChange | undefined
  ) {
    this.#write = write
    this.#rows = rows
    this.#pointer = pointer
    this.#batches = batches
    this.#change = change
    const tables = batches.map(({ write: { model: { table } } }) => table)
    this.#isLate = scopeHangsOn(write, tables)
    this.#areLate = batches.map(({ list, write }, index) =>
      list !== 'remove' && scopeHangsOn(write, tables.slice(index))
    )
  }

  /** Writes all parts in a transaction. An error of the database points to the row that it is about. */
  * run (): Steps<Written[]> {
    try {
      return yield * writeInTransaction(this.#write, (inner) => this.#inside(inner))
    } catch (error) {
      const failed = this.#current
      if (failed === undefined) throw error
      const attempt: InsertAttempt = ({ session }, { from, to }) => this.#repeat(session, failed, from, to)
      if (failed < 0) return yield * throwPointed(error, this.#write, this.#rows, this.#pointer, attempt)
      const { write, items } = this.#batches[failed]!
      const rows = items.map(({ row }) => row)
      return yield * throwPointed(error, write, rows, (index) => items[index]!.pointer, attempt)
    }
  }

  * #inside ({ session }: InnerWrite): Steps<Written[]> {
    this.#current = -1
    const records = yield * this.#writeRecords(session, 0, this.#rows.length)
    const children: (readonly Written[])[] = []
    for (const [index, { items }] of this.#batches.entries()) {
      this.#current = index
      children.push(yield * this.#writeBatch(session, index, 0, items.length))
    }
    this.#current = undefined
    yield * this.#checkLate(session, records, children)
    const fresh: Written[] = []
    const tables = this.#batches.map(({ write: { model: { table } } }) => table)
    for (const record of records) {
      fresh.push(yield * afterOthers({ ...this.#write, session }, record, this.#idOf(record), tables))
    }
    return yield * withRecords(this.#write, this.#rows, this.#pointer, fresh, this.#batches, children)
  }

  #idOf ({ key }: Written): Id {
    return this.#change?.id ?? idOfKey(this.#write.model, key!)
  }

  /** Looks for the written rows in their scope, as far as other parts have decided about them. */
  * #checkLate (
    session: InnerWrite['session'],
    records: readonly Written[],
    children: ReadonlyArray<readonly Written[]>
  ): Steps<void> {
    if (this.#isLate) {
      const write = withScopeSearch({ ...this.#write, session })
      for (const [index, record] of records.entries()) {
        yield * findInScope(write, this.#idOf(record), this.#pointer(index))
      }
    }
    for (const [index, { owned, items, write: begun }] of this.#batches.entries()) {
      if (!this.#areLate[index]) continue
      const write = withScopeSearch({ ...begun, session })
      for (const [at, item] of items.entries()) {
        const { key } = children[index]![at]!
        const id = key === undefined ? childId(item, owned, this.#keys[item.parent]!) : idOfKey(write.model, key)
        yield * findInScope(write, id, item.pointer)
      }
    }
  }

  /** Writes rows of a part again, in search of the one that is refused, and before the first all earlier parts. */
  * #repeat (session: InnerWrite['session'], part: number, from: number, to: number): Steps<void> {
    if (part < 0) {
      yield * this.#writeRecords(session, from, to)
      return
    }
    if (from === 0) {
      yield * this.#writeRecords(session, 0, this.#rows.length)
      for (let index = 0; index < part; index++) {
        yield * this.#writeBatch(session, index, 0, this.#batches[index]!.items.length)
      }
    }
    yield * this.#writeBatch(session, part, from, to)
  }

  * #writeRecords (session: InnerWrite['session'], from: number, to: number): Steps<readonly Written[]> {
    const inner = { ...this.#write, session, ...(this.#isLate && UNCHECKED) }
    const { model } = inner
    if (this.#change !== undefined) {
      const { id, change } = this.#change
      const written = yield * change(inner)
      this.#keys[0] = keyOf(model, (yield * keyValuesOf(searchOf(inner, NO_FILTERS), model, id))!)
      return [written]
    }
    // if this repeats a refused write, the keys stay, since the error may quote them
    const rows = this.#rows.slice(from, to).map((row, index) => withKey(row, model, this.#keys[from + index]))
    const written = yield * insertInside(inner, rows, (index) => this.#pointer(from + index))
    for (const [index, { key }] of written.entries()) this.#keys[from + index] = keyOf(model, keyOfTexts(model, key!))
    return written
  }

  #writeBatch (session: InnerWrite['session'], index: number, from: number, to: number): Steps<readonly Written[]> {
    const batch = this.#batches[index]!
    const write = { ...batch.write, session, ...(this.#areLate[index] && UNCHECKED) }
    return writeBatch(write, batch, batch.items.slice(from, to), this.#keys)
  }
}

/** For a write whose rows are checked later. */
const UNCHECKED = { scope: undefined }

const keyOf = (model: EntityModel, values: readonly SqlValue[]): ParentKey =>
  new Map(keyColumns(model).map(({ column }, index) => [column, values[index]!]))

/** A new record with a key that the database has made for it before. */
function withKey (row: RecordData, { primaryKey }: EntityModel, key: ParentKey | undefined): RecordData {
  if (key === undefined) return row
  const made = primaryKey.flatMap(({ property, columns }) =>
    columns.filter(({ column }) => !row.columns.some((data) => data.column === column)).map(({ column }) => ({
      property,
      column,
      value: key.get(column)!,
    }))
  )
  const properties = Object.fromEntries(made.map(({ property: { name }, value }) => [name, value]))
  return { ...row, ...withColumns(row, made), properties: { ...properties, ...row.properties } }
}
