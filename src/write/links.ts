/**
 * Writes the links of many-to-many relations: rows of their pivot tables. MikroORM is not asked for it, because it
 * would load all linked records first, and cannot load those of a relation whose condition is about other records.
 */
import { escapedName } from '../base/error-list.ts'
import { ConflictError } from '../base/errors.ts'
import { wait, type Steps } from '../base/steps.ts'
import {
  canonicalKey, keyColumns, isSameValue, type EntityModel, type RelationProperty, type SqlValue,
} from '../model/index.ts'
import type { RelationKeys, RecordData } from '../plan/index.ts'
import { runStatement } from '../resource/index.ts'
import {
  compileLink, compileLinks, compilePresentLinks, compileUnlink, LINK_SHOWN, linkColumns, returnedKey, type Row,
  type Statement,
} from '../sql/index.ts'
import { absentRecord, ask, chunksOfKeys, keyOfTexts, type Search } from './check-references.ts'
import { inRecord, isRowError, searchRefused } from './point-error.ts'

/** The values of a key, in the order of its columns. */
type Key = readonly SqlValue[]

/** The tables into which the links of rows are written. */
export function pivotTables (rows: ReadonlyArray<Pick<RecordData, 'links'>>): readonly string[] {
  const joins = rows.flatMap(({ links }) => links.map(({ relation: { join } }) => join))
  return [...new Set(joins.flatMap((join) => join.kind === 'pivot' ? [join.table] : []))]
}

/**
 * Adds the links of new rows.
 *
 * @param keys the texts of the rows' keys
 * @param pointer the JSON pointer to a row in the body
 * @throws {ConflictError} for a record that a row cannot be linked to, because both have a column of the pivot table,
 *   or because a rule of the pivot table refuses it
 */
export function * linkAll (
  search: Search,
  model: EntityModel,
  rows: readonly RecordData[],
  keys: ReadonlyArray<readonly string[]>,
  pointer: (index: number) => string = () => ''
): Steps<void> {
  const added = new Map<RelationProperty, PivotRow[]>()
  for (const [index, { links }] of rows.entries()) {
    const own = keyOfTexts(model, keys[index]!)
    for (const { relation, keys: others } of links) {
      let pivot = added.get(relation)
      if (pivot === undefined) added.set(relation, pivot = [])
      for (const other of others) pivot.push(pivotRow(relation, own, other, pointer(index)))
    }
  }
  for (const [relation, pivot] of added) yield * insertLinks(search, relation, pivot)
}

/**
 * Replaces the links of a row that clients see through the relation. The row is locked, so that requests which replace
 * them take turns.
 *
 * @param own the key of the row
 * @throws {ConflictError} as `linkAll` does
 */
export function * replaceLinks (
  search: Search,
  own: Key,
  { relation, keys: wanted }: RelationKeys
): Steps<void> {
  const present = yield * linksOf(search, own, relation)
  const columns = keyColumns(relation.target)
  const nameOf = (key: Key): string => canonicalKey(key, columns)
  const among = (keys: readonly Key[]): (key: Key) => boolean => {
    const names = new Set(keys.map(nameOf))
    return (key) => names.has(nameOf(key))
  }
  // a pivot table with a separate key may have several links of the same records
  const shown = distinct(present.filter(({ isShown }) => isShown).map(({ key }) => key), nameOf)
  const isShown = among(shown)
  const isHidden = among(present.filter(({ isShown }) => !isShown).map(({ key }) => key))
  const list = wanted.filter((key) => !isHidden(key))
  const isListed = among(list)
  const [kept, added] = [shown.filter(isListed), list.filter((key) => !isShown(key))]
  const inOrder = [...kept, ...added].every((key, index) => nameOf(key) === nameOf(list[index]!))
  // links that have an order are all written again if new ones cannot follow those that stay
  const isRewritten = hasOrder(relation) && !inOrder
  yield * unlink(search, own, relation, isRewritten ? shown : shown.filter((key) => !isListed(key)))
  yield * insertLinks(search, relation, (isRewritten ? list : added).map((key) => pivotRow(relation, own, key)))
}

const distinct = (
  keys: readonly Key[],
  nameOf: (key: Key) => string
): readonly Key[] => [...new Map(keys.map((key) => [nameOf(key), key])).values()]

const hasOrder = ({ join }: RelationProperty): boolean => join.kind === 'pivot' && join.orderColumn !== undefined

interface PresentLink {
  readonly key: Key
  /** Whether clients see it through the relation. */
  readonly isShown: boolean
}

