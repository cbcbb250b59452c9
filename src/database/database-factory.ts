import type { EntityManager, MikroORM, Options } from '@mikro-orm/postgresql'
import { checkMikroOrm } from '../borrowed/check.ts'
import { ConfigError } from '../errors.ts'
import { clientOf, ReplicaSet, type ReplicaReport } from '../run/index.ts'
import { connect, refusesTimeout } from './connect.ts'
import {
  checkDatabaseOptions,
  DEFAULT_STATEMENT_TIMEOUT,
  withEntities,
  type DatabaseOptions,
} from './database-options.ts'
import { parseDatabaseUrl, type DatabaseTarget } from './database-url.ts'
import { loadDriver } from './drivers.ts'
import { lockFolder, type FolderLock } from './folder-lock.ts'
import { replicaOptions, takesTimeout, toOrmOptions } from './orm-options.ts'
import { readReplicas, type Replicas } from './replicas/replica-options.ts'
import { openSync, SyncEngine, SyncSession } from './sync/index.ts'

/** Options of a session: those of `em.fork()`, e.g. the `signal` that cancels its queries. */
export type SessionOptions = NonNullable<Parameters<EntityManager['fork']>[0]>
/** Makes a session: a fork of the EntityManager with a separate identity map. */
export type SessionMaker = (options?: SessionOptions) => EntityManager
/** Makes a session of a factory with `useAsync: false`. */
export type SyncSessionMaker = (options?: Pick<SessionOptions, 'schema' | 'loggerContext'>) => SyncSession

type Opening<Async extends boolean> = Async extends false ? SyncEngine : Promise<MikroORM>
type Making<Async extends boolean> = Async extends false ? SyncSessionMaker : SessionMaker
type Closing<Async extends boolean> = Async extends false ? void : Promise<void>

interface Opened {
  readonly engine: MikroORM
  readonly lock: FolderLock | undefined
  readonly replicas: ReplicaSet | undefined
}

/** An open database that is shared by several users. It is closed when the last user releases it. */
export interface SharedEngine {
  readonly engine: MikroORM
  /** Releases this user's share. A second call does nothing. */
  readonly release: () => Promise<void>
}

/**
 * Opens a database by its URL and keeps it open: PostgreSQL, or PGlite embedded in the process.
 *
 * The URL is `postgresql://...` (with parameters like `sslmode` and `application_name`), `pglite://<folder>` (relative
 * to the working directory, or absolute) or `pglite://memory`, the default. Only one process at a time can open a
 * PGlite folder. PGlite has one connection, so inside a transaction you must use the transaction's EntityManager.
 *
 * @example
 * const database = new DatabaseFactory({ databaseUrl: 'pglite://.data', entities: [Category] })
 * const engine = await database.getEngine()
 * const session = database.getSessionMaker(engine)
 * await session().find(Category, {})
 * await database.close()
 */
export class DatabaseFactory<Async extends boolean = true> {
  /** Whether sessions are EntityManagers, which return promises, or `SyncSession`s, which return values. */
  readonly useAsync: Async
  /** Whether statements may be prepared by name. */
  readonly preparedStatements: boolean
  readonly #options: DatabaseOptions<boolean>
  readonly #target: DatabaseTarget
  readonly #replicas: Replicas | undefined
  #opened: Promise<Opened> | undefined
  /** The replicas of the open database. */
  #reading: ReplicaSet | undefined
  #closing: Promise<void> = Promise.resolve()
  /** The users of `share` that have not released the open database yet. */
  #users = new Set<symbol>()
  #openedSync: SyncEngine | undefined

  /** @throws ConfigError for options or a URL that can't work. */
  constructor (options: DatabaseOptions<Async>) {
    checkDatabaseOptions(options)
    this.#options = { ...options }
    this.#target = parseDatabaseUrl(options.databaseUrl ?? 'pglite://memory')
    this.#replicas = readReplicas(options, this.#target)
    this.useAsync = (options.useAsync ?? true) as Async
    this.preparedStatements = options.preparedStatements ?? true
  }

  /**
   * Returns the connected MikroORM instance. Every call until `close` returns the same one. If opening fails, the next
   * call tries again.
   *
   * @throws ConfigError when the driver's package isn't installed, an entity is invalid, the server refuses the login
   *   or has no such database, the PGlite folder can't be created or another process has it open, replicas can't be
   *   measured, or the installed version of MikroORM, Kysely or pg lacks a method that this package borrows from it.
   * @throws UnavailableError when the database can't be reached.
   */
  getEngine (): Opening<Async> {
    return (this.useAsync ? this.#getEngine() : this.#getSyncEngine()) as Opening<Async>
  }

  #getSyncEngine (): SyncEngine {
    this.#openedSync ??= openSync(this.#options, this.#target)
    return this.#openedSync
  }

