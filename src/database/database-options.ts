/** The options of `DatabaseFactory`, and the check of them. */
import { MetadataError, type AnyEntity, type EntityClass, type EntitySchema } from '@mikro-orm/core'
import type { Options } from '@mikro-orm/postgresql'
import * as Type from '@sinclair/typebox'
import type { Static } from '@sinclair/typebox'
import { ConfigError } from '../base/errors.ts'
import {
  checkSchema,
  closed,
  completed,
  defaultsOf,
  oneOf,
  refusedAs,
  secret,
  shown,
  withDefault,
} from '../base/option-checks.ts'
import type { ReplicaOptions } from './replicas/replica-schema.ts'

const Millis = Type.Integer({ minimum: 0 })

const PoolOptionsSchema = Type.Object({
  /** Number of connections that stay open when they are idle. Default: 0. */
  min: withDefault(Type.Integer({ minimum: 0 }), 0),
  /** Maximum number of connections. Default: 10. */
  max: withDefault(Type.Integer({ minimum: 1 }), 10),
  /** Milliseconds after which an idle connection is closed; 0 for never. Default: 10 000. */
  idleTimeoutMillis: withDefault(Millis, 10_000),
  /**
   * Milliseconds to wait for a connection, to the server or from the pool, if the URL has no `connect_timeout`; 0 for
   * ever. Default: 10 000.
   */
  connectionTimeoutMillis: withDefault(Millis, 10_000),
  // longer than any useful wait, and short enough to not fill the memory
  /** Number of requests that may wait for a connection. More are refused at once. Default: 1 000. */
  queueLimit: withDefault(Type.Integer({ minimum: 0 }), 1_000),
  // longer statements are rare, so one additional question for each is cheap
  /**
   * Milliseconds without an answer to a statement after which the server is asked whether it still works; 0 for never.
   * Default: 10 000.
   */
  probeAfterMillis: withDefault(Millis, 10_000),
}, closed)

/** Sizes and times of the connection pool. PGlite has one connection and ignores them. */
interface PoolOptions extends Static<typeof PoolOptionsSchema> {}

/** The options of the pool, with their defaults. */
export const completePool = (pool: PoolOptions | undefined) => completed(PoolOptionsSchema, pool)

/** The options of MikroORM that options of the factory set. */
type SetByUs = 'driver' | 'clientUrl' | 'dbName' | 'entities' | 'pool' | 'replicas' | 'debug'

const DatabaseOptionsSchema = Type.Object({
  /**
   * `postgresql://user:password@host:5432/name`, `pglite://<folder>`, or `pglite://memory`, a database in memory.
   * Default: `pglite://memory`.
   */
  databaseUrl: withDefault(secret(Type.String({ minLength: 1 })), 'pglite://memory'),
  /** Classes or schemas of all entities, related ones included. */
  entities: refusedAs(
    Type.Unsafe<ReadonlyArray<EntityClass<AnyEntity> | EntitySchema<any>>>(
      Type.Array(Type.Unknown(), { minItems: 1 })
    ),
    () => "'entities' must list the entities of the application, such as entities: [Author, Book]."
  ),
  useAsync: withDefault(Type.Boolean(), true),
  /** Sizes and times of the connection pool. PGlite has one connection and ignores them. */
  pool: Type.Optional(Type.Unsafe<PoolOptions>(PoolOptionsSchema)),
  /**
   * Name of the connections in the server's views and logs, if the URL has no `application_name`. PGlite ignores it.
   * Default: fastify-crud-kit.
   */
  applicationName: withDefault(Type.String({ minLength: 1, maxLength: 63 }), 'fastify-crud-kit'),
  /**
   * Milliseconds after which the server ends a statement, if the URL has no `statement_timeout`; 0 leaves it to the
   * server. PGlite ignores it. Default: 30 000, or with `preparedStatements: false`, as for PgBouncer, 0.
   */
  statementTimeoutMillis: withDefault(Type.Integer({ minimum: 0, maximum: 2 ** 31 - 1 }), 30_000),
  /** Whether statements may be prepared by name. `false` for PgBouncer in transaction mode. Default: true. */
  preparedStatements: withDefault(Type.Boolean(), true),
  /** URLs of servers to read from, or `{ urls, maxLag, checkInterval, checkTimeout }`. Default: none. */
  replicas: Type.Optional(Type.Unsafe<readonly string[] | ReplicaOptions>(Type.Any())),
  /**
   * Makes the tables when the database is opened, for demos and tests: `'create'` adds what is missing. `'update'` also
   * alters and drops columns to match the entities, with the data in them. Default: the tables exist already.
   */
  schema: Type.Optional(oneOf(['create', 'update'])),
  /** MikroORM's logging: all of it, or its namespaces, e.g. `['query']`. Default: false. */
  debug: Type.Optional(Type.Unsafe<Options['debug']>(Type.Union([Type.Boolean(), Type.Array(Type.String())]))),
  /** Any other option of MikroORM, e.g. `filters`, `namingStrategy`, `subscribers`, `extensions`. */
  ormOptions: Type.Optional(Type.Unsafe<Omit<Options, keyof Options & SetByUs>>(Type.Object({}))),
}, closed)

