/** The routes of one resource. An encapsulated plugin: its prefix, hooks and error handler stay its own. */
import type { FastifyContextConfig, FastifyInstance, FastifyRequest, RegisterOptions, RouteOptions } from 'fastify'
import { CrudBase } from '../src/crud/index.ts'
import { checkEstimates } from '../src/resource/index.ts'
import { ConfigError } from '../src/errors.ts'
import type { DocumentedResource } from './docs-operation.ts'
import type { DocumentedRoute } from './docs.ts'
import { errorJson } from './error-schema.ts'
import { guardsOf } from './guard-advice.ts'
import { adviseAbout } from './index-advice.ts'
import { offeredOperations } from './offered.ts'
import { checkOptions, ResourceOptionsSchema, type CrudOperation } from './options.ts'
import { routeDefinitions } from './route-handlers.ts'
import { routeSchema } from './route-schemas.ts'
import type { StreamOptions } from './route-stream.ts'
import { routeTransactions, type RouteTransactions } from './route-transactions.ts'
import { sendsTimes, timed, timingHooks } from './server-timing.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** What a generated route does, for hooks that look at `request.routeOptions.config`. */
    readonly crud?: { readonly operation: CrudOperation, readonly resource: string }
  }
}

/** Fastify's hooks of a route. */
export type RouteHooks = Partial<
  Pick<
    RouteOptions,
    | 'onRequest'
    | 'preParsing'
    | 'preValidation'
    | 'preHandler'
    | 'preSerialization'
    | 'onSend'
    | 'onResponse'
    | 'onTimeout'
    | 'onError'
    | 'onRequestAbort'
  >
>

/** What `fastify.register(crudRoutes, ...)` takes. */
export interface CrudRoutesOptions extends RegisterOptions {
  /** What the routes call. */
  readonly crud: CrudBase<any>
  /** The routes to make. Default: all but createMany. */
  readonly operations?: readonly CrudOperation[]
  /** A condition, in MikroORM's query language, on the resource's rows that a request may touch; `{}` for all. */
  readonly scope?: (request: FastifyRequest) => object | Promise<object>
  /** Hooks of all routes, and of single ones: `all` runs first. */
  readonly hooks?: { readonly all?: RouteHooks } & { readonly [Operation in CrudOperation]?: RouteHooks }
  /** Merged into the `config` of all routes. */
  readonly config?: Readonly<Record<string, unknown>>
  /** Records that one request may create where createMany is enabled. Default: 1 000. */
  readonly maxBatch?: number
  /** Let `DELETE /:id?hard=true` remove rows that could be marked as deleted. Default: false. */
  readonly allowHardDelete?: boolean
  /** Refuse PUT, PATCH and DELETE without If-Match. Default: false. */
  readonly requireIfMatch?: boolean
  /** Refuse bodies with properties that clients may read but not write, or ignore those. Default: refuse. */
  readonly readonlyProperties?: 'refuse' | 'ignore'
  /**
   * Refuse parameters that are not part of the query language, or ignore those. Parameters that a route's own schema
   * declares (`schemas.list.querystring`) are never refused. Default: refuse.
   */
  readonly unknownParameters?: 'refuse' | 'ignore'
  /** Parts of the routes' schemas to replace. */
  readonly schemas?: { readonly [Operation in CrudOperation]?: NonNullable<RouteOptions['schema']> }
  /**
   * Do the work of a request in a transaction, hooks of `CrudBase` and `scope` included: `true`, or options as
   * `withTransaction` takes them, for all operations or by operation. Reads are read-only, unless told otherwise.
   * Default: only what needs one.
   */
  readonly transaction?: RouteTransactions
  /**
   * Let `GET /` answer all records that the filters keep, without pages, to clients that accept `application/x-ndjson`
   * or `text/csv` rather than JSON: `true`, or options. Default: false.
   */
  readonly stream?: boolean | StreamOptions
  /** Send how long the stages of a request took, as the header Server-Timing. Default: what `crudKit` was told. */
  readonly serverTiming?: boolean
  /** Name of the resource in documentation. Default: the name of its table. */
  readonly name?: string
}

