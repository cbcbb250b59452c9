/** The database of a server: an ORM that is given, or one that is opened. */
import type { MikroORM } from '@mikro-orm/postgresql'
import { checkMikroOrm } from '../borrowed/check.ts'
import { DatabaseFactory, isConnected, SyncEngine, type DatabaseOptions, type SharedEngine } from '../database/index.ts'
import { ConfigError } from '../errors.ts'
import { clientOf, limitStatements } from '../run/index.ts'

/** One of `orm` and `database`. */
export interface ServerDatabaseOptions {
  /** An open MikroORM. Its owner closes it. */
  readonly orm?: MikroORM
  /** A database that is opened now and closed with the server; a factory, with the last server that it is given to. */
  readonly database?: DatabaseFactory | DatabaseOptions
  /**
   * Milliseconds after which the server ends a statement on connections of `orm`. Default: the server's own. A database
   * that is opened here has the option in `database`.
   */
  readonly statementTimeoutMillis?: number
}

/**
 * Checks the choice of a database.
 *
 * @param what the subject of messages: `crudKit`
 * @throws {ConfigError} for none, for two, and for one whose sessions are synchronous
 */
export function checkDatabase (what: string, { orm, database, statementTimeoutMillis }: ServerDatabaseOptions): void {
  if (orm !== undefined && database !== undefined) {
    throw new ConfigError(`${what}: give either 'orm' or 'database', not both.`)
  }
  if (orm !== undefined) {
    if ((orm as unknown) instanceof SyncEngine || !isConnected(orm)) {
      throw new ConfigError(`${what}: 'orm' ${SYNC_DATABASE}`)
    }
    return
  }
  if (statementTimeoutMillis !== undefined) {
    throw new ConfigError(`${what}: 'statementTimeoutMillis' is for an 'orm'; write it into 'database'.`)
  }
  if (database === undefined) {
    throw new ConfigError(`${what}: give 'orm', an open MikroORM, or 'database', the options to open one.`)
  }
  if ((database as DatabaseOptions<boolean>).useAsync === false) {
    throw new ConfigError(`${what}: 'database' ${SYNC_DATABASE}`)
  }
}

/**
 * Opens the database of a server, of options that have been checked. An ORM that is given stays open when it is
 * released.
 */
export async function openDatabase (options: ServerDatabaseOptions): Promise<SharedEngine> {
  const { orm, database, statementTimeoutMillis } = options
  if (orm !== undefined) {
    if (statementTimeoutMillis !== undefined) await limitStatements(orm, statementTimeoutMillis)
    return { engine: orm, release: async () => {} }
  }
  const factory = database instanceof DatabaseFactory ? database : new DatabaseFactory(database!)
  return await factory.share()
}

const SYNC_DATABASE =
  'has useAsync: false, which is for scripts: each of its statements would stop all requests until the database has answered. Leave useAsync out.'

/**
 * Prepares the pools of an ORM before MikroORM uses them: an answer that can't be read must not end the process.
 *
 * @returns why the ORM cannot be used, as far as that is known by then: its version of Kysely or pg lacks a borrowed member
 * @throws {ConfigError} when its version of MikroORM lacks one
 */
export function preparePools (orm: MikroORM): () => ConfigError | undefined {
  checkMikroOrm(orm)
  let mistake: ConfigError | undefined
  for (const type of ['write', 'read'] as const) {
    clientOf(orm.em.getConnection(type)).catch((error: unknown) => {
      // requests find out that a database is not there
      if (error instanceof ConfigError) mistake = error
    })
  }
  return () => mistake
}
