/** Opens a database for synchronous sessions: entities on this thread, the connection on another. */
import path from 'node:path'
import type * as Synckit from 'synckit'
import type { EntityManager, MikroORM, Options } from '@mikro-orm/postgresql'
import {
  DummyDriver, PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler, type DatabaseConnection, type Dialect,
} from 'kysely'
import { createRequire } from 'node:module'
import { checkSyncSessions } from '../../borrowed/check-borrowed.ts'
import { CONNECTION_HOOKS } from '../../borrowed/mikro-orm.ts'
import { rememberingFilters } from '../../borrowed/mikro-orm-filters.ts'
import { ConfigError, UnavailableError } from '../../base/errors.ts'
import { withEntitiesSync, type DatabaseOptions } from '../database-options.ts'
import type { DatabaseTarget } from '../database-url.ts'
import { requireDriver } from '../drivers.ts'
import { toOrmOptions } from '../orm-options.ts'
import { fromPlainError, type Bridge, type Command, type PortableOptions, type Reply } from './messages.ts'
import { refuseInServer, SyncEngine } from './sync-session.ts'

/** MikroORM options that concern the connection and can be sent to another thread. */
const CONNECTION_OPTIONS = [
  'driverOptions', 'password', 'schema', 'timezone', 'forceUtcTimezone', 'charset', 'collate',
] as const

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
  // functions cannot be sent to another thread
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
  // statements run one at a time, so one connection is enough. Without replicas, reads always see earlier writes
  return { ...own, ormOptions: connection, pool: { ...own.pool, min: 0, max: 1 } }
}

function inWorker (name: string, cause?: unknown): ConfigError {
  return new ConfigError(
    `DatabaseFactory: ormOptions.${name} holds a function, which cannot be used with useAsync: false: the ` +
      'connection is on a worker thread.',
    { cause }
  )
}

class NoDriver extends DummyDriver {
  override async acquireConnection (): Promise<DatabaseConnection> {
    throw new ConfigError(
      'This EntityManager belongs to a synchronous session (useAsync: false) and has no connection: use the ' +
        'methods of CrudBase, or session.execute.'
    )
  }
}

const noConnection: Dialect = {
  createDriver: () => new NoDriver(),
  createAdapter: () => new PostgresAdapter(),
  createQueryCompiler: () => new PostgresQueryCompiler(),
  createIntrospector: (db) => new PostgresIntrospector(db),
}

/** Whether an ORM, or an EntityManager of it, has a connection. Those of a synchronous session have none. */
export function isConnected (orm: MikroORM | EntityManager): boolean {
  const config = orm.config as MikroORM['config']
  // MikroORM copies the dialect that it is given, so compare its functions
  return (config.get('driverOptions') as Partial<Dialect> | undefined)?.createDriver !== noConnection.createDriver
}

const require = createRequire(import.meta.url)
/** The worker's file: TypeScript in this repository, JavaScript in the published package. */
const WORKER = path.join(import.meta.dirname, `worker${path.extname(import.meta.filename)}`)

/** Starts a separate worker thread. It does not keep the process alive. */
function startBridge (): Bridge {
  // loaded here, because servers never need it
  const { startWorkerThread } = require('synckit') as typeof Synckit
  const send = startWorkerThread<(command: Command) => Promise<Reply>, Reply>(WORKER, { execArgv: [] })
  return (command) => {
    const reply = ask(send, command)
    if ('error' in reply) throw fromPlainError(reply.error)
    return reply.rows
  }
}

function ask (send: (command: Command) => Reply, command: Command): Reply {
  try {
    return send(command)
  } catch (cause) {
    const { name, message } = cause as Error
    if (name === 'DataCloneError') throw new ConfigError(`A worker thread can't be given this: ${message}`, { cause })
    throw new UnavailableError(`The worker thread of the synchronous sessions has ended: ${message}`, { cause })
  }
}
