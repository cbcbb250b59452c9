/** The options of `DatabaseFactory`, their schema, and the check against it. */
import { MetadataError, type AnyEntity, type EntityClass, type EntitySchema } from '@mikro-orm/core'
import type { Options } from '@mikro-orm/postgresql'
import { Type, type Static } from '@sinclair/typebox'
import { ConfigError } from '../base/errors.ts'
import { checkSchema, shown } from '../base/option-checks.ts'
import type { ReplicaOptions } from './replicas/replica-schema.ts'

const closed = { additionalProperties: false }
/** pg's default for the connections of a pool. */
const DEFAULT_MAX = 10

export const PoolOptionsSchema = Type.Object({
  min: Type.Optional(Type.Integer({ minimum: 0, description: 'Connections kept open when idle. Default 0.' })),
  max: Type.Optional(Type.Integer({ minimum: 1, description: 'Largest number of connections. Default 10.' })),
  idleTimeoutMillis: Type.Optional(
    Type.Integer({ minimum: 0, description: 'Time after which an idle connection is closed; 0 never. Default 10000.' })
  ),
  connectionTimeoutMillis: Type.Optional(
    Type.Integer({
      minimum: 0,
      description:
        'Time to wait for a connection, to the server or from the pool, if the URL has no connect_timeout; 0 for ' +
        'ever. Default 10000.',
    })
  ),
  queueLimit: Type.Optional(
    Type.Integer({
      minimum: 0,
      description: 'Requests that may wait for a connection; more are refused at once. Default 1000.',
    })
  ),
  probeAfterMillis: Type.Optional(
    Type.Integer({
      minimum: 0,
      description:
        'Time without an answer to a statement after which the server is asked whether it is still there; 0 ' +
        'never. Default 10000.',
    })
  ),
}, closed)

/** Sizes and times of the connection pool. PGlite has one connection and ignores them. */
export interface PoolOptions extends Static<typeof PoolOptionsSchema> {
  /** Number of connections that stay open when they are idle. Default: 0. */
  min?: number
  /** Maximum number of connections. Default: 10. */
  max?: number
  /** Milliseconds after which an idle connection is closed; 0 for never. Default: 10 000. */
  idleTimeoutMillis?: number
  /**
   * Milliseconds to wait for a connection, to the server or from the pool, if the URL has no `connect_timeout`; 0 for
   * ever. Default: 10 000.
   */
  connectionTimeoutMillis?: number
  /** Number of requests that may wait for a connection. More are refused at once. Default: 1 000. */
  queueLimit?: number
  /**
   * Milliseconds without an answer to a statement after which the server is asked whether it still works; 0 for never.
   * Default: 10 000.
   */
  probeAfterMillis?: number
}

/** Default time in milliseconds after which the server ends a statement. */
export const DEFAULT_STATEMENT_TIMEOUT = 30_000

export const DatabaseOptionsSchema = Type.Object({
  databaseUrl: Type.Optional(
    Type.String({ minLength: 1, description: 'postgresql://..., pglite://<folder> or pglite://memory, the default.' })
  ),
  entities: Type.Array(Type.Unknown(), {
    minItems: 1,
    description: 'Classes or schemas of all entities, related ones included.',
  }),
  useAsync: Type.Optional(
    Type.Boolean({
      description:
        'false: sessions whose methods return values instead of promises, for scripts and the REPL. Default true.',
    })
  ),
  pool: Type.Optional(PoolOptionsSchema),
  applicationName: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 63,
      description:
        "Name of the connections in the server's views and logs, if the URL has no application_name. Default " +
        'fastify-crud-kit. PGlite ignores it.',
    })
  ),
  statementTimeoutMillis: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 2_147_483_647,
      description:
        'Time after which the server ends a statement, if the URL has no statement_timeout; 0 leaves it to the ' +
        'server. Default 30000, or with preparedStatements: false, as for PgBouncer, 0. PGlite ignores it.',
    })
  ),
  preparedStatements: Type.Optional(
    Type.Boolean({
      description: 'Whether statements may be prepared by name. false for PgBouncer in transaction mode. Default true.',
    })
  ),
  replicas: Type.Optional(
    Type.Unsafe<readonly string[] | ReplicaOptions>(
      Type.Any({
        description: 'URLs of servers to read from, or { urls, maxLag, checkInterval, checkTimeout }. Default: none.',
      })
    )
  ),
  schema: Type.Optional(
    Type.Union([Type.Literal('create'), Type.Literal('update')], {
      description:
        "Makes the tables when the database is opened: 'create' adds what is missing, 'update' also alters and " +
        'drops to match the entities. Off by default: for demos and tests.',
    })
  ),
  debug: Type.Optional(
    Type.Union([Type.Boolean(), Type.Array(Type.String())], {
      description: "MikroORM's logging: all of it, or its namespaces.",
    })
  ),
  ormOptions: Type.Optional(Type.Object({}, { description: 'Any other option of MikroORM.' })),
}, closed)

