/** The plugin: a database for the server, an EntityManager and a parsed query for each request, routes for each resource. */
import type { EntityManager, MikroORM } from '@mikro-orm/postgresql'
import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { CrudBase } from '../src/crud/index.ts'
import {
  DatabaseFactory,
  isConnected,
  serverStarted,
  SyncEngine,
  type DatabaseOptions,
  type SharedEngine,
} from '../src/database/index.ts'
import { ConfigError } from '../src/errors.ts'
import type { QueryParams } from '../src/query/index.ts'
import { clientOf, limitStatements } from '../src/run/index.ts'
import { crudRoutes, type CrudRoutesOptions } from './crud-routes.ts'
import { convertDatabaseErrors } from './database-errors.ts'
import { ErrorSchema } from './error-schema.ts'
import { warnOfUnguarded } from './guard-advice.ts'
import { giveIndexAdvice } from './index-advice.ts'
import { decorateHealth, type CrudHealth } from './health.ts'
import { checkOptions, CrudKitOptionsSchema } from './options.ts'
import { decorateQueryParams } from './query-params.ts'
import { decorateEm } from './request-em.ts'
import { decorateServerTiming } from './server-timing.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** The MikroORM that resources are read from. */
    readonly orm: MikroORM
    /** The state of the database, within two seconds unless told otherwise. Never rejects: a database that is down is an answer. */
    readonly crudHealth: CrudHealth
  }

  // here, and not beside what decorates: declarations that nothing exported refers to are left out of the package
  interface FastifyRequest {
    /** An EntityManager of this request's own. Its queries are cancelled in the server when the client goes away. */
    readonly em: EntityManager
    /** The query string in the grammar of filters, sorts, fields, includes and pagination. Never throws: see its `errors`. */
    readonly queryParams: QueryParams
  }
}

/** A resource: its CRUD class, or with options of its routes. */
export type ResourceOptions = CrudBase<any> | CrudRoutesOptions

/** What `fastify.register(crudKit, ...)` takes: one of `orm` and `database`. */
export interface CrudKitOptions {
  /** An open MikroORM. Its owner closes it. */
  readonly orm?: MikroORM
  /** A database that is opened now and closed with the server; a factory, with the last server that it is given to. */
  readonly database?: DatabaseFactory | DatabaseOptions
  /**
   * Milliseconds after which the server ends a statement on connections of `orm`. Default: the server's own. A database that is
   * opened here has the option in `database`.
   */
  readonly statementTimeoutMillis?: number
  /** Resources by prefix. */
  readonly resources?: Readonly<Record<string, ResourceOptions>>
  /**
   * When the server listens, log a warning for each filter, sort and include that no index serves, with the statement
   * that creates one. Default: true.
   */
  readonly indexAdvice?: boolean
  /**
   * Names of entities whose rows everybody may use. The server warns of other entities that a resource with a scope leads
   * to, and that no MikroORM filter guards.
   */
  readonly shared?: readonly string[]
  /**
   * Send how long the stages of a request took, as the header Server-Timing: `parse`, `plan`, `compile` and `run`, in
   * milliseconds. They tell clients something about the data. A resource may say otherwise. Default: false.
   */
  readonly serverTiming?: boolean
}

async function register (fastify: FastifyInstance, options: CrudKitOptions): Promise<void> {
  checkOptions('crudKit', CrudKitOptionsSchema, options)
  const { engine, release } = await openDatabase(options)
  fastify.addHook('onClose', release)
  refuseSyncSessions(fastify)
  try {
    surviveAnswers(engine)
    fastify.decorate('orm', engine)
    convertDatabaseErrors(fastify, engine)
    decorateHealth(fastify, engine)
    decorateEm(fastify, engine)
    decorateQueryParams(fastify)
    decorateServerTiming(fastify, options.serverTiming === true)
    fastify.addSchema(ErrorSchema)
    warnOfUnguarded(fastify, engine.em, options.shared ?? [])
    if (options.indexAdvice !== false) giveIndexAdvice(fastify)
    for (const [prefix, resource] of Object.entries(options.resources ?? {})) {
      const routes = resource instanceof CrudBase ? { crud: resource } : resource
      await fastify.register(crudRoutes, { ...routes, prefix })
    }
  } catch (error) {
    // a server that has not started is seldom closed
    await release()
    throw error
  }
}

/** An ORM that is given is its owner's to close; a database is closed with the last server that uses it. */
async function openDatabase ({ orm, database, statementTimeoutMillis }: CrudKitOptions): Promise<SharedEngine> {
  if (orm !== undefined && database !== undefined) {
    throw new ConfigError("crudKit: give either 'orm' or 'database', not both.")
  }
  if (orm !== undefined) {
    if ((orm as unknown) instanceof SyncEngine || !isConnected(orm)) {
      throw new ConfigError(`crudKit: 'orm' ${SYNC_DATABASE}`)
    }
    if (statementTimeoutMillis !== undefined) await limitStatements(orm, statementTimeoutMillis)
    return { engine: orm, release: async () => {} }
  }
  if (statementTimeoutMillis !== undefined) {
    throw new ConfigError("crudKit: 'statementTimeoutMillis' is for an 'orm'; write it into 'database'.")
  }
  if (database === undefined) {
    throw new ConfigError("crudKit: give 'orm', an open MikroORM, or 'database', the options to open one.")
  }
  if ((database as DatabaseOptions<boolean>).useAsync === false) {
    throw new ConfigError(`crudKit: 'database' ${SYNC_DATABASE}`)
  }
  const factory = database instanceof DatabaseFactory ? database : new DatabaseFactory(database)
  return await factory.share()
}

const SYNC_DATABASE =
  'has useAsync: false, which is for scripts: each of its statements would stop all requests until the database has answered. Leave useAsync out.'

/** Prepares the pools of an ORM before MikroORM uses them: an answer that can't be read must not end the process. */
function surviveAnswers ({ em }: MikroORM): void {
  for (const type of ['write', 'read'] as const) clientOf(em.getConnection(type))
}

/** From when it can answer requests until it is closed. */
function refuseSyncSessions (fastify: FastifyInstance): void {
  let stopped = (): void => {}
  fastify.addHook('onReady', async () => {
    stopped = serverStarted()
  })
  fastify.addHook('onClose', async () => stopped())
}

/**
 * The plugin. It decorates the instance with `orm` and `crudHealth`, requests with `em` and `queryParams`, adds the shared schema
 * `fastify-crud-kit/error`, and registers the routes of `resources`.
 *
 * @example
 * await fastify.register(crudKit, {
 *   database: { databaseUrl: 'postgresql://localhost/shop', entities: [Category] },
 *   resources: { '/categories': new CategoryCrud() },
 * })
 */
export const crudKit = fp(register, { name: 'fastify-crud-kit', fastify: '>=5.8 <7' })
export default crudKit
