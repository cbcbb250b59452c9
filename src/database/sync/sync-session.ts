/** Synchronous sessions: their methods block until the database has answered. */
import type { EntityManager, MikroORM } from '@mikro-orm/postgresql'
import { ConfigError } from '../../base/errors.ts'
import { ignoreRejection, isPromise } from '../../base/or-promise.ts'
import type { EntityModel } from '../../model/index.ts'
import { convertError, Deferred, SAVEPOINT_PREFIX, tellOf, type BoundStatement } from '../../run/index.ts'
import type { Row } from '../../sql/index.ts'
import { toPortableValue, type Bridge, type Command } from './messages.ts'

/** A database that a worker thread has opened. `getEngine()` of a factory with `useAsync: false` returns it. */
export class SyncEngine {
  /** MikroORM with the metadata of the entities, and without a connection: for `crudSchemas` and `addFilter`. */
  readonly orm: MikroORM
  /** @internal The session of the innermost transaction. */
  current: SyncSession | undefined
  readonly #bridge: Bridge
  #closed = false
  /** The work after the commit of the open transaction, if any was expected. */
  #deferred: Deferred | undefined

  /** @internal */
  constructor (orm: MikroORM, bridge: Bridge) {
    this.orm = orm
    this.#bridge = bridge
  }

