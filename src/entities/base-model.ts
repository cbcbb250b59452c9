import { defineEntity } from '@mikro-orm/core'
import { primaryKey, softDelete, timestamps, uuid } from './mixins.ts'

/**
 * A base entity with all mixins: `id`, `uuid`, `created_at`, `updated_at` and `deleted_at`. It has no table.
 *
 * @example
 * const Author = defineEntity({ name: 'Author', extends: BaseModel, properties: { name: p.string() } })
 * type Author = InferEntity<typeof Author>
 */
export const BaseModel = defineEntity({
  name: 'BaseModel',
  abstract: true,
  properties: { ...primaryKey, ...uuid, ...timestamps, ...softDelete },
})
