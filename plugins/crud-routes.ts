/**
 * The routes of resources. The schemas of a resource's records and bodies are added to the instance on which it is
 * registered. The routes are encapsulated: their prefix, hooks and error handler apply only to them.
 */
import type { FastifyInstance, FastifyPluginAsync } from 'fastify'
import fp from 'fastify-plugin'
import {
  allowQueryMethod, checkResourcesOptions, checkTables, documentedRoles, fastifyRoutes, knownResources, metaOf,
  namedSchemas, offerOf, readQueries, refuseBodies, roleResources, routedResource, schemaNames, takenNames,
  type CrudOperation, type CrudResourcesOptions, type CrudRoutesOptions, type ResourceEntry, type RouteParts,
  type UncheckedRoutes,
} from '../src/http/index.ts'
import { checkFastify } from '../src/borrowed/check-borrowed.ts'
import { parsersOf, withParsers, type Parsers } from '../src/borrowed/fastify.ts'
import { ConfigError } from '../src/base/errors.ts'
import { isObject } from '../src/base/is-object.ts'
import { shown } from '../src/base/option-checks.ts'
import { CrudBase } from '../src/crud/index.ts'
import { checkEstimates, checkTextNeeds } from '../src/resource/index.ts'
import { accessOf } from './access.ts'
import { sendsTimes } from './server-timing.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The operation of a generated route, for hooks that read `request.routeOptions.config`. */
    readonly crud?: { readonly operation: CrudOperation, readonly resource: string }
  }
}

/**
 * The type of `crudRoutes`. The member without a value tells it from all other plugins. plugins/crud-kit.ts declares
 * its signature of `register`.
 */
export interface CrudRoutesPlugin {
  (
    fastify: FastifyInstance,
    options:
      | {
        readonly resources: Readonly<Record<string, CrudBase<any> | UncheckedRoutes>>,
        readonly prefix?: string,
        readonly crud?: never,
      }
      | UncheckedRoutes
  ): Promise<void>
  /** @internal */
  readonly '~plugin': 'crudRoutes'
}

/** Excludes this file when @fastify/autoload loads the folder, since it needs a resource. */
export const autoload = false

/** The plugins that decorate requests for the routes: the names of their exports, and those that Fastify knows. */
const NEEDED = [
  ['requestEm', 'fastify-crud-kit/request-em'],
  ['requestQueryParams', 'fastify-crud-kit/query-params'],
] as const

async function register (
  fastify: FastifyInstance,
  options: CrudRoutesOptions | CrudResourcesOptions
): Promise<void> {
  await registerResources(fastify, 'resources' in options ? resourcesOf(options) : [options])
}

/** The options of the routes of each resource. */
function resourcesOf (options: CrudResourcesOptions): readonly CrudRoutesOptions[] {
  if ('crud' in options) {
    throw new ConfigError(
      "crudRoutes: 'crud' is one resource, and 'resources' are several. Name one of them. The options of a resource " +
        "stand beside its 'crud': resources: { '/books': { crud, operations: ['list'] } }."
    )
  }
  checkResourcesOptions(options)
  const { prefix = '', resources } = options
  return Object.entries(resources).map(([path, resource]) => {
    const whole = path === '/' && prefix !== '' ? prefix : `${prefix}${path}`
    if (!isRoutesOptions(resource)) return { crud: resource, prefix: whole }
    if (resource.prefix !== undefined) {
      throw new ConfigError(
        `The resource ${path}: its prefix is the name in 'resources'. Remove 'prefix', or name the resource ` +
          `${shown(resource.prefix)}.`
      )
    }
    return { ...resource, prefix: whole }
  })
}

/** Whether a resource is given by the options of its routes. `routedResource` refuses all else but a CrudBase. */
const isRoutesOptions = (resource: ResourceEntry): resource is CrudRoutesOptions =>
  isObject(resource) && !(resource instanceof CrudBase) && 'crud' in resource

