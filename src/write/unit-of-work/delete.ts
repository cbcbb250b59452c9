/** Removes a record as an entity, in the transaction of the session. */
import type { EntityManager } from '@mikro-orm/postgresql'
import type { Steps } from '../../base/steps.ts'
import type { Id } from '../../plan/index.ts'
import { readBack } from '../run-write.ts'
import type { Write, Written } from '../write.ts'
import { flushing, removeEntity } from './entities.ts'
import { lockRecord } from './lock.ts'
import { cascadesOf } from './reason.ts'

/** Removes a record. Records of its cascades are loaded first, since MikroORM removes only loaded ones. */
export function * removeThroughEntity (write: Write<EntityManager>, id: Id): Steps<Written> {
  const { model, session } = write
  const { entity } = yield * lockRecord(write, id, 'with', cascadesOf(session, model))
  const record = yield * readBack(write, id)
  yield * flushing(() => removeEntity(session, entity))
  return record
}
