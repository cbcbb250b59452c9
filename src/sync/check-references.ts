/** Checks on a synchronous session that the records that rows refer to exist. */
import type { SyncSession } from '../database/index.ts'
import type { EntityModel, RelationProperty } from '../model/index.ts'
import type { Id, RecordData } from '../plan/index.ts'
import {
  areAllVisible,
  chunksOfKeys,
  earlierMissing,
  missingReference,
  presentQuestion,
  visibleQuestion,
  wantedKeys,
  type Missing,
  type Search,
  type WantedKey,
} from '../write/index.ts'

type SyncSearch = Search<SyncSession>

/** @throws {ConflictError} when a row refers to a record that does not exist, is deleted, or is excluded by a filter */
export function checkReferences (
  search: SyncSearch,
  rows: readonly RecordData[],
  pointer: (index: number) => string = () => ''
): void {
  let missing: Missing | undefined
  for (const [relation, keys] of wantedKeys(search, rows)) {
    if (areVisible(search, relation, keys)) continue
    // checks one by one, because scripts can wait for an error
    const { row } = keys.find((key) => !areVisible(search, relation, [key])) ?? keys[0]!
    missing = earlierMissing(missing, { relation, row })
  }
  if (missing !== undefined) throw missingReference(missing, pointer)
}

/**
 * Does the same for changes of a record. A reference that the record already has is not a change and is not checked.
 */
export function checkChangedReferences (search: SyncSearch, model: EntityModel, id: Id, row: RecordData): void {
  const question = presentQuestion(search, model, id, row)
  checkReferences(
    search,
    [question === undefined ? row : question.changedOf(search.session.run(question.statement)[0])]
  )
}

function areVisible (search: SyncSearch, relation: RelationProperty, keys: readonly WantedKey[]): boolean {
  return chunksOfKeys(keys).every((some) =>
    areAllVisible(search.session.run(visibleQuestion(search, relation, some)), some)
  )
}
