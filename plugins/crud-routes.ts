/**
 * The routes of one resource. The plugin is encapsulated: its prefix, hooks and error handler apply only inside of
 * it.
 */
import type { FastifyContextConfig, FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import {
  hooksOf,
  routedResource,
  routeDefinitions,
  routeSchema,
  routeTransactions,
  serializeError,
  timed,
  timingHooks,
  type CrudOperation,
  type CrudRoutesOptions,
} from '../src/http/index.ts'
import { checkEstimates } from '../src/resource/index.ts'
import { adviseAbout } from './advice.ts'
import { sendsTimes } from './server-timing.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The operation of a generated route, for hooks that read `request.routeOptions.config`. */
    readonly crud?: { readonly operation: CrudOperation, readonly resource: string }
  }
}

/** Excludes this file when @fastify/autoload loads the folder, since it needs a resource. */
export const autoload = false

async function register (fastify: FastifyInstance, options: CrudRoutesOptions): Promise<void> {
  const routed = routedResource(fastify.orm, options)
  const { what, name, bound, operations } = routed
  const within = routeTransactions(what, options.transaction)
  const timing = sendsTimes(fastify, options.serverTiming)
  const scoped = options.scope !== undefined
  if (scoped) checkEstimates(what, bound.whitelist, 'a scope')
  adviseAbout(fastify, { prefix: options.prefix ?? '/', resource: bound, scoped, offers: offersOf(operations) })
  // optional parts are loaded only by servers that use them, before the server is ready
  const stream = options.stream === true ? {} : options.stream
  const streaming = stream === undefined || stream === false
    ? undefined
    : (await import('../src/http/streams/index.ts')).streamingOf(fastify, stream)
  const transformOf = fastify.hasPlugin('@fastify/swagger')
    ? (await import('../src/http/docs/index.ts')).transformsOf(routed, options, fastify.prefix)
    : undefined

  for (
    const { operation, method, url, handler } of routeDefinitions(
      fastify.orm,
      bound,
      options,
      operations,
      within,
      streaming
    )
  ) {
    const own = options.schemas?.[operation]
    const swaggerTransform = transformOf?.(operation, String(method))
    fastify.route({
      method,
      url,
      handler: timing ? timed(handler) : handler,
      schema: routeSchema(operation, name, own),
      config: {
        ...options.config,
        crud: { operation, resource: name },
        ...(swaggerTransform !== undefined && { swaggerTransform }),
      } as FastifyContextConfig,
      // answers are sent as the text of the database, so only errors are serialized
      ...(own?.response === undefined && { serializerCompiler: () => serializeError }),
      ...hooksOf(
        options,
        method === 'POST' && url === '/'
          ? operations.filter((name) => name === 'create' || name === 'createMany')
          : [operation],
        timing ? timingHooks : undefined
      ),
    })
  }
}

const offersOf = (operations: readonly CrudOperation[]) => ({
  list: operations.includes('list'),
  get: operations.includes('get'),
  create: operations.includes('create') || operations.includes('createMany'),
  update: operations.includes('update'),
})

/**
 * Makes the routes of a resource: `GET /`, `GET /:id`, `POST /`, `PATCH` and `PUT /:id`, `DELETE /:id`, and
 * `POST /:id/restore` for an entity that has `deleted_at`. An entity over a view has only the routes of reads.
 *
 * @throws {ConfigError} if the whitelist names a property that the entity does not have, or if the entity does not
 *   support an operation
 * @example
 * fastify.register(crudRoutes, { prefix: '/categories', crud: new CategoryCrud() })
 */
export const crudRoutes = fp(register, {
  // no dependencies: `routedResource` says "register crudKit first", but Fastify would name an internal plugin
  name: 'fastify-crud-kit/crud-routes',
  fastify: '>=5.8 <7',
  encapsulate: true,
})
export default crudRoutes
