/** Converts the factory's options and a parsed URL to MikroORM's options. */
import type { Options } from '@mikro-orm/postgresql'
import type { Pool } from 'pg'
import type { EntityManagerClass } from '../borrowed/mikro-orm.ts'
import { guardPool, readingFrom, type ReplicaSet } from '../run/index.ts'
import { completePool, DATABASE_DEFAULTS, type DatabaseOptions } from './database-options.ts'
import type { DatabaseTarget, PostgresqlTarget } from './database-url.ts'

/** Keeps firewalls from dropping idle connections, and detects servers that have gone. */
const KEEP_ALIVE = { keepAlive: true, keepAliveInitialDelayMillis: 10_000 }

export function toOrmOptions (options: DatabaseOptions<boolean>, target: DatabaseTarget): Options {
  const { entities, ormOptions, debug } = options
  return {
    // MikroORM would create a database whose name is mistyped
    ensureDatabase: false,
    ...ormOptions,
    entities: [...entities] as NonNullable<Options['entities']>,
    ...(debug !== undefined && { debug }),
    ...(target.driver === 'pglite' ? { dbName: target.folder ?? 'memory://' } : postgresqlOptions(options, target)),
  }
}

function postgresqlOptions (options: DatabaseOptions<boolean>, target: PostgresqlTarget): Options {
  const { min, max, idleTimeoutMillis } = completePool(options.pool)
  return {
    ...connectionOptions(options, target),
    ...(target.schema !== undefined && { schema: target.schema }),
    pool: { min, max, idleTimeoutMillis },
  }
}

/** The address of a server and how to connect to it. The pool's sizes are the same for all servers. */
function connectionOptions (
  options: DatabaseOptions<boolean>,
  target: PostgresqlTarget
): Pick<Options, 'clientUrl' | 'dbName' | 'driverOptions'> {
  const given: unknown = options.ormOptions?.driverOptions
  return {
    // the address is in driverOptions, because a URL with the password could show up in messages and logs
    clientUrl: `postgresql:///${encodeURIComponent(target.database)}`,
    dbName: target.database,
    // a Kysely instance or dialect of the application has its connection already
    driverOptions: isSettings(given)
      ? driverOptions(options, target, given)
      : given as NonNullable<Options['driverOptions']>,
  }
}

/**
 * MikroORM's additional options for replicas. MikroORM opens and closes their connections, and `replicas` decides which
 * one a statement reads from.
 *
 * @param Default the driver's class of EntityManagers
 */
export function replicaOptions (
  options: DatabaseOptions<boolean>,
  targets: readonly PostgresqlTarget[],
  replicas: ReplicaSet,
  Default: EntityManagerClass
): Partial<Options> {
  return {
    replicas: targets.map((target) =>
      ({ ...connectionOptions(options, target), name: target.label }) as NonNullable<Options['replicas']>[number]
    ),
    entityManager: readingFrom(
      replicas,
      (options.ormOptions?.entityManager as EntityManagerClass | undefined) ?? Default
    ),
  }
}

/** The options for pg, and the hook that runs after pg has created the pool. */
function driverOptions (
  { pool, applicationName, statementTimeoutMillis, preparedStatements }: DatabaseOptions<boolean>,
  target: PostgresqlTarget,
  given: Given = {}
): object {
  const { connectionTimeoutMillis, queueLimit, probeAfterMillis } = completePool(pool)
  return {
    ...KEEP_ALIVE,
    fallback_application_name: DATABASE_DEFAULTS.applicationName,
    ...(applicationName !== undefined && { application_name: applicationName }),
    // pg does not send 0, which leaves the limit to the server
    ...(statementTimeoutMillis !== undefined && { statement_timeout: statementTimeoutMillis }),
    // the URL takes precedence, because operators set it
    ...target.connection,
    connectionTimeoutMillis: target.connectionTimeoutMillis ?? connectionTimeoutMillis,
    ...given,
    onPoolCreated: (pool: Pool) => {
      guardPool(pool, { queueLimit, probeAfterMillis, ...(preparedStatements !== undefined && { preparedStatements }) })
      return given.onPoolCreated?.(pool)
    },
  }
}

/**
 * Whether these options set a statement timeout on connections. PGlite and connections that the application makes have
 * none.
 */
export function takesTimeout (
  { ormOptions, statementTimeoutMillis, preparedStatements }: DatabaseOptions<boolean>,
  target: DatabaseTarget
): boolean {
  if (
    target.driver === 'pglite' || target.connection.statement_timeout !== undefined ||
    !isSettings(ormOptions?.driverOptions)
  ) return false
  return statementTimeoutMillis === undefined ? preparedStatements !== false : statementTimeoutMillis > 0
}

interface Given {
  readonly onPoolCreated?: (pool: Pool) => unknown
}

export function isSettings (value: unknown): value is Given | undefined {
  return value === undefined ||
    (typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype)
}