/** The defaults. Most of them also depend on the URL, so they are applied where both are known. */
export const DATABASE_DEFAULTS = defaultsOf(DatabaseOptionsSchema)

/** The options of `new DatabaseFactory`, and the option `database` of `crudKit`. */
export interface DatabaseOptions<Async extends boolean = true>
  extends Omit<Static<typeof DatabaseOptionsSchema>, 'useAsync'> {
  /** `false`: sessions whose methods return values instead of promises, for scripts and the REPL. Default: true. */
  readonly useAsync?: Async | undefined
}

/** MikroORM options that this package sets itself, each with the option to use instead. */
const OWN: Readonly<Record<string, string>> = {
  driver: 'databaseUrl',
  clientUrl: 'databaseUrl',
  dbName: 'databaseUrl',
  host: 'databaseUrl',
  port: 'databaseUrl',
  user: 'databaseUrl',
  entities: 'entities',
  pool: 'pool',
  replicas: 'replicas',
  debug: 'debug',
}

/**
 * Refuses options that can't work.
 *
 * @throws ConfigError names the first one, and the option that was probably meant.
 */
export function checkDatabaseOptions (options: unknown): asserts options is DatabaseOptions<boolean> {
  checkSchema('DatabaseFactory', Type.Object({}), options)
  // an unset environment variable must not silently open a database in memory that loses its data
  if ('databaseUrl' in options && (options.databaseUrl === undefined || options.databaseUrl === '')) {
    throw new ConfigError(
      'DatabaseFactory: databaseUrl is empty: is an environment variable not set? Leave the option out, or write ' +
        "'pglite://memory', for a database in memory"
    )
  }
  checkSchema('DatabaseFactory', DatabaseOptionsSchema, options)
  const { entities, ormOptions = {} } = options
  const wrong = entities.findIndex((entity) => !isEntity(entity))
  if (wrong >= 0) {
    throw new ConfigError(
      `DatabaseFactory: entities[${wrong}] is ${
        shown(entities[wrong])
      }, which is not an entity: give its class or schema, not a name or a path`
    )
  }
  const { min, max } = completePool(options.pool)
  if (min > max) throw new ConfigError(`DatabaseFactory: pool.min is ${min}, more than pool.max, ${max}`)
  const own = Object.keys(ormOptions).find((name) => name in OWN)
  if (own !== undefined) throw new ConfigError(`DatabaseFactory: ormOptions.${own} is set by the option '${OWN[own]}'`)
}

/** Accepts a class, or a schema of any installed copy of MikroORM. */
const isEntity = (value: unknown): boolean =>
  typeof value === 'function' || (typeof value === 'object' && value !== null && 'meta' in value)

/** Creates a MikroORM instance, and reports mistakes in entities as mistakes in the factory's options. */
export async function withEntities<Result> (init: () => Promise<Result>): Promise<Result> {
  try {
    return await init()
  } catch (error) {
    throw refusedEntities(error)
  }
}

/** Does the same without a promise. */
export function withEntitiesSync<Result> (init: () => Result): Result {
  try {
    return init()
  } catch (error) {
    throw refusedEntities(error)
  }
}

function refusedEntities (error: unknown): unknown {
  return error instanceof MetadataError
    ? new ConfigError(`DatabaseFactory: entities: ${error.message}`, { cause: error })
    : error
}
