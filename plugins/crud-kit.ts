/**
 * Registers the other plugins: the database, an EntityManager and a parsed query for each request, routes of resources.
 */
import type {
  FastifyBaseLogger, FastifyInstance, FastifyPluginAsync, FastifyTypeProvider, RawServerBase, RawServerDefault,
} from 'fastify'
import fp from 'fastify-plugin'
import type { CrudBase } from '../src/crud/index.ts'
import { ConfigError } from '../src/base/errors.ts'
import {
  checkDatabase, checkKitOptions, type CrudResourcesOptions, type CrudRoutesOptions, type KitCheck, type KitOptions,
  metaOf, type RoutesCheck, type UncheckedRoutes,
} from '../src/http/index.ts'
import { crudAccess, type CrudAccessOptions } from './access.ts'
import { crudAdvice, type CrudAdviceOptions } from './advice.ts'
import { crudRoutes, type CrudRoutesPlugin } from './crud-routes.ts'
import { crudDatabase, releaseDatabase } from './database.ts'
import { crudErrors } from './errors.ts'
import { crudHealth } from './health.ts'
import { requestQueryParams } from './query-params.ts'
import { requestEm } from './request-em.ts'
import { serverTiming, type ServerTimingOptions } from './server-timing.ts'

declare module 'fastify' {
  /* eslint-disable @typescript-eslint/no-unused-vars -- the parameters must be those of Fastify's own declaration */
  interface FastifyRegister<
    T = void,
    RawServer extends RawServerBase = RawServerDefault,
    TypeProviderDefault extends FastifyTypeProvider = FastifyTypeProvider,
    LoggerDefault extends FastifyBaseLogger = FastifyBaseLogger
  > {
    /** Registers `crudKit`, and checks the scope of each resource against its entity. */
    <Options extends CrudKitOptions>(
      plugin: CrudKitPlugin,
      options: Options & KitCheck<Options, keyof CrudKitOptions>
    ): T
    /** Registers the routes of a resource, or of several, and checks their scopes against the entities. */
    <Options extends CrudRoutesOptions | CrudResourcesOptions>(
      plugin: CrudRoutesPlugin,
      options: Options & RoutesCheck<Options>
    ): T
    /** Registers the routes of a resource with options that a function makes of the instance. */
    (
      plugin: CrudRoutesPlugin,
      options: (fastify: FastifyInstance) => CrudRoutesOptions | CrudResourcesOptions
    ): T
  }
  /* eslint-enable @typescript-eslint/no-unused-vars */
}

/** The options of `fastify.register(crudKit, ...)`. Either `orm` or `database` is required. */
export interface CrudKitOptions extends KitOptions {}

/** The type of `crudKit`. The member without a value tells it from all other plugins. */
interface CrudKitPlugin {
  (
    fastify: FastifyInstance,
    options: Omit<CrudKitOptions, 'resources'> & {
      readonly resources?: Readonly<Record<string, CrudBase<any> | UncheckedRoutes>>,
    }
  ): Promise<void>
  /** @internal */
  readonly '~plugin': 'crudKit'
}

/** Excludes this file when @fastify/autoload loads the folder, since it would register the other plugins again. */
export const autoload = false

async function register (fastify: FastifyInstance, options: CrudKitOptions): Promise<void> {
  checkKitOptions(options)
  checkDatabase('crudKit', options)
  refuseSecondKit(fastify)
  const { resources = {}, ...shared } = options
  await fastify.register(crudDatabase, shared)
  try {
    for (const plugin of PLUGINS) await fastify.register(plugin, shared)
    await fastify.register(crudRoutes, { resources })
  } catch (error) {
    await releaseDatabase(fastify)
    throw error
  }
}

/** @throws {ConfigError} if the instance, or one around it, has crudKit or one of the plugins that it contains */
function refuseSecondKit (fastify: FastifyInstance): void {
  if (!fastify.hasDecorator('orm')) return
  throw new ConfigError(
    'crudKit: fastify.orm exists already. Register crudKit once. For resources in another place, such as behind a ' +
      'login, register crudRoutes there: fastify.register(crudRoutes, { resources }).'
  )
}

/** The plugins to register after the database. */
const PLUGINS: readonly FastifyPluginAsync<CrudAccessOptions & CrudAdviceOptions & ServerTimingOptions>[] = [
  crudErrors, crudAccess, crudHealth, requestEm, requestQueryParams, serverTiming, crudAdvice,
]

/**
 * The plugin that opens a database and registers the routes of `resources`. It decorates the instance with `orm` and
 * `crudHealth`, requests with `em` and `queryParams`, and adds the shared schema `fastify-crud-kit/error`. Its
 * options are `CrudKitOptions`.
 *
 * @throws {ConfigError} for wrong options, and for whatever `crudRoutes` refuses
 * @throws {UnavailableError} if the database cannot be reached
 * @example
 * await fastify.register(crudKit, {
 *   database: { databaseUrl: 'postgresql://localhost/shop', entities: [Category] },
 *   resources: { '/categories': new CategoryCrud() },
 * })
 */
export const crudKit = fp(register, metaOf('fastify-crud-kit')) as unknown as CrudKitPlugin
export default crudKit
