/**
 * Writes the links of many-to-many relations: rows of their pivot tables. MikroORM is not asked for it, because it
 * would load all linked records first, and cannot load those of a relation whose condition is about other records.
 */
import { ConflictError, DataValidationError } from '../base/errors.ts'
import { wait, type Steps } from '../base/steps.ts'
import { canonicalKey, keyColumns, isSameValue, type RelationProperty, type SqlValue } from '../model/index.ts'
import type { LinksData } from '../plan/index.ts'
import { runStatement } from '../resource/index.ts'
import {
  compileLink, compileLinks, compilePresentLinks, compileUnlink, LINK_SHOWN, linkColumn, linkColumns, type Row,
  type Statement,
} from '../sql/index.ts'
import { absentRecord, chunksOfKeys, keyOfTexts, statementOf, type Search } from './check-references.ts'

/** The values of a key, in the order of its columns. */
type Key = readonly SqlValue[]

/** A row, and the links of its data. */
interface LinkedRow {
  readonly own: Key
  readonly links: readonly LinksData[]
  /** The JSON pointer to the row in the body. */
  readonly pointer: string
}

/**
 * Adds the links of new rows.
 *
 * @throws {ConflictError} for a record that a row cannot be linked to, because both have a column of the pivot table,
 *   or because a rule of the pivot table refuses it
 */
export function * linkAll (search: Search, rows: readonly LinkedRow[]): Steps<void> {
  const place = rows.length === 1 ? rows[0]!.pointer : undefined
  const added = new Map<RelationProperty, Key[]>()
  for (const { own, links, pointer } of rows) {
    for (const { relation, keys } of links) {
      let pivot = added.get(relation)
      if (pivot === undefined) added.set(relation, pivot = [])
      for (const key of keys) pivot.push(linkRow(relation, own, key, pointer))
    }
  }
  for (const [relation, pivot] of added) yield * insertLinks(search, relation, pivot, place)
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
  { relation, keys: wanted }: LinksData
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
  yield * insertLinks(search, relation, (isRewritten ? list : added).map((key) => linkRow(relation, own, key)), '')
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
  const question = statementOf(search, target, values, (foreign) => compileLinks(relation, slots, foreign))
  const rows = yield * wait(runStatement(search.session, question))
  const texts = (row: Row) => keyColumns(target).map((_, index) => row[linkColumn(index)] as string)
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

/** @param place the JSON pointer to the row of all the links, or `undefined` if they are of several rows */
function * insertLinks (
  search: Search,
  relation: RelationProperty,
  rows: readonly Key[],
  place: string | undefined
): Steps<void> {
  const pointer = place === undefined ? undefined : `${place}/${relation.publicName}`
  // in one order, so that requests which add the same links from both sides do not wait for each other
  const ordered = hasOrder(relation) ? rows : [...rows].sort(byValues)
  for (const some of chunksOfKeys(ordered)) {
    const values: unknown[] = []
    const slots = some.map((row) => row.map((value) => values.push(value) - 1))
    try {
      const added = yield * send(search, compileLink(relation, slots), values)
      if (added.length === some.length) continue
      const present = yield * send(search, compilePresentLinks(relation, slots), values)
      if (present.length === some.length) continue
    } catch (error) {
      throw refusedLink(error, relation, pointer)
    }
    throw new ConflictError(`Other links keep one of '${relation.publicName}' from being added.`, { pointer })
  }
}

function byValues (one: Key, other: Key): number {
  const [left, right] = [JSON.stringify(one), JSON.stringify(other)]
  return left < right ? -1 : left > right ? 1 : 0
}

/** The error of a rule of the pivot table, whose columns are not those of the row. */
function refusedLink (error: unknown, { publicName }: RelationProperty, pointer: string | undefined): unknown {
  const detail = `A rule of the data refuses a link of '${publicName}'.`
  if (error instanceof ConflictError) return new ConflictError(detail, { cause: error, pointer })
  return error instanceof DataValidationError ? new DataValidationError(detail, { cause: error, pointer }) : error
}

/** The values of `linkColumns` of a link. */
function linkRow (relation: RelationProperty, own: Key, key: Key, pointer = ''): Key {
  const { join: by, target, publicName } = relation
  if (by.kind !== 'pivot') throw new TypeError(`${relation.name} has no links`)
  return linkColumns(relation).map((column) => {
    const [ofRow, ofRecord] = [by.pivotColumns.indexOf(column), by.pivotTargetColumns.indexOf(column)]
    if (ofRow < 0) return key[ofRecord]!
    const isOther = ofRecord >= 0 && isSameValue(own[ofRow]!, key[ofRecord]!, keyColumns(target)[ofRecord]!) === false
    if (isOther) throw absentRecord(publicName, `${pointer}/${publicName}`)
    return own[ofRow]!
  })
}

function * send (
  { session, call }: Search,
  { text, slots }: Statement,
  values: readonly unknown[]
): Steps<readonly Row[]> {
  const bound = slots.map((slot) => values[slot])
  return yield * wait(runStatement(session, { text, values: bound, readOnly: false, call }))
}
