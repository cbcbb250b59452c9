/** The routes of one resource. An encapsulated plugin: its prefix, hooks and error handler stay its own. */
import type { FastifyInstance, FastifyRequest, RegisterOptions, RouteOptions } from 'fastify'
import { CrudBase } from '../src/crud/index.ts'
import { ConfigError, NotFoundError } from '../src/errors.ts'
import { errorJson } from './error-schema.ts'
import { checkOptions, OPERATIONS, ResourceOptionsSchema, type CrudOperation } from './options.ts'
import { keyPath, readKey } from './route-key.ts'
import { routeSchemas } from './route-schemas.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** What a generated route does, for hooks that look at `request.routeOptions.config`. */
    readonly crud?: { readonly operation: CrudOperation, readonly resource: string }
  }
}

/** Fastify's hooks of a route. */
export type RouteHooks = Partial<Pick<RouteOptions,
  'onRequest' | 'preParsing' | 'preValidation' | 'preHandler' | 'preSerialization' | 'onSend' | 'onResponse' | 'onTimeout' | 'onError' | 'onRequestAbort'>>

/** What `fastify.register(crudRoutes, ...)` takes. */
export interface CrudRoutesOptions extends RegisterOptions {
  /** What the routes call. */
  readonly crud: CrudBase<any>
  /** The routes to make. Default: all. */
  readonly operations?: readonly CrudOperation[]
  /** A condition, in MikroORM's query language, on the resource's rows that a request may touch. */
  readonly scope?: (request: FastifyRequest) => object | undefined | Promise<object | undefined>
  /** Hooks of all routes, and of single ones: `all` runs first. */
  readonly hooks?: { readonly all?: RouteHooks } & { readonly [Operation in CrudOperation]?: RouteHooks }
  /** Merged into the `config` of all routes. */
  readonly config?: Readonly<Record<string, unknown>>
  /** Parts of the routes' schemas to replace. */
  readonly schemas?: { readonly [Operation in CrudOperation]?: NonNullable<RouteOptions['schema']> }
  /** Name of the resource in documentation. Default: the name of its table. */
  readonly name?: string
}

const JSON_TYPE = 'application/json; charset=utf-8'

/**
 * Makes the routes of a resource: `GET /` and `GET /:id`.
 *
 * @throws {ConfigError} when the whitelist names what the entity doesn't have
 * @example
 * fastify.register(crudRoutes, { prefix: '/categories', crud: new CategoryCrud() })
 */
export async function crudRoutes (fastify: FastifyInstance, options: CrudRoutesOptions): Promise<void> {
  const { crud, prefix, logLevel, logSerializers, ...rest } = options
  const what = `The resource ${prefix ?? '/'}`
  if (!(crud instanceof CrudBase)) throw new ConfigError(`${what}: 'crud' must be an instance of CrudBase.`)
  if (!fastify.hasDecorator('orm')) throw new ConfigError(`${what}: register crudKit first.`)
  checkOptions(what, ResourceOptionsSchema, rest)
  const { model } = crud.bind(fastify.orm.em)
  const name = options.name ?? crud.name ?? model.tableName
  const schemas = routeSchemas(model, name)
  const operations: readonly CrudOperation[] = options.operations ?? OPERATIONS

  /** Everything about a route that doesn't depend on what it does. */
  const route = (operation: CrudOperation) => ({
    method: 'GET' as const,
    schema: { ...schemas[operation], ...options.schemas?.[operation] },
    config: { ...options.config, crud: { operation, resource: name } },
    // answers leave as the text that the database wrote: only errors are serialized
    ...(options.schemas?.[operation]?.response === undefined && { serializerCompiler: () => serialize }),
    ...hooksOf(options, operation),
  })

  const readOptions = async (request: FastifyRequest) => ({ scope: await options.scope?.(request) as never, context: { request } })

  if (operations.includes('list')) {
    fastify.route({
      ...route('list'),
      url: '/',
      async handler (request, reply) {
        const text = await crud.listJson(request.em, request.queryParams, await readOptions(request))
        return reply.type(JSON_TYPE).send(text)
      },
    })
  }

  if (operations.includes('get')) {
    fastify.route({
      ...route('get'),
      url: keyPath(model),
      async handler (request, reply) {
        const text = await crud.getJson(request.em, readKey(model, request.params), request.queryParams, await readOptions(request))
        if (text === null) throw new NotFoundError()
        return reply.type(JSON_TYPE).send(text)
      },
    })
  }
}

const serialize = (data: unknown): string => {
  const { statusCode } = data as { statusCode?: unknown }
  return typeof statusCode === 'number' && statusCode >= 400 ? errorJson(data as Record<string, unknown>) : JSON.stringify(data)
}

/** Hooks of all operations before those of one. */
function hooksOf ({ hooks = {} }: CrudRoutesOptions, operation: CrudOperation): RouteHooks {
  const merged: Record<string, unknown[]> = {}
  for (const some of [hooks.all, hooks[operation]]) {
    for (const [hook, functions] of Object.entries(some ?? {})) (merged[hook] ??= []).push(...[functions].flat())
  }
  return merged as RouteHooks
}
