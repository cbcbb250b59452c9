/** Creates records as entities, in the transaction of the session. */
import type { EntityManager } from '@mikro-orm/postgresql'
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
export async function createThroughEntities (
  write: Write<EntityManager>,
  rows: readonly RecordData[],
  filters: ActiveFilters,
  pointer: (index: number) => string,
  entities: object[]
): Promise<Written[]> {
  const { model, session } = write
  await checkReferences(searchOf(write, filters), rows, pointer)
  const properties = rows.map((row, index) => exactProperties(row, model, undefined, pointer(index)))
  const keys: string[][] = []
  // MikroORM relies on the order in which an insert returns its rows
  for (const some of canReorder(write) ? properties.map((row) => [row]) : [properties]) {
    keys.push(...await flushing(() => createEntities(session, model, some, entities)))
  }
  const ids = keys.map((key) => idOfKey(model, key))
  const written: Written[] = []
  for (const id of ids) written.push(await readBack(write, id))
  for (const id of ids) await checkWrittenScope(write, id)
  return written
}
