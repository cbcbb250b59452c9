/** Opens a database for synchronous sessions: entities on this thread, the connection on another. */
import type { MikroORM, Options } from '@mikro-orm/postgresql'
import { ConfigError } from '../../errors.ts'
import { withEntitiesSync, type DatabaseOptions } from '../database-options.ts'
import type { DatabaseTarget } from '../database-url.ts'
import { requireDriver } from '../drivers.ts'
import { toOrmOptions } from '../orm-options.ts'
import { startBridge } from './bridge.ts'
import { noConnection } from './dialect.ts'
import { rememberingFilters } from './filters.ts'
import type { PortableOptions } from './messages.ts'
import { refuseInServer } from './server-guard.ts'
import { SyncEngine } from './sync-session.ts'

/** Options of MikroORM that are about the connection, and can be sent to another thread. */
const CONNECTION_OPTIONS = [
  'driverOptions',
  'password',
  'schema',
  'timezone',
  'forceUtcTimezone',
  'charset',
  'collate',
] as const
/** Those that are functions by nature, which can't. */
const CONNECTION_HOOKS = ['onCreateConnection', 'onReserveConnection'] as const

/**
 * @throws {ConfigError} for options that hold functions for the connection, in a running server, and what `getEngine`
 *   of an asynchronous factory throws
 */
export function openSync (options: DatabaseOptions<boolean>, target: DatabaseTarget): SyncEngine {
  refuseInServer()
  const portable = portableOptions(options)
  const orm = disconnectedOrm(options, target)
  const bridge = startBridge()
  try {
    bridge({ kind: 'open', options: portable })
  } catch (error) {
    // what failed is worth more than what is left of the worker
    try {
      bridge({ kind: 'close' })
    } catch {}
    throw error
  }
  return new SyncEngine(orm, bridge)
}

/** MikroORM with the entities' metadata, which compiles statements and runs none. */
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
      'DatabaseFactory: schema can not be used with useAsync: false. Make the tables before, with a factory that has it and no useAsync; or, in memory, with session.executeScript(await engine.orm.schema.getCreateSchemaSQL()).'
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
  // one statement at a time takes one connection, and what is read after it was written has to be there
  return { ...own, ormOptions: connection, pool: { ...own.pool, min: 0, max: 1 } }
}

function inWorker (name: string, cause?: unknown): ConfigError {
  return new ConfigError(
    `DatabaseFactory: ormOptions.${name} holds a function, which can not be used with useAsync: false: the connection is on a worker thread.`,
    { cause }
  )
}
