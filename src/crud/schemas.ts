/** Schemas of a resource, for handlers that an application writes itself. */
import type { MikroORM } from '@mikro-orm/postgresql'
import { Type, type TUnsafe } from '@sinclair/typebox'
import { createSchema, inputSchema, includeTree, listSchema, recordSchema, updateSchema } from '../schema/index.ts'
import type { CrudBase } from './crud-base.ts'
import type { WireBody, WireId, WirePage, WireRecord } from './wire-types.ts'

/** TypeBox schemas of what goes into and comes out of a resource, with the types of its entity. */
export interface CrudSchemas<Entity extends object> {
  /** The primary key; an object for a composite one. */
  readonly id: TUnsafe<WireId<Entity>>
  readonly record: TUnsafe<WireRecord<Entity>>
  readonly list: TUnsafe<WirePage<Entity>>
  readonly create: TUnsafe<WireBody<Entity>>
  readonly update: TUnsafe<WireBody<Entity>>
}

/**
 * The schemas of a resource: for routes, and with Fastify's type provider for TypeBox, for the types of their handlers.
 *
 * A `body` that is given to Fastify is coerced and stripped of unknown properties by its validator, before CrudBase
 * reads it exactly; the generated routes give none.
 *
 * @throws {ConfigError} when the resource doesn't fit the ORM
 * @example
 * const { list } = crudSchemas(categories, app.orm)
 * app.get('/cheap', { schema: { response: { 200: list } } }, (request) => categories.list(request.em, request.queryParams))
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
    list: Type.Unsafe(listSchema(record, { totals: whitelist.pagination.count !== 'none' })),
    create: Type.Unsafe(createSchema(model, { rules: writable.create })),
    update: Type.Unsafe(updateSchema(model, { rules: writable.update })),
  }) as CrudSchemas<Entity>
}
