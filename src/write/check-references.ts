/** Checks that the records that rows refer to are visible. A foreign key alone would also accept hidden records. */
import { wait, type Steps } from '../base/steps.ts'
import { keyColumns, keyFromText, type EntityModel, type RelationProperty, type SqlValue } from '../model/index.ts'
import { planPresent, type Id, type RecordData, type RelationKeys } from '../plan/index.ts'
import { foreignOf, hasSessionContext, runStatement, type ActiveFilters, type CrudSession } from '../resource/index.ts'
import {
  compileKey, compilePresent, compileReferences, presentColumn, returnedKey, type Foreign, type Row, type Statement,
} from '../sql/index.ts'
import { escapedName, placed } from '../base/error-list.ts'
import { ConflictError } from '../base/errors.ts'
import { enterStage, type QueryOrigin } from '../run/index.ts'
import type { Write } from './write.ts'

/** @throws {ConflictError} when a row refers to a record that is missing, deleted, or hidden by a filter or policy */
export function * checkReferences (
  search: Search,
  rows: readonly RecordData[],
  pointer: (index: number) => string = () => ''
): Steps<void> {
  let missing: { readonly relation: RelationProperty, readonly row: number } | undefined
  for (const [relation, keys] of wantedKeys(search, rows)) {
    const first = yield * firstMissing(search, relation, keys)
    if (first !== undefined && (missing === undefined || first.row < missing.row)) {
      missing = { relation, row: first.row }
    }
  }
  if (missing !== undefined) throw absentReference(missing.relation, pointer(missing.row))
}

/** Whether all records that rows refer to are visible. */
export function * areReferencesVisible (search: Search, rows: readonly RecordData[]): Steps<boolean> {
  for (const [relation, keys] of wantedKeys(search, rows)) {
    if (!(yield * areVisible(search, relation, keys))) return false
  }
  return true
}

/**
 * The same check for changes of a record. References that stay unchanged are not checked.
 *
 * @throws {ConflictError}
 */
export function * checkChangedReferences (
  search: Search,
  model: EntityModel,
  id: Id,
  row: RecordData,
  pointer?: (index: number) => string
): Steps<void> {
  const toCheck = row.references.filter(({ relation }) => mayBeHidden(relation.target, search.filters, search.session))
  const plan = toCheck.length === 0 ? undefined : planPresent(id, model)
  if (plan === undefined) return yield * checkReferences(search, [row], pointer)
  const values = [...plan.values]
  const slots = toCheck.map(({ relation, key }) => ({ relation, key: key.map((value) => values.push(value) - 1) }))
  const [present] = yield * ask(search, model, values, (foreign) => compilePresent(plan, slots, foreign))
  const references = toCheck.filter((_, index) => present?.[presentColumn(index)] !== 'true')
  yield * checkReferences(search, [{ ...row, references }], pointer)
}

/** The first of some keys that no visible record has. The search for it starts only if one is missing. */
function * firstMissing (
  search: Search,
  relation: RelationProperty,
  keys: readonly WantedKey[]
): Steps<WantedKey | undefined> {
  if (yield * areVisible(search, relation, keys)) return undefined
  // the first `low` keys are all visible, the first `high` keys are not
  let [low, high] = [0, keys.length]
  while (high - low > 1) {
    const middle = (low + high) >> 1
    if (yield * areVisible(search, relation, keys.slice(0, middle))) low = middle
    else high = middle
  }
  return keys[low]
}

function * areVisible (
  search: Search,
  { target, join }: RelationProperty,
  keys: readonly WantedKey[]
): Steps<boolean> {
  for (const some of chunksOfKeys(keys)) {
    const values: unknown[] = []
    const slots = some.map(({ key }) => key.map((value) => values.push(value) - 1))
    const wanted = { model: target, columns: join.targetColumns, keys: slots }
    const [row] = yield * ask(search, target, values, (foreign) => compileReferences(wanted, foreign))
    if (Number(row!['count']) !== some.length) return false
  }
  return true
}

/**
 * The values of a record's key, in the order of its columns. They are looked up if the id is not the key itself.
 *
 * @param locks whether the record is locked for a change until the transaction ends. Others may be linked to it
 */
export function * keyValuesOf (
  search: Search,
  model: EntityModel,
  id: Id,
  locks = false
): Steps<readonly SqlValue[] | undefined> {
  const plan = planPresent(id, model)
  if (plan === undefined) return undefined
  const { conditions, values } = plan
  if (!locks && conditions.every((condition) => condition.kind === 'key')) {
    return conditions.map(({ slot }) => values[slot] as SqlValue)
  }
  const [row] = yield * ask(search, model, [...values], (foreign) => compileKey(plan, foreign, locks), !locks)
  return row && keyOfTexts(model, keyColumns(model).map((_, index) => row[returnedKey(index)] as string))
}

