/** Whether the records that rows refer to are there, for those that a foreign key would find though they are hidden. */
import { ConflictError } from '../errors.ts'
import { keyColumns, keyFromText, type EntityModel, type RelationProperty, type SqlValue } from '../model/index.ts'
import { planPresent, type Id, type RecordData } from '../plan/index.ts'
import { enterStage, type QueryCall, type Row } from '../run/index.ts'
import { compileHiddenLinks, compilePresent, compileReferences, type Foreign, type Statement } from '../sql/index.ts'
import {
  foreignOf,
  hasSessionContext,
  runOn,
  wait,
  type ActiveFilters,
  type CrudSession,
  type Work,
} from '../resource/index.ts'

/** Whether a record of an entity may count as absent though its row is there: foreign keys look past deletions, filters and policies. */
export const isGuarded = (model: EntityModel, filters: ActiveFilters, session: CrudSession): boolean =>
  model.deletedAt !== undefined || filters.has(model) || hasSessionContext(session)

/** Relations of a row whose records are looked for before it is written: those that a foreign key would find though they are hidden, and links. */
export function guardedKeys (
  { references, links }: RecordData,
  filters: ActiveFilters,
  session: CrudSession
): { readonly relation: RelationProperty, readonly keys: ReadonlyArray<readonly SqlValue[]> }[] {
  return [
    ...references.filter(({ relation }) => isGuarded(relation.target, filters, session)).map(({ relation, key }) => ({
      relation,
      keys: [key],
    })),
    ...links,
  ]
}

/** Where records are looked for, what hides them, and what for. */
export interface Search {
  readonly session: CrudSession
  readonly filters: ActiveFilters
  readonly call: QueryCall
}

/** @throws {ConflictError} when a record that a row refers to is not there, is deleted, or hidden by a filter or a policy */
export function * checkReferences (
  search: Search,
  rows: readonly RecordData[],
  pointer: (index: number) => string = () => ''
): Work<void> {
  const wanted = new Map<RelationProperty, Map<string, WantedKey>>()
  for (const [index, row] of rows.entries()) {
    for (const { relation, keys } of guardedKeys(row, search.filters, search.session)) {
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
    if (first !== undefined && (missing === undefined || first.row < missing.row)) {
      missing = { relation, row: first.row }
    }
  }
  if (missing !== undefined) throw missingReference(missing.relation, pointer(missing.row))
}

/**
 * The same for changes of a record: a record that it refers to already is no change, and is not looked for.
 *
 * @throws {ConflictError}
 */
export function * checkChangedReferences (search: Search, model: EntityModel, id: Id, row: RecordData): Work<void> {
  const guarded = row.references.filter(({ relation }) => isGuarded(relation.target, search.filters, search.session))
  const plan = guarded.length === 0 ? undefined : planPresent(id, model)
  if (plan === undefined) return yield * checkReferences(search, [row])
  const values = [...plan.values]
  const slots = guarded.map(({ relation, key }) => ({ relation, key: key.map((value) => values.push(value) - 1) }))
  const [present] = yield * ask(search, model, values, (foreign) => compilePresent(plan, slots, foreign))
  const changed = row.references.filter((reference) => present?.[`present${guarded.indexOf(reference)}`] !== 'true')
  yield * checkReferences(search, [{ ...row, references: changed, links: row.links }])
}

/** The keys of the records that a record is linked to by a relation and that clients don't see: they stay linked. */
export function * hiddenLinks (
  search: Search,
  model: EntityModel,
  id: Id,
  relation: RelationProperty
): Work<ReadonlyArray<readonly SqlValue[]>> {
  const plan = planPresent(id, model)
  if (plan === undefined) return []
  const rows = yield * ask(search, model, [...plan.values], (foreign) => compileHiddenLinks(plan, relation, foreign))
  return rows.map((row) =>
    keyColumns(relation.target).map((column, index) => {
      const converted = keyFromText(row[`key${index}`] as string, column)
      if (!converted.ok) throw new TypeError(`The key of a record of ${relation.target.name} can't be read.`)
      return converted.value
    })
  )
}

function * ask (
  { session, filters, call }: Search,
  model: EntityModel,
  values: unknown[],
  compile: (foreign: Foreign) => Statement
): Work<Row[]> {
  enterStage('compile')
  const { text, slots } = compile(foreignOf(session, { model, customs: [] }, {}, filters, values))
  enterStage()
  return yield * wait(runOn(session, { text, values: slots.map((slot) => values[slot]), readOnly: true, call }))
}

/** The first of some keys that no visible record has; which one, is only looked into when there is one. */
function * firstMissing (
  search: Search,
  relation: RelationProperty,
  keys: readonly WantedKey[]
): Work<WantedKey | undefined> {
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

function * countVisible (
  search: Search,
  { target, join }: RelationProperty,
  keys: ReadonlyArray<readonly SqlValue[]>
): Work<number> {
  const values: unknown[] = []
  const slots = keys.map((key) => key.map((value) => values.push(value) - 1))
  const [row] = yield * ask(
    search,
    target,
    values,
    (foreign) => compileReferences({ model: target, columns: join.targetColumns, keys: slots }, foreign)
  )
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
  return new ConflictError(detail, {
    errors: [{ source: { pointer: `${pointer}/${publicName}` }, code: 'FST_CRUD_CONFLICT', detail }],
  })
}
