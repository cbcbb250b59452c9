/** Whether the records that rows refer to are there, for those that a foreign key would find though they are hidden. */
import { ConflictError } from '../errors.ts'
import type { EntityModel, RelationProperty, SqlValue } from '../model/index.ts'
import type { RecordData } from '../plan/index.ts'
import { enterStage, type QueryCall } from '../run/index.ts'
import { compileReferences, type Foreign } from '../sql/index.ts'
import { foreignOf, type ActiveFilters } from './foreign.ts'
import { runOn, wait, type CrudSession, type Work } from './steps.ts'

/** Whether a record of an entity may count as absent though its row is there. */
export const isGuarded = (model: EntityModel, filters: ActiveFilters): boolean => model.deletedAt !== undefined || filters.has(model)

/** Relations of a row whose records are looked for before it is written: those that a foreign key would find though they are hidden, and links. */
export function guardedKeys ({ references, links }: RecordData, filters: ActiveFilters): { readonly relation: RelationProperty, readonly keys: ReadonlyArray<readonly SqlValue[]> }[] {
  return [...references.filter(({ relation }) => isGuarded(relation.target, filters)).map(({ relation, key }) => ({ relation, keys: [key] })), ...links]
}

/** Where records are looked for, what hides them, and what for. */
export interface Search {
  readonly session: CrudSession
  readonly filters: ActiveFilters
  readonly call: QueryCall
}

/** @throws {ConflictError} when a record that a row refers to is not there, is deleted, or hidden by a filter */
export function * checkReferences (search: Search, rows: readonly RecordData[], pointer: (index: number) => string = () => ''): Work<void> {
  const wanted = new Map<RelationProperty, Map<string, WantedKey>>()
  for (const [index, row] of rows.entries()) {
    for (const { relation, keys } of guardedKeys(row, search.filters)) {
      let distinct = wanted.get(relation)
      if (distinct === undefined) wanted.set(relation, distinct = new Map())
      for (const key of keys) {
        const text = JSON.stringify(key)
        if (!distinct.has(text)) distinct.set(text, { key, row: index })
      }
    }
  }
  let missing: { relation: RelationProperty, row: number } | undefined
  for (const [relation, keys] of wanted) {
    const first = yield * firstMissing(search, relation, [...keys.values()])
    if (first !== undefined && (missing === undefined || first.row < missing.row)) missing = { relation, row: first.row }
  }
  if (missing !== undefined) throw missingReference(missing.relation, pointer(missing.row))
}

/** The first of some keys that no visible record has; which one, is only looked into when there is one. */
function * firstMissing (search: Search, relation: RelationProperty, keys: readonly WantedKey[]): Work<WantedKey | undefined> {
  if (yield * areVisible(search, relation, keys)) return undefined
  // the first `low` are there, the first `high` are not
  let [low, high] = [0, keys.length]
  while (high - low > 1) {
    const middle = (low + high) >> 1
    if (yield * areVisible(search, relation, keys.slice(0, middle))) low = middle
    else high = middle
  }
  return keys[low]
}

function * areVisible (search: Search, relation: RelationProperty, keys: readonly WantedKey[]): Work<boolean> {
  for (let start = 0; start < keys.length; start += MAX_KEYS) {
    const some = keys.slice(start, start + MAX_KEYS)
    if ((yield * countVisible(search, relation, some.map(({ key }) => key))) < some.length) return false
  }
  return true
}

function * countVisible ({ session, filters, call }: Search, { target, join }: RelationProperty, keys: ReadonlyArray<readonly SqlValue[]>): Work<number> {
  enterStage('compile')
  const values: unknown[] = []
  const add = (value: unknown): number => values.push(value) - 1
  const slots = keys.map((key) => key.map(add))
  const foreign: Foreign = foreignOf(session, { model: target, customs: [] }, {}, filters, values)
  const { text, slots: bound } = compileReferences({ model: target, columns: join.targetColumns, keys: slots }, foreign)
  enterStage()
  const [row] = yield * wait(runOn(session, { text, values: bound.map((slot) => values[slot]), readOnly: true, call }))
  return Number(row!['count'])
}

/** A key that has to be there, and the first row that refers to it. */
interface WantedKey {
  readonly key: readonly SqlValue[]
  readonly row: number
}

/** Keys in one question for records, at most: their parameters are limited, and so is the nesting of its `or`s. */
const MAX_KEYS = 1_000

function missingReference ({ publicName }: RelationProperty, pointer: string): ConflictError {
  const detail = `'${publicName}' refers to a record that does not exist.`
  return new ConflictError(detail, { errors: [{ source: { pointer: `${pointer}/${publicName}` }, code: 'FST_CRUD_CONFLICT', detail }] })
}
