/** Opens the database of a factory, and closes it: its lock, its connections, its tables and its replicas. */
import type { MikroORM, Options } from '@mikro-orm/postgresql'
import { checkMikroOrm } from '../borrowed/check-borrowed.ts'
import { ConfigError } from '../base/errors.ts'
import { doInTurn } from '../base/steps.ts'
import { askDistribution, clientOf, ReplicaSet, run } from '../run/index.ts'
import { connect, refusesTimeout } from './connect.ts'
import { DATABASE_DEFAULTS, withEntities, type DatabaseOptions } from './database-options.ts'
import type { DatabaseTarget } from './database-url.ts'
import { loadDriver } from './drivers.ts'
import { lockFolder, type FolderLock } from './folder-lock.ts'
import { replicaOptions, takesTimeout, toOrmOptions } from './orm-options.ts'
import type { Replicas } from './replicas/replica-options.ts'

export interface Opened {
  readonly engine: MikroORM
  readonly lock: FolderLock | undefined
  readonly replicas: ReplicaSet | undefined
}

/**
 * Opens a database, creates its tables if the options say so, and starts the checks of its replicas.
 *
 * @throws the errors of `DatabaseFactory.getEngine`. Then nothing stays open.
 */
export async function openDatabase (
  options: DatabaseOptions<boolean>,
  target: DatabaseTarget,
  given: Replicas | undefined
): Promise<Opened> {
  const { MikroORM, EntityManager } = await loadDriver(target.driver)
  const lock = target.driver === 'pglite' && target.folder !== undefined ? await lockOf(target.folder) : undefined
  const replicas = given && new ReplicaSet(given.settings)
  let engine: MikroORM | undefined
  const init = async (options: DatabaseOptions<boolean>): Promise<MikroORM> => {
    engine = await withEntities(() =>
      MikroORM.init({
        ...toOrmOptions(options, target),
        ...(replicas && replicaOptions(options, given!.targets, replicas, EntityManager)),
      })
    )
    checkMikroOrm(engine)
    await connect(engine, target)
    await clientOf(engine.em.getConnection())
    return engine
  }
  try {
    engine = await initWithTimeout(options, init, () => engine?.close(true))
    if (options.schema !== undefined) await makeTables(engine, options, target, (options) => MikroORM.init(options))
    const { em } = engine
    await doInTurn(askDistribution(em, (statement) => run(em, statement)))
    await replicas?.start(engine.driver)
    return { engine, lock, replicas }
  } catch (error) {
    replicas?.stop()
    await engine?.close(true).catch(() => {})
    await lock?.release()
    throw error
  }
}

/** Makes a MikroORM instance that has read its entities, and has not connected to its database. */
export async function initUnconnected (
  options: DatabaseOptions<boolean>,
  target: DatabaseTarget
): Promise<MikroORM> {
  const { MikroORM } = await loadDriver(target.driver)
  const engine = await withEntities(() => MikroORM.init(toOrmOptions(options, target)))
  checkMikroOrm(engine)
  return engine
}

/** Finishes the running statements of a database and closes it. */
export async function closeDatabase ({ engine, lock, replicas }: Opened): Promise<void> {
  replicas?.stop()
  try {
    await engine.close(true)
  } finally {
    await lock?.release()
  }
}

async function lockOf (folder: string): Promise<FolderLock> {
  const lock = await lockFolder(folder)
  if (lock === undefined) {
    throw new ConfigError(
      `DatabaseFactory: ${folder} is already open, in this process or in another one. PGlite serves one process ` +
        'at a time: stop the other one, or use a postgresql:// URL'
    )
  }
  return lock
}

const NO_TIMEOUT = 'DatabaseFactory: the server refuses statement_timeout when connecting, as PgBouncer does: ' +
  'nothing limits how long statements may run. ' +
  "Set it for the role (alter role ... set statement_timeout = '30s') and write statementTimeoutMillis: 0"

/** Connects with the default statement timeout, or without it if a pooler refuses the setting. */
async function initWithTimeout (
  options: DatabaseOptions<boolean>,
  init: (options: DatabaseOptions<boolean>) => Promise<MikroORM>,
  close: () => Promise<void> | undefined
): Promise<MikroORM> {
  // PgBouncer refuses statement_timeout, and preparedStatements: false is meant for PgBouncer
  if (options.statementTimeoutMillis !== undefined || options.preparedStatements === false) return await init(options)
  try {
    return await init({ ...options, statementTimeoutMillis: DATABASE_DEFAULTS.statementTimeoutMillis })
  } catch (error) {
    if (!refusesTimeout(error)) throw error
    await close()?.catch(() => {})
    process.emitWarning(NO_TIMEOUT)
    return await init(options)
  }
}

/**
 * Creates the tables. The statement timeout is meant for requests, and a new index on a large table may take longer, so
 * the statements run on a separate connection without the limit.
 */
async function makeTables (
  engine: MikroORM,
  options: DatabaseOptions<boolean>,
  target: DatabaseTarget,
  init: (options: Options) => Promise<MikroORM>
): Promise<void> {
  const update = (orm: MikroORM): Promise<void> => orm.schema.update({ safe: options.schema === 'create' })
  if (!takesTimeout(options, target)) return await update(engine)
  const unlimited = await withEntities(() => init(toOrmOptions({ ...options, statementTimeoutMillis: 0 }, target)))
  try {
    await update(unlimited)
  } finally {
    await unlimited.close(true)
  }
}
