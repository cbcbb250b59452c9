/** The schemas of a resource's routes, derived from its entity. */
import { Type } from '@sinclair/typebox'
import type { FastifySchema } from 'fastify'
import type { EntityModel } from '../src/model/index.ts'
import { listSchema, recordSchema } from '../src/schema/index.ts'
import { ERROR_RESPONSES } from './error-schema.ts'
import type { CrudOperation } from './options.ts'
import { keySegments } from './route-key.ts'

/**
 * Schemas by operation.
 *
 * Keys in paths are text here: `keyReader` reads them, exactly, where a schema would turn `1e3` into a number.
 */
export function routeSchemas (model: EntityModel, name: string): Record<CrudOperation, FastifySchema> {
  const record = recordSchema(model)
  const params = Type.Object(Object.fromEntries(keySegments(model).map(({ name }) => [name, Type.String()])))
  const tags = [name]
  const one = { tags, params, response: { 200: record, ...ERROR_RESPONSES } }
  return {
    list: { tags, summary: `List ${name}`, operationId: `list_${name}`, response: { 200: listSchema(record), ...ERROR_RESPONSES } },
    get: { ...one, summary: `Get one of ${name}`, operationId: `get_${name}` },
    create: { tags, summary: `Create one of ${name}`, operationId: `create_${name}`, response: { 201: record, ...ERROR_RESPONSES } },
    createMany: { tags, summary: `Create several of ${name}`, operationId: `create_many_${name}`, response: { 201: Type.Array(record), ...ERROR_RESPONSES } },
    update: { ...one, summary: `Change what is given of one of ${name}`, operationId: `update_${name}` },
    delete: { ...one, summary: `Delete one of ${name}`, operationId: `delete_${name}` },
    restore: { ...one, summary: `Restore a deleted one of ${name}`, operationId: `restore_${name}` },
  } as Record<CrudOperation, FastifySchema>
}
