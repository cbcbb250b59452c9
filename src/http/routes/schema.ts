/**
 * The schemas that Fastify compiles for a resource's routes. They contain only responses. This package reads bodies,
 * keys and query strings itself, strictly, since a schema would convert `1e3` to a number. `src/http/docs/` documents
 * them.
 */
import type { FastifySchema } from 'fastify'
import { ERROR_RESPONSES } from '../error-schema.ts'
import type { CrudOperation } from '../options.ts'

const SUMMARIES: Readonly<Record<CrudOperation, (name: string) => string>> = {
  list: (name) => `List ${name}`,
  get: (name) => `Get a record of ${name}`,
  create: (name) => `Create a record in ${name}`,
  createMany: (name) => `Create several records in ${name}`,
  update: (name) => `Change a record of ${name}`,
  delete: (name) => `Delete a record of ${name}`,
  restore: (name) => `Restore a deleted record of ${name}`,
}

/** The schema of a route. Parts of the application's own schema take precedence. */
export function routeSchema (operation: CrudOperation, name: string, own: FastifySchema = {}): FastifySchema {
  return {
    tags: [name],
    summary: SUMMARIES[operation](name),
    ...own,
    response: { ...ERROR_RESPONSES, ...own.response as object },
  } as FastifySchema
}
