/** The routes of one resource. An encapsulated plugin: its prefix, hooks and error handler stay its own. */
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
    /** The operation of a generated route, for hooks that look at `request.routeOptions.config`. */
    readonly crud?: { readonly operation: CrudOperation, readonly resource: string }
  }
}

/** Left out when @fastify/autoload loads this folder: it needs a resource. */
export const autoload = false

async function register (fastify: FastifyInstance, options: CrudRoutesOptions): Promise<void> {
  const routed = routedResource(fastify.orm, options)
  const { what, name, bound, operations } = routed
  const within = routeTransactions(what, options.transaction)
  const timing = sendsTimes(fastify, options.serverTiming)
  const scoped = options.scope !== undefined
  if (scoped) checkEstimates(what, bound.whitelist, 'a scope')
  adviseAbout(fastify, { prefix: options.prefix ?? '/', resource: bound, scoped, offers: offersOf(operations) })
  // parts that most servers do without are loaded by those that have them, and before the server is ready
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
      // answers leave as the text that the database wrote: only errors are serialized
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
 * `POST /:id/restore` for an entity that has `deleted_at`. An entity over a view has those that read.
 *
 * @throws {ConfigError} when the whitelist names what the entity doesn't have, or an operation needs what it doesn't
 * @example
 * fastify.register(crudRoutes, { prefix: '/categories', crud: new CategoryCrud() })
 */
export const crudRoutes = fp(register, {
  // no dependencies: `routedResource` says "register crudKit first", where Fastify would name one of its parts
  name: 'fastify-crud-kit/crud-routes',
  fastify: '>=5.8 <7',
  encapsulate: true,
})
export default crudRoutes
