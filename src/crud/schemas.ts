/** Schemas of a resource for an application's own handlers. */
import type { MikroORM } from '@mikro-orm/postgresql'
import * as Type from '@sinclair/typebox'
import type { TUnsafe } from '@sinclair/typebox'
import { clientSchema, inputSchema, includeTree, listSchema, recordSchema, totalsOf } from '../schema/index.ts'
import type { CrudBase } from './crud-base.ts'
import type { WireBody, WireId, WirePage, WireRecord } from './record-types.ts'

/** TypeBox schemas of the input and output of a resource, with the types of its entity. */
export interface CrudSchemas<Entity extends object> {
  /** The primary key. A composite key is an object. */
  readonly id: TUnsafe<WireId<Entity>>
  /** A record of an answer. */
  readonly record: TUnsafe<WireRecord<Entity>>
  /** A page of records. */
  readonly list: TUnsafe<WirePage<Entity>>
  /** The body of a create. */
  readonly create: TUnsafe<WireBody<Entity>>
  /** The body of an update. */
  readonly update: TUnsafe<WireBody<Entity>>
}

/**
 * Returns the schemas of a resource for routes and, with Fastify's type provider for TypeBox, for the types of their
 * handlers.
 *
 * As the schema of a `body`, `create` and `update` are checked exactly by the validator of the TypeBox type provider.
 * Fastify's default validator coerces bodies and removes unknown properties before CrudBase checks them.
 *
 * @throws {ConfigError} if the configuration does not match the entity
 * @example
 * const { list } = crudSchemas(categories, app.orm)
 * app.get('/cheap', { schema: { response: { 200: list } } }, ({ em, queryParams }) => categories.list(em, queryParams))
 */
export function crudSchemas<Entity extends object> (crud: CrudBase<Entity>, orm: MikroORM): CrudSchemas<Entity> {
  const { model, whitelist, writable } = crud.bind(orm.em)
  const record = recordSchema(model, { includes: includeTree(whitelist) })
  const keys = model.primaryKey.flatMap(({ property, columns }) =>
    columns.map(({ type }) => [property.publicName, inputSchema(type)] as const)
  )
  return Object.freeze({
    id: Type.Unsafe(keys.length === 1 ? keys[0]![1] : Type.Object(Object.fromEntries(keys))),
    record: Type.Unsafe(record),
    list: Type.Unsafe(listSchema(record, totalsOf(whitelist.pagination))),
    create: Type.Unsafe(clientSchema(model, writable.create, { complete: true })),
    update: Type.Unsafe(clientSchema(model, writable.update, { complete: false })),
  }) as CrudSchemas<Entity>
}
