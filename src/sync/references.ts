/** Whether the records that rows refer to are there, asked on a synchronous session. */
import type { SyncSession } from '../database/index.ts'
import type { EntityModel, RelationProperty } from '../model/index.ts'
import type { Id, RecordData } from '../plan/index.ts'
import {
  chunksOfKeys,
  missingReference,
  presentQuestion,
  visibleQuestion,
  wantedKeys,
  type Missing,
  type Search,
  type WantedKey,
} from '../write/index.ts'

type SyncSearch = Search<SyncSession>

/** @throws {ConflictError} when a record that a row refers to is not there, is deleted, or hidden by a filter */
export function checkReferences (
  search: SyncSearch,
  rows: readonly RecordData[],
  pointer: (index: number) => string = () => ''
): void {
  let missing: Missing | undefined
  for (const [relation, keys] of wantedKeys(search, rows)) {
    if (areVisible(search, relation, keys)) continue
    // one by one: scripts can wait for the error
    const { row } = keys.find((key) => !areVisible(search, relation, [key])) ?? keys[0]!
    if (missing === undefined || row < missing.row) missing = { relation, row }
  }
  if (missing !== undefined) throw missingReference(missing, pointer)
}

/** The same for changes of a record: a record that it refers to already is no change, and is not looked for. */
export function checkChangedReferences (search: SyncSearch, model: EntityModel, id: Id, row: RecordData): void {
  const question = presentQuestion(search, model, id, row)
  checkReferences(
    search,
    [question === undefined ? row : question.changedOf(search.session.run(question.statement)[0])]
  )
}

function areVisible (search: SyncSearch, relation: RelationProperty, keys: readonly WantedKey[]): boolean {
  return chunksOfKeys(keys).every((some) =>
    Number(search.session.run(visibleQuestion(search, relation, some))[0]!['count']) === some.length
  )
}