  async #getEngine (): Promise<MikroORM> {
    if (this.#opened === undefined) {
      const opening = this.#open()
      this.#opened = opening
      opening.catch(() => {
        if (this.#opened === opening) this.#opened = undefined
      })
    }
    return (await this.#opened).engine
  }

  /**
   * Returns a function that makes sessions on `engine`. On PostgreSQL, a session's `signal` also cancels its queries in
   * the server.
   */
  getSessionMaker (engine: Awaited<Opening<Async>>): Making<Async> {
    return (engine instanceof SyncEngine
      ? (options?: SessionOptions) => new SyncSession(engine, engine.orm.em.fork(options))
      : this.#getSessionMaker(engine as MikroORM)) as Making<Async>
  }

  #getSessionMaker (engine: MikroORM): SessionMaker {
    const cancels = this.#target.driver === 'postgresql'
    return (options = {}) =>
      engine.em.fork(
        cancels && options.signal
          ? { inflightQueryAbortStrategy: 'cancel query', ...options }
          : options
      )
  }

  /** The states of the replicas, in the order of the option `replicas`. Empty while the database is not open. */
  replicaReports (): ReplicaReport[] {
    return this.#reading?.reports ?? []
  }

  /**
   * Returns the MikroORM instance for one of several users, e.g. the servers of a process. The database is closed when
   * all users have released it. This also closes it for callers of `getEngine`.
   *
   * @throws the errors of `getEngine`; after an error there is nothing to release
   */
  async share (): Promise<SharedEngine> {
    const user = Symbol('user')
    // registered before opening, so that another user's release cannot close the database in between
    const users = this.#users
    users.add(user)
    try {
      const engine = await this.#getEngine()
      return {
        engine,
        release: async () => {
          if (users.delete(user) && users.size === 0 && users === this.#users) await this.#close()
        },
      }
    } catch (error) {
      users.delete(user)
      throw error
    }
  }

  /**
   * Closes the connections, even if they are shared. Does nothing when the database is not open. Running statements are
   * finished first. `getEngine` can open the database again afterwards.
   */
  close (): Closing<Async> {
    return (this.useAsync ? this.#close() : this.#closeSync()) as Closing<Async>
  }

  #closeSync (): void {
    this.#openedSync?.close()
    this.#openedSync = undefined
  }

  async #close (): Promise<void> {
    const opening = this.#opened
    if (opening !== undefined) {
      this.#opened = undefined
      this.#reading = undefined
      // users of the closed database must not close the next one
      this.#users = new Set()
      this.#closing = closeAll(this.#closing, opening)
    }
    await this.#closing
  }

  async #open (): Promise<Opened> {
    const target = this.#target
    await this.#closing.catch(() => {})
    const { MikroORM, EntityManager } = await loadDriver(target.driver)
    const lock = target.driver === 'pglite' && target.folder !== undefined ? await this.#lock(target.folder) : undefined
    const replicas = this.#replicas && new ReplicaSet(this.#replicas.settings)
    let engine: MikroORM | undefined
    const init = async (options: DatabaseOptions<boolean>): Promise<MikroORM> => {
      engine = await withEntities(() =>
        MikroORM.init({
          ...toOrmOptions(options, target),
          ...(replicas && replicaOptions(options, this.#replicas!.targets, replicas, EntityManager)),
        })
      )
      checkMikroOrm(engine)
      await connect(engine, target)
      await clientOf(engine.em.getConnection())
      return engine
    }
    try {
      engine = await this.#withTimeout(init, () => engine?.close(true))
      if (this.#options.schema !== undefined) {
        await makeTables(engine, this.#options, target, (options) => MikroORM.init(options))
      }
      await replicas?.start(engine.driver)
      this.#reading = replicas
      return { engine, lock, replicas }
    } catch (error) {
      replicas?.stop()
      await engine?.close(true).catch(() => {})
      await lock?.release()
      throw error
    }
  }

  /** Opens the database with the default statement timeout, or without it if a pooler refuses the setting. */
  async #withTimeout (init: Init, close: () => Promise<void> | undefined): Promise<MikroORM> {
    const options = this.#options
    // PgBouncer refuses statement_timeout, and preparedStatements: false is meant for PgBouncer
    if (options.statementTimeoutMillis !== undefined || options.preparedStatements === false) return await init(options)
    try {
      return await init({ ...options, statementTimeoutMillis: DEFAULT_STATEMENT_TIMEOUT })
    } catch (error) {
      if (!refusesTimeout(error)) throw error
      await close()?.catch(() => {})
      process.emitWarning(NO_TIMEOUT)
      return await init(options)
    }
  }

  async #lock (folder: string): Promise<FolderLock> {
    const lock = await lockFolder(folder)
    if (lock === undefined) {
      throw new ConfigError(
        `DatabaseFactory: ${folder} is already open, in this process or in another one. PGlite serves one process ` +
          'at a time: stop the other one, or use a postgresql:// URL'
      )
    }
    return lock
  }
}

const NO_TIMEOUT = 'DatabaseFactory: the server refuses statement_timeout when connecting, as PgBouncer does: ' +
  'nothing limits how long statements may run. ' +
  "Set it for the role (alter role ... set statement_timeout = '30s') and write statementTimeoutMillis: 0"

type Init = (options: DatabaseOptions<boolean>) => Promise<MikroORM>

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

async function closeAll (before: Promise<void>, opening: Promise<Opened>): Promise<void> {
  await before.catch(() => {})
  const opened = await opening.catch(() => undefined)
  opened?.replicas?.stop()
  try {
    await opened?.engine.close(true)
  } finally {
    await opened?.lock?.release()
  }
}
