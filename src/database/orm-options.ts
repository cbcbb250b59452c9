/** From the factory's options and a parsed URL to MikroORM's options. */
import type { EntityManager, Options } from '@mikro-orm/postgresql'
import type { Pool } from 'pg'
import { guardPool, readingFrom, type ReplicaSet } from '../run/index.ts'
import type { DatabaseOptions } from './database-options.ts'
import type { DatabaseTarget, PostgresqlTarget } from './database-url.ts'

/** pg waits for ever for a connection from a pool that is exhausted; a server has to answer before that. */
const CONNECTION_TIMEOUT = 10_000
/** Far more than any answer is worth waiting for, few enough to not fill the memory. */
const QUEUE_LIMIT = 1_000
/** Statements longer than this are rare enough to afford a question each. */
const PROBE_AFTER = 10_000
/** Who we are in pg_stat_activity, where nobody says better. */
const APPLICATION_NAME = 'fastify-crud-kit'
/** Idle connections are heard of again before a firewall forgets them, and found out when their server has gone. */
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
  const { min, max, idleTimeoutMillis } = options.pool ?? {}
  return {
    ...connectionOptions(options, target),
    ...(target.schema !== undefined && { schema: target.schema }),
    pool: {
      ...(min !== undefined && { min }),
      ...(max !== undefined && { max }),
      ...(idleTimeoutMillis !== undefined && { idleTimeoutMillis }),
    },
  }
}

/** Where a server is and how to connect to it. The sizes of pools are the same for all servers. */
function connectionOptions (
  options: DatabaseOptions<boolean>,
  target: PostgresqlTarget
): Pick<Options, 'clientUrl' | 'dbName' | 'driverOptions'> {
  const given: unknown = options.ormOptions?.driverOptions
  return {
    // where to is in the driver's options, and a URL with a password would be one more place that could show it
    clientUrl: `postgresql:///${encodeURIComponent(target.database)}`,
    dbName: target.database,
    // a Kysely instance or dialect of the application's own knows its connection already
    driverOptions: isPlain(given)
      ? driverOptions(options, target, given)
      : given as NonNullable<Options['driverOptions']>,
  }
}

type EntityManagerClass = new(...args: any[]) => EntityManager

/**
 * MikroORM's options for replicas beside those of the writer. MikroORM opens and closes their connections; which of them
 * is read from is decided by `replicas`.
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

/** What pg is given: for the connection, and when it has made the pool. */
function driverOptions (
  { pool = {}, applicationName, statementTimeoutMillis, preparedStatements }: DatabaseOptions<boolean>,
  target: PostgresqlTarget,
  given: Given = {}
): object {
  const { connectionTimeoutMillis = CONNECTION_TIMEOUT, queueLimit = QUEUE_LIMIT, probeAfterMillis = PROBE_AFTER } =
    pool
  return {
    ...KEEP_ALIVE,
    fallback_application_name: APPLICATION_NAME,
    ...(applicationName !== undefined && { application_name: applicationName }),
    // pg does not send 0, which leaves the limit to the server
    ...(statementTimeoutMillis !== undefined && { statement_timeout: statementTimeoutMillis }),
    // the URL is the operator's, who has the last word
    ...target.connection,
    connectionTimeoutMillis: target.connectionTimeoutMillis ?? connectionTimeoutMillis,
    ...given,
    onPoolCreated: (pool: Pool) => {
      guardPool(pool, { queueLimit, probeAfterMillis, ...(preparedStatements !== undefined && { preparedStatements }) })
      return given.onPoolCreated?.(pool)
    },
  }
}

/** Whether connections are given a limit of statements by these options: not PGlite's, nor those that the application makes. */
export function takesTimeout (
  { ormOptions, statementTimeoutMillis, preparedStatements }: DatabaseOptions<boolean>,
  target: DatabaseTarget
): boolean {
  if (
    target.driver === 'pglite' || target.connection.statement_timeout !== undefined ||
    !isPlain(ormOptions?.driverOptions)
  ) return false
  return statementTimeoutMillis === undefined ? preparedStatements !== false : statementTimeoutMillis > 0
}

interface Given {
  readonly onPoolCreated?: (pool: Pool) => unknown
}

export function isPlain (value: unknown): value is Given | undefined {
  return value === undefined ||
    (typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype)
}
