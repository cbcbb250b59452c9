/** The property `uuid`, which finds records beside the primary key. */
import type { EntityModel, ScalarProperty } from './entity-model.ts'
import { isUuid } from './types/uuid.ts'

/**
 * The property `uuid` of an entity whose records are also found by it. If the primary key begins with a UUID as well,
 * every UUID is taken for a key.
 */
export function uuidBesideKey ({ uuid, primaryKey }: EntityModel): ScalarProperty | undefined {
  return uuid !== undefined && primaryKey[0]?.columns[0]?.type.kind !== 'uuid' ? uuid : undefined
}

/** The property `uuid`, if an id is a value of it instead of a primary key. */
export function uuidOfId (id: unknown, model: EntityModel): ScalarProperty | undefined {
  const uuid = uuidBesideKey(model)
  return uuid !== undefined && typeof id !== 'object' && isUuid(String(id)) ? uuid : undefined
}
