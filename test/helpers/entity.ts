/** Entities of tests. */
import { defineEntity, type EntitySchema } from '@mikro-orm/core'

/**
 * An entity, without types for its rows.
 *
 * @param more the other options of `defineEntity`, such as `tableName` and `filters`
 * @example const Note = entity('Note', { ...primaryKey, text: p.string() }, { tableName: 'notes' })
 */
export function entity (name: string, properties: Record<string, any>, more: object = {}): EntitySchema<any> {
  return defineEntity({ name, properties, ...more } as never) as EntitySchema<any>
}
