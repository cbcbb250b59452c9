/**
 * Documents the routes of a resource in OpenAPI: puts a transform for @fastify/swagger into the `config` of each route that
 * has `config.crud`. crudRoutes registers it where @fastify/swagger is.
 */
import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { routedResource, type CrudRoutesOptions } from '../src/http/index.ts'
import type { DocumentedResource, DocumentedRoute } from '../src/http/docs/index.ts'

/** What @fastify/swagger reads in the `config` of a route: a function for its schema and path, or false for none. */
interface SwaggerConfig {
  swaggerTransform?: DocumentedRoute['transform']
}

/** Other plugins register themselves when their folder is loaded; this one needs a resource. */
export const autoload = false

async function register (fastify: FastifyInstance, options: CrudRoutesOptions): Promise<void> {
  const { documentation } = await import('../src/http/docs/index.ts')
  const { name, bound, operations } = routedResource(fastify.orm, options)
  const { model, whitelist, writable } = bound
  const resource: DocumentedResource = {
    ...options,
    model,
    whitelist,
    writable,
    operations,
    queryConfig: options.crud.queryConfig,
    scoped: options.scope !== undefined,
    changesRecords: options.crud.afterRead !== undefined,
  }
  fastify.addHook('onRoute', ({ method, config }) => {
    // Fastify's route for HEAD has the config of the one for GET
    if (config?.crud === undefined || method === 'HEAD') return
    const { operation } = config.crud
    const route: DocumentedRoute = {
      operation,
      method: String(method),
      prefix: fastify.prefix,
      name,
      own: options.schemas?.[operation],
      transform: (config as SwaggerConfig).swaggerTransform,
    }
    ;(config as SwaggerConfig).swaggerTransform = documentation(route, resource)
  })
}

/**
 * The documentation of routes in the same context, by the options of crudRoutes.
 *
 * @example
 * await fastify.register(crudDocs, { crud: categories })
 * fastify.get('/', { config: { crud: { operation: 'list', resource: 'categories' } } }, listCategories)
 */
export const crudDocs = fp(register, {
  name: 'fastify-crud-kit/docs',
  fastify: '>=5.8 <7',
  dependencies: ['@fastify/swagger', 'fastify-crud-kit/database'],
})
export default crudDocs
