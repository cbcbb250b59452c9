/** `DatabaseFactory`: opens a database on first use, makes sessions on it, and closes it. */
import type { EntityManager, MikroORM } from '@mikro-orm/postgresql'
import { doAtOnce } from '../base/steps.ts'
import {
  askDistribution, distributionOf, type Distribution, type ReplicaReport, type ReplicaSet,
} from '../run/index.ts'
import { checkDatabaseOptions, DATABASE_DEFAULTS, type DatabaseOptions } from './database-options.ts'
import { parseDatabaseUrl, type DatabaseTarget } from './database-url.ts'
import { closeDatabase, initUnconnected, openDatabase, type Opened } from './open-database.ts'
import { readReplicas, type Replicas } from './replicas/replica-options.ts'
import { openSync, SyncEngine, SyncSession } from './sync/index.ts'

/** Options of a session: those of `em.fork()`, e.g. the `signal` that cancels its queries. */
type SessionOptions = NonNullable<Parameters<EntityManager['fork']>[0]>
/** Makes a session: a fork of the EntityManager with a separate identity map. */
type SessionMaker = (options?: SessionOptions) => EntityManager
/** Makes a session of a factory with `useAsync: false`. */
type SyncSessionMaker = (options?: Pick<SessionOptions, 'schema' | 'loggerContext'>) => SyncSession

type Opening<Async extends boolean> = Async extends false ? SyncEngine : Promise<MikroORM>
type Making<Async extends boolean> = Async extends false ? SyncSessionMaker : SessionMaker
type Closing<Async extends boolean> = Async extends false ? void : Promise<void>

/** An open database that is shared by several users. It is closed when the last user releases it. */
export interface SharedEngine {
  readonly engine: MikroORM
  /** Releases this user's share. A second call does nothing. */
  readonly release: () => Promise<void>
}

/** Makes the MikroORM instance of a factory for programs that look at its entities. It connects to nothing. */
export let unconnected: (factory: DatabaseFactory) => Promise<MikroORM>

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
  /** The open database. */
  #engine: MikroORM | undefined
  #closing: Promise<void> = Promise.resolve()
  /** The users of `share` that have not released the open database yet. */
  #users = new Set<symbol>()
  #openedSync: SyncEngine | undefined

  /** @throws ConfigError for options or a URL that can't work. */
  constructor (options: DatabaseOptions<Async>) {
    checkDatabaseOptions(options)
    this.#options = { ...options }
    this.#target = parseDatabaseUrl(options.databaseUrl ?? DATABASE_DEFAULTS.databaseUrl)
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
    if (this.#openedSync === undefined) {
      const engine = openSync(this.#options, this.#target)
      this.#openedSync = engine
      const session = new SyncSession(engine, engine.orm.em.fork())
      doAtOnce(askDistribution(session.em, (statement) => session.run(statement)))
    }
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

  /**
   * How the server distributes tables over several nodes: its extension, and the tables. The server is asked when the
   * database is opened. `undefined` for a server that does not distribute tables, and while the database is not open.
   *
   * @example
   * database.distributed?.tables['"task"'] // { kind: 'distributed', column: 'tenant_id' }
   */
  get distributed (): Distribution | undefined {
    const engine = this.#openedSync?.orm ?? this.#engine
    return engine && distributionOf(engine.em)
  }

  /** The states of the replicas, in the order of the option `replicas`. Empty while the database is not open. */
  replicaReports (): ReplicaReport[] {
    return this.#reading?.reports ?? []
  }

  /**
   * Returns the MikroORM instance for one of several users, e.g. the servers of a process. The database is closed when
   * all users have released it. This also closes it for callers of `getEngine`.
   *
   * @throws the errors of `getEngine`. After an error, the caller releases nothing
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
      this.#engine = undefined
      // users of the closed database must not close the next one
      this.#users = new Set()
      this.#closing = closeAfter(this.#closing, opening)
    }
    await this.#closing
  }

  static {
    unconnected = async (factory) => await initUnconnected(factory.#options, factory.#target)
  }

  async #open (): Promise<Opened> {
    await this.#closing.catch(() => {})
    const opened = await openDatabase(this.#options, this.#target, this.#replicas)
    this.#reading = opened.replicas
    this.#engine = opened.engine
    return opened
  }
}

/** Closes a database that may still be opening, after the one that was open before it. */
async function closeAfter (before: Promise<void>, opening: Promise<Opened>): Promise<void> {
  await before.catch(() => {})
  const opened = await opening.catch(() => undefined)
  if (opened !== undefined) await closeDatabase(opened)
}