/** The values of a key that the database has written as texts. */
export function keyOfTexts (model: EntityModel, texts: readonly string[]): readonly SqlValue[] {
  return keyColumns(model).map((column, index) => {
    const converted = keyFromText(texts[index]!, column)
    if (!converted.ok) throw new TypeError(`The key of a record of ${model.name} can't be read.`)
    return converted.value
  })
}

/**
 * Whether records of an entity may be hidden although their rows exist. Foreign keys ignore deletions, filters and
 * policies.
 */
export const mayBeHidden = (model: EntityModel, filters: ActiveFilters, session: CrudSession): boolean =>
  model.deletedAt !== undefined || filters.has(model) || hasSessionContext(session)

/**
 * The keys that have to be checked before a row is written: those of references to records that may be hidden, and
 * those of links.
 */
export function keysToCheck (
  { references, links }: RecordData,
  filters: ActiveFilters,
  session: CrudSession
): readonly RelationKeys[] {
  if (references.length === 0) return links
  const toCheck = references.filter(({ relation }) => mayBeHidden(relation.target, filters, session))
  return [...toCheck.map(({ relation, key }) => ({ relation, keys: [key] })), ...links]
}

/** The session of a search for records, the filters that hide records, and the operation that needs the search. */
export interface Search {
  readonly session: CrudSession
  readonly filters: ActiveFilters
  readonly origin: QueryOrigin
}

/** The search of a write for the records that its rows refer to. */
export function searchOf ({ session, resource, operation }: Write, filters: ActiveFilters): Search {
  return { session, filters, origin: resource.originOf(operation) }
}

/** The keys of rows that have to be checked, without duplicates. */
function wantedKeys (
  { filters, session }: Search,
  rows: readonly RecordData[]
): ReadonlyMap<RelationProperty, readonly WantedKey[]> {
  const wanted = new Map<RelationProperty, Map<string, WantedKey>>()
  for (const [index, row] of rows.entries()) {
    for (const { relation, keys } of keysToCheck(row, filters, session)) {
      let distinct = wanted.get(relation)
      if (distinct === undefined) wanted.set(relation, distinct = new Map())
      for (const key of keys) {
        const text = JSON.stringify(key)
        if (!distinct.has(text)) distinct.set(text, { key, row: index })
      }
    }
  }
  return new Map([...wanted].map(([relation, keys]) => [relation, [...keys.values()]]))
}

/** Asks the server about records of an entity. Its statement only reads, unless it locks a record. */
export function * ask (
  { session, filters, origin }: Search,
  model: EntityModel,
  values: unknown[],
  compile: (foreign: Foreign) => Statement,
  readOnly = true
): Steps<readonly Row[]> {
  enterStage('compile')
  const { text, slots } = compile(foreignOf(session, { model, customs: [] }, {}, filters, values))
  enterStage()
  const bound = slots.map((slot) => values[slot])
  return yield * wait(runStatement(session, { text, values: bound, readOnly, origin }))
}

/** A key that must exist, and the first row that refers to it. */
interface WantedKey {
  readonly key: readonly SqlValue[]
  readonly row: number
}

/** Maximum number of keys in one statement. The number of parameters is limited, and so is the nesting of `or`. */
const MAX_KEYS = 1_000

/** Splits keys into chunks of as many as fit into one statement. */
export function chunksOfKeys<Key> (keys: readonly Key[]): ReadonlyArray<readonly Key[]> {
  const chunks: Array<readonly Key[]> = []
  for (let start = 0; start < keys.length; start += MAX_KEYS) chunks.push(keys.slice(start, start + MAX_KEYS))
  return chunks
}

/** The error of a row that refers to such a record. It does not name a relation that is hidden from the sender. */
function absentReference ({ hidden, publicName }: RelationProperty, record: string): ConflictError {
  if (!hidden) return absentRecord(publicName, record)
  const detail = 'A record that does not exist cannot be referred to.'
  const item = { ...record !== '' && { source: { pointer: record } }, code: 'FST_CRUD_CONFLICT', detail }
  return new ConflictError(placed(record, detail), { errors: [item] })
}

/**
 * The error of a body that names a record that does not exist, or that its sender may not know.
 *
 * @param record the JSON pointer of the record in the body that names it
 * @param below the JSON pointer from there to the name
 */
export function absentRecord (name: string, record: string, below = `/${escapedName(name)}`): ConflictError {
  const detail = `'${name}' refers to a record that does not exist.`
  const item = { source: { pointer: `${record}${below}` }, code: 'FST_CRUD_CONFLICT', detail }
  return new ConflictError(placed(record, detail), { errors: [item] })
}
