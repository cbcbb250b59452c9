/** Inserts rows in the transaction of a write, which a refused row ends. */
import type { EntityManager } from '@mikro-orm/postgresql'
import type { Steps } from '../base/steps.ts'
import type { RecordData } from '../plan/index.ts'
import { sharedEmOf } from '../resource/index.ts'
import { withOnCreate } from './new-row.ts'
import { chunksForServer, insertChunks } from './one-statement/insert.ts'
import { filtersOfWrite } from './run-write.ts'
import { withScopeInStatement, withScopeCheck } from './scope-of-rows.ts'
import { needsUnitOfWork } from './unit-of-work/reason.ts'
import { createThroughEntities } from './unit-of-work/through-entities.ts'
import type { InnerWrite, Write, Written } from './write.ts'

/**
 * Inserts rows and returns their records, with their keys.
 *
 * @param pointer the JSON pointer of a record in the body
 */
export function * insertInside (
  begun: InnerWrite,
  rows: readonly RecordData[],
  pointer: (index: number) => string
): Steps<Written[]> {
  const write = withScopeCheck(begun, rows)
  const filters = yield * filtersOfWrite(write, rows)
  if (needsUnitOfWork(write, 'create', rows)) {
    return yield * createThroughEntities(write as Write<EntityManager>, rows, filters, pointer, [])
  }
  const completed = rows.map((row) => withOnCreate(row, write.model, sharedEmOf(write.session)))
  const chunks = chunksForServer(write, completed)
  return yield * insertChunks(withScopeInStatement(write, filters, rows), rows, chunks, filters, pointer, true)
}