  /** @internal Sends a command for a session. The session must be the one of the innermost transaction. */
  send (session: SyncSession, command: Command): Row[] {
    refuseInServer()
    if (this.#closed) throw new ConfigError('This synchronous session is closed: its DatabaseFactory has been.')
    if (session.isOver) {
      throw new ConfigError('The transaction of this synchronous session is over: use the session that it began on.')
    }
    // there is one connection, so waiting for the other transaction would be a deadlock
    if (this.current !== undefined && this.current !== session) {
      throw new ConfigError('A transaction is open: use the session that its callback was given.')
    }
    if (command.kind === 'begin') this.#deferred = undefined
    const rows = this.#bridge(command)
    if (command.kind === 'query') this.#deferred?.follow(command.text)
    if (command.kind === 'commit') this.#deferred?.commit()
    return rows
  }

  /** @internal The work after the commit of the open transaction. */
  get deferred (): Deferred {
    this.#deferred ??= new Deferred(this.orm.config)
    return this.#deferred
  }

  /** @internal Does the work after a transaction that has ended. */
  runDeferred (): void {
    const deferred = this.#deferred
    this.#deferred = undefined
    deferred?.runNow()
  }

  /** @internal */
  close (): void {
    if (this.#closed) return
    this.#closed = true
    this.#bridge({ kind: 'close' })
  }
}

/**
 * A session for scripts, seeds and the REPL. If you pass it to a method of `CrudBase` in place of an EntityManager, the
 * method returns a value instead of a promise. The thread is blocked until the database has answered.
 *
 * @example
 * const database = new DatabaseFactory({ databaseUrl, entities, useAsync: false })
 * const session = database.getSessionMaker(database.getEngine())()
 * const page = categories.list(session, parseQueryParams('filter[name]=Tech'))
 * database.close()
 */
export class SyncSession {
  /**
   * For features of MikroORM that need no database: `addFilter`, `setFilterParams`, metadata. It has no connection, so
   * reading or writing with it throws.
   */
  readonly em: EntityManager
  readonly #engine: SyncEngine
  readonly #depth: number
  readonly #outermost: SyncSession
  #isOver = false
  /** The first error of the database in this transaction, which can then only be rolled back. */
  #failure: Error | undefined

  /** @internal */
  constructor (engine: SyncEngine, em: EntityManager, depth = 0, outermost?: SyncSession) {
    this.#engine = engine
    this.em = em
    this.#depth = depth
    this.#outermost = outermost ?? this
  }

  /** @internal The session on which the transaction was begun. It can be used when this one is over. */
  get outermost (): SyncSession {
    return this.#outermost
  }

  /**
   * @internal Follows the transaction of the session.
   * @returns a function for work after the next statement: at once, or after the commit
   */
  followCommit (): (work: () => void) => void {
    if (this.#depth === 0) return (work) => work()
    const { deferred } = this.#engine
    return (work) => deferred.add(work, this.#depth === 1 ? undefined : savepointAt(this.#depth - 1))
  }

  /** @internal Whether the caller can roll back the writes. */
  get isInTransaction (): boolean {
    return this.#depth > 0
  }

  /** @internal */
  get isOver (): boolean {
    return this.#isOver
  }

  /**
   * Runs SQL and returns its rows.
   *
   * @param text one statement, with `$1`, `$2`, ... for the values
   * @throws the errors of `CrudBase` methods. The database's error is their `cause`
   * @example
   * const [row] = session.execute('select count(*)::int as n from category where price > $1', [10])
   */
  execute<Result extends object = Row> (text: string, values: readonly unknown[] = []): Result[] {
    return this.run({ text, values }) as Result[]
  }

  /**
   * Runs SQL of any number of statements, without values.
   *
   * @example
   * session.executeScript(await engine.orm.schema.getCreateSchemaSQL())
   */
  executeScript (text: string): void {
    this.#logged({ text, values: [] }, { kind: 'script', text })
  }

  /**
   * Runs `work` in a transaction, or in a savepoint if a transaction is open. If `work` throws, its writes are undone
   * and the error is rethrown. This also applies to a database error that `work` has caught, because PostgreSQL accepts
   * no further statement in that transaction. While `work` runs, only the session that it receives can be used.
   *
   * @throws {ConfigError} when `work` returns a promise, because the session cannot wait for it. Its writes are undone
   * @example
   * session.transaction((session) => {
   *   const author = authors.create(session, { name: 'Ada' })
   *   articles.create(session, { title: 'Notes', author: author.id })
   * })
   */
  transaction<Result> (work: (session: SyncSession) => Result): Result {
    const outer = this.#engine.current
    const savepoint = savepointAt(this.#depth)
    if (this.#depth === 0) this.#send({ kind: 'begin' })
    else this.execute(`savepoint ${savepoint}`)
    const inner = new SyncSession(this.#engine, this.em, this.#depth + 1, this.#outermost)
    this.#engine.current = inner
    let result: Result
    try {
      result = work(inner)
      refusePromise(result)
      // PostgreSQL would silently roll back instead of committing
      if (inner.#failure !== undefined) throw inner.#failure
    } catch (error) {
      this.#end(inner, outer, () => {
        // the original error matters more than one of the rollback, and a lost connection has rolled back anyway
        try {
          if (this.#depth === 0) this.#send({ kind: 'rollback' })
          else this.execute(`rollback to savepoint ${savepoint}`)
        } catch {}
      })
      throw error
    }
    this.#end(inner, outer, () => {
      if (this.#depth === 0) this.#send({ kind: 'commit' })
      else this.execute(`release savepoint ${savepoint}`)
    })
    if (this.#depth === 0) this.#engine.runDeferred()
    return result
  }

  #end (inner: SyncSession, outer: SyncSession | undefined, finish: () => void): void {
    inner.#isOver = true
    this.#engine.current = outer
    finish()
  }

  /** @internal */
  run (statement: BoundStatement, model?: EntityModel): Row[] {
    return this.#logged(statement, {
      kind: 'query',
      text: statement.text,
      values: statement.values.map(toPortableValue),
    }, model)
  }

  #logged (statement: BoundStatement, command: Command, model?: EntityModel): Row[] {
    const connection = this.em.getConnection()
    const started = performance.now()
    try {
      const rows = this.#send(command, model)
      tellOf(statement, connection, started, rows.length)
      return rows
    } catch (error) {
      tellOf(statement, connection, started, error as Error)
      throw error
    }
  }

  #send (command: Command, model?: EntityModel): Row[] {
    try {
      return this.#engine.send(this, command)
    } catch (error) {
      // a misuse of the session, found before the database was asked
      if (error instanceof ConfigError) throw error
      const converted = convertError(error, model)
      if (this.#depth > 0) this.#failure ??= converted
      throw converted
    }
  }
}

const savepointAt = (depth: number): string => `${SAVEPOINT_PREFIX}${depth}`

function refusePromise (result: unknown): void {
  if (!isPromise(result)) return
  ignoreRejection(result)
  throw new ConfigError(
    'The callback of transaction() must not be async: a synchronous session does not wait for promises.'
  )
}

let servers = 0

/** Registers a running server. Call the returned function when the server has stopped. */
export function serverStarted (): () => void {
  let running = true
  servers++
  return () => {
    if (running) servers--
    running = false
  }
}

/** @throws {ConfigError} while a server runs in this process */
export function refuseInServer (): void {
  if (servers === 0) return
  throw new ConfigError(
    'A synchronous session (useAsync: false) cannot be used while a Fastify server runs in this process: each of ' +
      'its statements would stop all requests until the database has answered. Use request.em or a DatabaseFactory ' +
      'without useAsync: false, and await the result.'
  )
}