/**
 * Makes the routes of a resource: `GET /`, `GET /:id`, `POST /`, `PATCH` and `PUT /:id`, `DELETE /:id`, and
 * `POST /:id/restore` for an entity that has `deleted_at`. An entity over a view has those that read.
 *
 * @throws {ConfigError} when the whitelist names what the entity doesn't have, or an operation needs what it doesn't
 * @example
 * fastify.register(crudRoutes, { prefix: '/categories', crud: new CategoryCrud() })
 */
export async function crudRoutes (fastify: FastifyInstance, options: CrudRoutesOptions): Promise<void> {
  const { crud, prefix, logLevel, logSerializers, ...rest } = options
  const what = `The resource ${prefix ?? '/'}`
  if (!(crud instanceof CrudBase)) throw new ConfigError(`${what}: 'crud' must be an instance of CrudBase.`)
  if (!fastify.hasDecorator('orm')) throw new ConfigError(`${what}: register crudKit first.`)
  checkOptions(what, ResourceOptionsSchema, rest)
  const bound = crud.bind(fastify.orm.em)
  const { model, whitelist, writable } = bound
  const operations = offeredOperations(what, bound, options)
  const within = routeTransactions(what, options.transaction)
  const timing = sendsTimes(fastify, options.serverTiming)
  const resource = options.name ?? crud.name ?? model.tableName
  whitelist.names.add(resource)
  if (operations.includes('list')) adviseAbout(fastify, whitelist)
  if (options.scope !== undefined) {
    checkEstimates(what, whitelist, 'a scope')
    guardsOf(fastify, { prefix: prefix ?? '/', resource: bound, operations })
  }
  // parts that most servers do without are loaded by those that have them, and before the server is ready
  const stream = options.stream === true ? {} : options.stream
  const streaming = stream === undefined || stream === false
    ? undefined
    : (await import('./route-stream.ts')).streamingOf(fastify, stream)
  const docs = fastify.hasPlugin('@fastify/swagger') ? await import('./docs.ts') : undefined
  const documented: DocumentedResource = {
    ...options,
    model,
    whitelist,
    writable,
    operations,
    queryConfig: crud.queryConfig,
    scoped: options.scope !== undefined,
    changesRecords: crud.afterRead !== undefined,
  }

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
    const transform = options.config?.['swaggerTransform'] as DocumentedRoute['transform']
    const swaggerTransform = docs?.documentation({
      operation,
      method: String(method),
      prefix: fastify.prefix,
      name: resource,
      own,
      transform,
    }, documented)
    fastify.route({
      method,
      url,
      handler: timing ? timed(handler) : handler,
      schema: routeSchema(operation, resource, own),
      config: {
        ...options.config,
        crud: { operation, resource },
        ...(swaggerTransform !== undefined && { swaggerTransform }),
      } as FastifyContextConfig,
      // answers leave as the text that the database wrote: only errors are serialized
      ...(own?.response === undefined && { serializerCompiler: () => serialize }),
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

/** What an application's error handler sends is left as it is: only the error itself, in Fastify's own handler, is cut to the schema. */
const serialize = (data: unknown): string =>
  data instanceof Error ? errorJson(data as Error & Record<string, unknown>) : JSON.stringify(data)

/** Hooks of all operations before those of one; a route that does two has those of both. */
function hooksOf (
  { hooks = {} }: CrudRoutesOptions,
  operations: readonly CrudOperation[],
  first: RouteHooks | undefined
): RouteHooks {
  const merged: Record<string, unknown[]> = {}
  for (const some of [first, hooks.all, ...operations.map((operation) => hooks[operation])]) {
    for (const [hook, functions] of Object.entries(some ?? {})) (merged[hook] ??= []).push(...[functions].flat())
  }
  return merged as RouteHooks
}