function * linksOf (search: Search, own: Key, relation: RelationProperty): Steps<readonly PresentLink[]> {
  const values: unknown[] = [...own]
  const slots = own.map((_, index) => index)
  const { target } = relation
  const rows = yield * ask(search, target, values, (foreign) => compileLinks(relation, slots, foreign))
  const texts = (row: Row) => keyColumns(target).map((_, index) => row[returnedKey(index)] as string)
  return rows.map((row) => ({ key: keyOfTexts(target, texts(row)), isShown: row[LINK_SHOWN] === 'true' }))
}

function * unlink (
  search: Search,
  own: Key,
  relation: RelationProperty,
  keys: readonly Key[]
): Steps<void> {
  for (const some of chunksOfKeys(keys)) {
    const values: unknown[] = []
    const slotsOf = (key: Key) => key.map((value) => values.push(value) - 1)
    yield * send(search, compileUnlink(relation, slotsOf(own), some.map(slotsOf)), values)
  }
}

/** A row of a pivot table. */
interface PivotRow {
  /** The values of `linkColumns`. */
  readonly values: Key
  /** The JSON pointer, in the body, to the record that has the link. */
  readonly pointer: string
}

function * insertLinks (search: Search, relation: RelationProperty, rows: readonly PivotRow[]): Steps<void> {
  // in one order, so that requests which add the same links from both sides do not wait for each other
  const ordered = hasOrder(relation) ? rows : [...rows].sort(byValues)
  for (const some of chunksOfKeys(ordered)) {
    try {
      const added = yield * sendLinks(search, some, (slots) => compileLink(relation, slots))
      if (added.length === some.length || !(yield * isOneAbsent(search, relation, some))) continue
    } catch (error) {
      throw refusedLink(error, relation)
    }
    // all of them may exist by now
    const first = yield * searchRefused(some.length, ({ from, to }) =>
      isOneAbsent(search, relation, some.slice(from, to))
    )
    const { pointer } = some[first ?? 0]!
    const { publicName } = relation
    throw inRecord(
      pointer,
      new ConflictError(`Other links keep one of '${publicName}' from being added.`, {
        pointer: `/${escapedName(publicName)}`,
      })
    )
  }
}

function * isOneAbsent (search: Search, relation: RelationProperty, rows: readonly PivotRow[]): Steps<boolean> {
  const present = yield * sendLinks(search, rows, (slots) => compilePresentLinks(relation, slots))
  return present.length < rows.length
}

/** @param compile makes a statement of the slots of each row's values */
function sendLinks (
  search: Search,
  rows: readonly PivotRow[],
  compile: (slots: number[][]) => Statement
): Steps<readonly Row[]> {
  const values: unknown[] = []
  const slots = rows.map((row) => row.values.map((value) => values.push(value) - 1))
  return send(search, compile(slots), values)
}

function byValues (one: PivotRow, other: PivotRow): number {
  const [left, right] = [JSON.stringify(one.values), JSON.stringify(other.values)]
  return left < right ? -1 : left > right ? 1 : 0
}

/**
 * The error of a rule of the pivot table, whose columns are not those of the row. Its pointer begins at the record.
 * `throwPointed` puts that of the record before it.
 */
function refusedLink (error: unknown, { publicName }: RelationProperty): unknown {
  if (!isRowError(error)) return error
  const detail = `A rule of the data refuses a link of '${publicName}'.`
  const pointer = `/${escapedName(publicName)}`
  return new (error.constructor as typeof ConflictError)(detail, { cause: error, pointer })
}

function pivotRow (relation: RelationProperty, own: Key, key: Key, pointer = ''): PivotRow {
  const { join: by, target, publicName } = relation
  if (by.kind !== 'pivot') throw new TypeError(`${relation.name} has no links`)
  const values = linkColumns(relation).map((column) => {
    const [ofRow, ofRecord] = [by.pivotColumns.indexOf(column), by.pivotTargetColumns.indexOf(column)]
    if (ofRow < 0) return key[ofRecord]!
    const isOther = ofRecord >= 0 && isSameValue(own[ofRow]!, key[ofRecord]!, keyColumns(target)[ofRecord]!) === false
    if (isOther) throw absentRecord(publicName, pointer)
    return own[ofRow]!
  })
  return { values, pointer }
}

function send (
  { session, origin }: Search,
  { text, slots }: Statement,
  values: readonly unknown[]
): Steps<readonly Row[]> {
  const bound = slots.map((slot) => values[slot])
  return wait(runStatement(session, { text, values: bound, readOnly: false, origin }))
}