/**
 * Registers the routes of resources, after the schemas of all of them. Fastify copies each new schema into all contexts
 * that exist, and each resource makes one. If resources were registered one after the other, the number of copies would
 * grow with the square of their number.
 *
 * @throws {ConfigError} as `crudRoutes` does
 */
async function registerResources (
  fastify: FastifyInstance,
  resources: readonly CrudRoutesOptions[]
): Promise<void> {
  checkFastify(fastify)
  const takesQueries = resources.some(({ query }) => query === true)
  if (takesQueries) allowQueryMethod(fastify)
  const parsers = {
    ofNone: await parsersWith(fastify, 'fastify-crud-kit/no-bodies', refuseBodies),
    ofQueries: takesQueries ? await parsersWith(fastify, 'fastify-crud-kit/query-bodies', readQueries) : undefined,
  }
  const steps: Array<() => Promise<void>> = []
  for (const options of resources) steps.push(await prepare(fastify, options, parsers))
  for (const addRoutes of steps) await addRoutes()
}

/** The parsers of bodies that are no data of records. All resources that are registered together share them. */
interface OtherParsers {
  /** Those of routes that take no body, since an empty one may have any media type. */
  readonly ofNone: Parsers
  /** Those of bodies that are queries. Absent if no resource takes them. */
  readonly ofQueries: Parsers | undefined
}

/**
 * Makes parsers in a separate Fastify context. (A promise of an instance would be a promise of its readiness.)
 *
 * @param add adds them to an instance without any
 */
async function parsersWith (
  fastify: FastifyInstance,
  name: string,
  add: (instance: FastifyInstance) => void
): Promise<Parsers> {
  let parsers: Parsers | undefined
  await fastify.register(displayed(name, async (instance) => {
    instance.removeAllContentTypeParsers()
    add(instance)
    parsers = parsersOf(instance)
  }))
  return parsers!
}

/**
 * Binds a resource and adds its schemas to the instance.
 *
 * @returns a function that adds its routes
 */
async function prepare (
  fastify: FastifyInstance,
  options: CrudRoutesOptions,
  parsers: OtherParsers
): Promise<() => Promise<void>> {
  const access = accessOf(fastify)
  const routed = routedResource(fastify.orm, options, fastify.prefix, access !== undefined)
  for (const [plugin, name] of NEEDED) {
    if (!fastify.hasPlugin(name)) {
      throw new ConfigError(`${routed.what}: register ${plugin} first, or crudKit, which contains it.`)
    }
  }
  const taken = takenNames(fastify.server)
  const { name, bound } = routed
  const names = schemaNames(
    bound.model,
    name,
    `${fastify.prefix}${options.prefix ?? ''}`,
    (id) => taken.has(id) || fastify.getSchema(id) !== undefined
  )
  const offer = offerOf(routed, options)
  const roles = access && roleResources(fastify.orm, routed, options, access)
  const docs = roles && documentedRoles(offer, roles, options, access?.options.documentFor)
  const plain = namedSchemas(offer, names)
  const named = docs === undefined ? plain : docs.named(plain, names)
  for (const schema of named.shared) {
    taken.add(schema.$id!)
    fastify.addSchema(schema)
  }
  if (!fastify.hasPlugin('@fastify/swagger')) {
    fastify.addHook('onReady', async () => refuseLateSwagger(fastify, routed.what))
  }
  const { prefix, logLevel, logSerializers } = options
  const limits = access && { access, resources: roles!, docs: docs! }
  return async () => {
    const plugin = async (instance: FastifyInstance) =>
      await addRoutes(instance, { options, routed, offer: docs?.offer ?? offer, named, limits, parsers })
    await fastify.register(displayed('fastify-crud-kit/resource', plugin), {
      ...(prefix !== undefined && { prefix }),
      ...(logLevel !== undefined && { logLevel }),
      ...(logSerializers !== undefined && { logSerializers }),
    })
  }
}

