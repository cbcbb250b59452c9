/** Checks that the records that rows refer to are visible. A foreign key alone would also accept hidden records. */
import { wait, type Steps } from '../base/steps.ts'
import { keyColumns, keyFromText, type EntityModel, type RelationProperty, type SqlValue } from '../model/index.ts'
import { planPresent, type Id, type RecordData } from '../plan/index.ts'
import { runStatement } from '../resource/index.ts'
import { compileHiddenLinks, linkColumn, type Foreign, type Statement } from '../sql/index.ts'
import {
  areAllVisible,
  chunksOfKeys,
  earlierMissing,
  missingReference,
  presentQuestion,
  statementOf,
  visibleQuestion,
  wantedKeys,
  type Missing,
  type Search,
  type WantedKey,
} from './reference-questions.ts'

/** @throws {ConflictError} when a row refers to a record that is missing, deleted, or hidden by a filter or policy */
export function * checkReferences (
  search: Search,
  rows: readonly RecordData[],
  pointer: (index: number) => string = () => ''
): Steps<void> {
  let missing: Missing | undefined
  for (const [relation, keys] of wantedKeys(search, rows)) {
    const first = yield * firstMissing(search, relation, keys)
    if (first !== undefined) missing = earlierMissing(missing, { relation, row: first.row })
  }
  if (missing !== undefined) throw missingReference(missing, pointer)
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
  row: RecordData
): Steps<void> {
  const question = presentQuestion(search, model, id, row)
  if (question === undefined) return yield * checkReferences(search, [row])
  const [present] = yield * wait(runStatement(search.session, question.statement))
  yield * checkReferences(search, [question.changedOf(present)])
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
  relation: RelationProperty,
  keys: readonly WantedKey[]
): Steps<boolean> {
  for (const some of chunksOfKeys(keys)) {
    const rows = yield * wait(runStatement(search.session, visibleQuestion(search, relation, some)))
    if (!areAllVisible(rows, some)) return false
  }
  return true
}

/** The keys of linked records that clients do not see. An update keeps these links. */
export function * hiddenLinks (
  search: Search,
  model: EntityModel,
  id: Id,
  relation: RelationProperty
): Steps<ReadonlyArray<readonly SqlValue[]>> {
  const plan = planPresent(id, model)
  if (plan === undefined) return []
  const compile = (foreign: Foreign): Statement => compileHiddenLinks(plan, relation, foreign)
  const question = statementOf(search, model, [...plan.values], compile)
  const rows = yield * wait(runStatement(search.session, question))
  return rows.map((row) =>
    keyColumns(relation.target).map((column, index) => {
      const converted = keyFromText(row[linkColumn(index)] as string, column)
      if (!converted.ok) throw new TypeError(`The key of a record of ${relation.target.name} can't be read.`)
      return converted.value
    })
  )
}
