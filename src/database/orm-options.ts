/** From the factory's options and a parsed URL to MikroORM's options. */
import type { Options } from '@mikro-orm/postgresql'
import type { Pool } from 'pg'
import { guardPool } from '../run/index.ts'
import type { DatabaseOptions, PoolOptions } from './database-options.ts'
import type { DatabaseTarget, PostgresqlTarget } from './database-url.ts'

/** pg waits for ever for a connection from a pool that is exhausted; a server has to answer before that. */
const CONNECTION_TIMEOUT = 10_000
/** Far more than any answer is worth waiting for, few enough to not fill the memory. */
const QUEUE_LIMIT = 1_000
/** Statements longer than this are rare enough to afford a question each. */
const PROBE_AFTER = 10_000
/** Idle connections are heard of again before a firewall forgets them, and found out when their server has gone. */
const KEEP_ALIVE = { keepAlive: true, keepAliveInitialDelayMillis: 10_000 }

export function toOrmOptions (options: DatabaseOptions, target: DatabaseTarget): Options {
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

function postgresqlOptions ({ pool = {}, ormOptions }: DatabaseOptions, target: PostgresqlTarget): Options {
  const { connectionTimeoutMillis = CONNECTION_TIMEOUT, queueLimit = QUEUE_LIMIT, probeAfterMillis = PROBE_AFTER, ...sizes }: PoolOptions = pool
  const given: unknown = ormOptions?.driverOptions
  return {
    clientUrl: target.url,
    dbName: target.database,
    pool: sizes,
    // a Kysely instance or dialect of the application's own knows its connection already
    driverOptions: isPlain(given)
      ? {
          ...KEEP_ALIVE,
          ...target.connection,
          connectionTimeoutMillis,
          ...given,
          onPoolCreated: (pool: Pool) => {
            guardPool(pool, { queueLimit, probeAfterMillis })
            return given?.onPoolCreated?.(pool)
          },
        }
      : given as NonNullable<Options['driverOptions']>,
  }
}

function isPlain (value: unknown): value is { onPoolCreated?: (pool: Pool) => unknown } | undefined {
  return value === undefined || (typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype)
}
