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
 * Keys in paths are text here: `readKey` reads them, exactly, where a schema would turn `1e3` into a number.
 */
export function routeSchemas (model: EntityModel, name: string): Record<CrudOperation, FastifySchema> {
  const record = recordSchema(model)
  const params = Type.Object(Object.fromEntries(keySegments(model).map(({ name }) => [name, Type.String()])))
  const tags = [name]
  return {
    list: { tags, summary: `List ${name}`, operationId: `list_${name}`, response: { 200: listSchema(record), ...ERROR_RESPONSES } } as FastifySchema,
    get: { tags, summary: `Get one of ${name}`, operationId: `get_${name}`, params, response: { 200: record, ...ERROR_RESPONSES } } as FastifySchema,
  }
}