/** @throws {ConfigError} if @fastify/swagger was registered after the routes, since its document would lack them */
function refuseLateSwagger (fastify: FastifyInstance, what: string): void {
  if (!fastify.hasDecorator('swagger')) return
  throw new ConfigError(
    `${what}: @fastify/swagger was registered after the routes, so its document would lack them. Register it before ` +
      'crudKit. To leave a route out of the document, write schemas: { list: { hide: true } }.'
  )
}

interface PreparedRoutes extends Pick<RouteParts, 'options' | 'routed' | 'offer' | 'named' | 'limits'> {
  readonly parsers: OtherParsers
}

async function addRoutes (
  fastify: FastifyInstance,
  { parsers, ...prepared }: PreparedRoutes
): Promise<void> {
  const { options, routed, offer, limits } = prepared
  const { what, bound } = routed
  const timing = sendsTimes(fastify, options.serverTiming)
  if (options.scope !== undefined) checkEstimates(what, bound.whitelist, 'a scope')
  knownResources(fastify).push({
    instance: fastify,
    prefix: fastify.prefix,
    routed,
    options,
    limits,
    sendsTimes: timing,
  })
  // the server has been asked by then whether its tables are distributed
  fastify.addHook('onReady', async () => checkTables(routed, offer, fastify.orm.em))
  fastify.addHook('onReady', async () => await checkTextNeeds(what, bound.whitelist, fastify.orm.em))
  // optional parts are loaded only by servers that use them, before the server is ready
  const stream = options.stream === true ? {} : options.stream
  const streaming = stream === undefined || stream === false
    ? undefined
    : (await import('../src/http/streams/streaming.ts')).streamingOf(fastify, stream)
  const transformOf = fastify.hasPlugin('@fastify/swagger')
    ? (await import('../src/http/docs/transform.ts')).transformsOf(fastify, routed, offer, options, limits?.docs)
    : undefined
  const { routes, onRoute } = fastifyRoutes(fastify, {
    ...prepared,
    streaming,
    timing,
    transformOf,
  })
  fastify.addHook('onRoute', onRoute)
  const withoutBodies = withParsers(fastify, parsers.ofNone)
  const withQueries = parsers.ofQueries && withParsers(fastify, parsers.ofQueries)
  for (const { body, route } of routes) {
    if (body === 'query') withQueries!.route(route)
    else if (body === 'data' || route.method === 'GET') fastify.route(route)
    else withoutBodies.route(route)
  }
}

/** Names a plugin for Fastify, which would otherwise look for it in all modules that the process has loaded. */
const displayed = (name: string, plugin: FastifyPluginAsync): FastifyPluginAsync =>
  Object.assign(plugin, { [Symbol.for('fastify.display-name')]: name })

/**
 * Makes the routes of a resource: `GET /`, `GET /:id`, `POST /`, `PATCH` and `PUT /:id`, `DELETE /:id`, and
 * `POST /:id/restore` for an entity that has `deleted_at`. An entity over a view has only the routes of reads. The
 * options `operations` and `query` choose other routes. The plugin takes `CrudRoutesOptions`, or `resources` as
 * `crudKit` does. Register it on the instance whose hooks the routes need.
 *
 * @throws {ConfigError} if the whitelist names a property that the entity does not have, if the entity does not support
 *   an operation, or if a plugin that the routes need is not registered
 * @example
 * fastify.register(crudRoutes, { prefix: '/categories', crud: new CategoryCrud() })
 * @example
 * await fastify.register(async (api) => {
 *   api.addHook('onRequest', async (request) => await request.jwtVerify())
 *   await api.register(crudRoutes, { resources: { '/categories': new CategoryCrud() } })
 * })
 */
// no dependencies: `routedResource` says "register crudKit first", but Fastify would name an internal plugin
export const crudRoutes = fp(register, metaOf('fastify-crud-kit/crud-routes')) as unknown as CrudRoutesPlugin
export default crudRoutes
