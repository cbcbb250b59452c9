/**
 * `BaseModel`, and the property mixins that it consists of: plain objects of MikroORM property builders, to spread into
 * an entity's `properties`. Columns have the names of their properties, whatever the application's naming strategy is.
 */
import { defineEntity, p } from '@mikro-orm/core'
import { randomUUID } from 'node:crypto'

/**
 * Milliseconds, the precision of a JavaScript Date and of the wire format. With PostgreSQL's microseconds, a filter
 * with a time that a client has read would not match.
 */
const PRECISION = 3
const NOW = `current_timestamp(${PRECISION})`

/**
 * `id`: an integer that the database generates.
 *
 * @example
 * const Tag = defineEntity({ name: 'Tag', properties: { ...primaryKey, name: p.string() } })
 */
export const primaryKey = {
  id: p.integer().primary().autoincrement(),
}

/**
 * `uuid`: unique. The ORM generates it on create, and the database does so for rows that are inserted without the ORM.
 * Clients may use it in place of the primary key.
 */
export const uuid = {
  uuid: p.uuid().fieldName('uuid').unique().onCreate(() => randomUUID()).defaultRaw('gen_random_uuid()'),
}

/**
 * `created_at` and `updated_at`: set on create. Every `update` of a CRUD class sets `updated_at` again, also if the
 * record has the given values already. MikroORM's `flush` sets it only if something has changed.
 */
export const timestamps = {
  created_at: p.datetime(PRECISION).fieldName('created_at').onCreate(() => new Date()).defaultRaw(NOW),
  updated_at: p.datetime(PRECISION).fieldName('updated_at').onCreate(() => new Date()).onUpdate(() => new Date())
    .defaultRaw(NOW),
}

/** `deleted_at`: a delete marks the row with it, and reads leave marked rows out. */
export const softDelete = {
  deleted_at: p.datetime(PRECISION).fieldName('deleted_at').nullable(),
}

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
