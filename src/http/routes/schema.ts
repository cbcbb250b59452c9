/** The schema of a route: the generated parts, and the application's own. */
import type { FastifySchema } from 'fastify'
import { ERROR_RESPONSES } from '../error-schema.ts'
import type { CrudOperation } from '../route-options.ts'
import type { GeneratedSchema } from '../schemas/operation.ts'

const SUMMARIES: Readonly<Record<CrudOperation, (name: string) => string>> = {
  list: (name) => `List ${name}`,
  get: (name) => `Get a record of ${name}`,
  create: (name) => `Create a record in ${name}`,
  createMany: (name) => `Create several records in ${name}`,
  update: (name) => `Change a record of ${name}`,
  delete: (name) => `Delete a record of ${name}`,
  restore: (name) => `Restore a deleted record of ${name}`,
}

/**
 * The schema of a route. Parts of the application's own schema take the place of generated ones in it; the validator
 * checks both. If the application has responses, Fastify serializes them, and only the schemas of errors are added.
 */
export function routeSchema (
  operation: CrudOperation,
  name: string,
  generated: GeneratedSchema,
  own: FastifySchema = {}
): FastifySchema {
  const given = Object.fromEntries(Object.entries(own).filter(([, part]) => part !== undefined))
  const { query, ...parts } = given as FastifySchema & { readonly query?: unknown }
  return {
    tags: [name],
    summary: SUMMARIES[operation](name),
    ...generated,
    ...parts,
    ...(query !== undefined && { querystring: query }),
    response: own.response === undefined ? generated.response : { ...ERROR_RESPONSES, ...own.response as object },
  } as FastifySchema
}
