/** Creates records as entities, in the transaction of the session. */
import type { EntityManager } from '@mikro-orm/postgresql'
import type { Steps } from '../../base/steps.ts'
import { idOfKey, type RecordData } from '../../plan/index.ts'
import type { ActiveFilters } from '../../resource/index.ts'
import { canReorder } from '../server-order.ts'
import { searchOf } from '../reference-questions.ts'
import { checkReferences } from '../check-references.ts'
import { checkWrittenScope, readBack } from '../run-write.ts'
import type { Write, Written } from '../write.ts'
import { createEntities, flushing } from './entities.ts'
import { exactProperties } from './exact.ts'

/** @param entities gets the entities of the rows, also if the database refuses one */
export function * createThroughEntities (
  write: Write<EntityManager>,
  rows: readonly RecordData[],
  filters: ActiveFilters,
  pointer: (index: number) => string,
  entities: object[]
): Steps<Written[]> {
  const { model, session } = write
  yield * checkReferences(searchOf(write, filters), rows, pointer)
  const properties = rows.map((row, index) => exactProperties(row, model, undefined, pointer(index)))
  const keys: string[][] = []
  // MikroORM relies on the order in which an insert returns its rows
  for (const some of canReorder(write) ? properties.map((row) => [row]) : [properties]) {
    keys.push(...yield * flushing(() => createEntities(session, model, some, entities)))
  }
  const ids = keys.map((key) => idOfKey(model, key))
  const written: Written[] = []
  for (const id of ids) written.push(yield * readBack(write, id))
  for (const id of ids) yield * checkWrittenScope(write, id)
  return written
}