/** The options of `new DatabaseFactory`, and the option `database` of `crudKit`. */
export interface DatabaseOptions<Async extends boolean = true>
  extends Omit<Static<typeof DatabaseOptionsSchema>, 'entities' | 'debug' | 'ormOptions' | 'useAsync'> {
  /**
   * `postgresql://user:password@host:5432/name`, `pglite://<folder>`, or `pglite://memory`, a database in memory.
   * Default: `pglite://memory`.
   */
  databaseUrl?: string
  /** Sizes and times of the connection pool. PGlite has one connection and ignores them. */
  pool?: PoolOptions
  /**
   * Name of the connections in the server's views and logs, if the URL has no `application_name`. PGlite ignores it.
   * Default: fastify-crud-kit.
   */
  applicationName?: string
  /**
   * Milliseconds after which the server ends a statement, if the URL has no `statement_timeout`; 0 leaves it to the
   * server. PGlite ignores it. Default: 30 000, or with `preparedStatements: false`, as for PgBouncer, 0.
   */
  statementTimeoutMillis?: number
  /** Whether statements may be prepared by name. `false` for PgBouncer in transaction mode. Default: true. */
  preparedStatements?: boolean
  /** URLs of servers to read from, or `{ urls, maxLag, checkInterval, checkTimeout }`. Default: none. */
  replicas?: readonly string[] | ReplicaOptions
  /**
   * Makes the tables when the database is opened, for demos and tests: `'create'` adds what is missing. `'update'` also
   * alters and drops columns to match the entities, with the data in them. Default: the tables exist already.
   */
  schema?: 'create' | 'update'
  /** false: sessions whose methods return values instead of promises, for scripts and the REPL. Default: true. */
  readonly useAsync?: Async | undefined
  /** Classes or schemas of all entities, related ones included. */
  readonly entities: ReadonlyArray<EntityClass<AnyEntity> | EntitySchema<any>>
  /** MikroORM's logging: all of it, or its namespaces, e.g. `['query']`. */
  readonly debug?: Options['debug']
  /** Any other option of MikroORM, e.g. `filters`, `namingStrategy`, `subscribers`, `extensions`. */
  readonly ormOptions?: Omit<
    Options,
    keyof Options & ('driver' | 'clientUrl' | 'dbName' | 'entities' | 'pool' | 'replicas' | 'debug')
  >
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
  checkSchema('DatabaseFactory', DatabaseOptionsSchema, options, {
    say: (path) =>
      path === 'entities'
        ? "'entities' must list the entities of the application, such as entities: [Author, Book]."
        : undefined,
    isSecret: (path) => path === 'databaseUrl',
  })
  const { entities } = options as { entities: readonly unknown[] }
  const wrong = entities.findIndex((entity) => !isEntity(entity))
  if (wrong >= 0) {
    throw new ConfigError(
      `DatabaseFactory: entities[${wrong}] is ${
        shown(entities[wrong])
      }, which is not an entity: give its class or schema, not a name or a path`
    )
  }
  const { min = 0, max = DEFAULT_MAX } = (options as { pool?: PoolOptions }).pool ?? {}
  if (min > max) throw new ConfigError(`DatabaseFactory: pool.min is ${min}, more than pool.max, ${max}`)
  const { ormOptions = {} } = options as { ormOptions?: object }
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
