/** Opens a database for synchronous sessions: entities on this thread, the connection on another. */
import type { MikroORM, Options } from '@mikro-orm/postgresql'
import { checkSyncSessions } from '../../borrowed/check.ts'
import { rememberingFilters } from '../../borrowed/filters.ts'
import { ConfigError } from '../../base/errors.ts'
import { withEntitiesSync, type DatabaseOptions } from '../database-options.ts'
import type { DatabaseTarget } from '../database-url.ts'
import { requireDriver } from '../drivers.ts'
import { toOrmOptions } from '../orm-options.ts'
import { startBridge } from './bridge.ts'
import { noConnection } from './dialect.ts'
import type { PortableOptions } from './messages.ts'
import { refuseInServer } from './refuse-in-server.ts'
import { SyncEngine } from './sync-session.ts'

/** MikroORM options that concern the connection and can be sent to another thread. */
const CONNECTION_OPTIONS = [
  'driverOptions',
  'password',
  'schema',
  'timezone',
  'forceUtcTimezone',
  'charset',
  'collate',
] as const
/** MikroORM options that are functions, and so can't be sent to another thread. */
const CONNECTION_HOOKS = ['onCreateConnection', 'onReserveConnection'] as const

/**
 * Opens a database for synchronous sessions.
 *
 * @throws {ConfigError} for options that hold functions for the connection, or when a server runs in this process, and
 *   the errors of `getEngine` of an asynchronous factory
 */
export function openSync (options: DatabaseOptions<boolean>, target: DatabaseTarget): SyncEngine {
  refuseInServer()
  checkSyncSessions()
  const portable = portableOptions(options)
  const orm = disconnectedOrm(options, target)
  const bridge = startBridge()
  try {
    bridge({ kind: 'open', options: portable })
  } catch (error) {
    // an error of the cleanup must not replace the error that caused it
    try {
      bridge({ kind: 'close' })
    } catch {}
    throw error
  }
  return new SyncEngine(orm, bridge)
}

/** Makes a MikroORM instance that has the entities' metadata and compiles statements, but has no connection. */
function disconnectedOrm (options: DatabaseOptions<boolean>, target: DatabaseTarget): MikroORM {
  const { MikroORM, EntityManager } = requireDriver(target.driver)
  const ormOptions = {
    ...toOrmOptions(options, target),
    driverOptions: noConnection as NonNullable<Options['driverOptions']>,
  }
  return withEntitiesSync(() =>
    new MikroORM({ ...ormOptions, entityManager: rememberingFilters(ormOptions.entityManager ?? EntityManager) })
  )
}

function portableOptions (
  { entities, schema, debug, useAsync, replicas, ormOptions = {}, ...own }: DatabaseOptions<boolean>
): PortableOptions {
  if (schema !== undefined) {
    throw new ConfigError(
      'DatabaseFactory: schema cannot be used with useAsync: false. Make the tables before, with a factory that ' +
        'has it and no useAsync; or, in memory, with session.executeScript(await ' +
        'engine.orm.schema.getCreateSchemaSQL()).'
    )
  }
  const given: Record<string, unknown> = { ...ormOptions }
  const hook = CONNECTION_HOOKS.find((name) => given[name] !== undefined)
  if (hook !== undefined) throw inWorker(hook)
  const connection = Object.fromEntries(
    CONNECTION_OPTIONS.filter((name) => given[name] !== undefined).map((name) => [name, given[name]])
  )
  for (const [name, value] of Object.entries(connection)) {
    try {
      structuredClone(value)
    } catch (cause) {
      throw inWorker(name, cause)
    }
  }
  // statements run one at a time, so one connection is enough; without replicas, reads always see earlier writes
  return { ...own, ormOptions: connection, pool: { ...own.pool, min: 0, max: 1 } }
}

function inWorker (name: string, cause?: unknown): ConfigError {
  return new ConfigError(
    `DatabaseFactory: ormOptions.${name} holds a function, which cannot be used with useAsync: false: the ` +
      'connection is on a worker thread.',
    { cause }
  )
}
