/** The database of a server: an open ORM of the application, or one that the plugin opens. */
import type { MikroORM } from '@mikro-orm/postgresql'
import type { FastifyBaseLogger } from 'fastify'
import { checkMikroOrm } from '../borrowed/check-borrowed.ts'
import {
  DatabaseFactory, isConnected, isEntityManager, SyncEngine, type DatabaseOptions, type SharedEngine, unconnected,
} from '../database/index.ts'
import { ConfigError, UnavailableError } from '../base/errors.ts'
import { isObject } from '../base/is-object.ts'
import { shown } from '../base/option-checks.ts'
import { isPromise } from '../base/or-promise.ts'
import { waitAtStart } from '../base/start-patience.ts'
import { knowRules } from '../resource/index.ts'
import { doInTurn } from '../base/steps.ts'
import { askDistributionAgain, clientOf, limitStatements, run } from '../run/index.ts'
import type { KitOptions } from './plugin-options.ts'

/** The options for a server's database: either `orm` or `database`. */
export interface ServerDatabaseOptions extends Pick<KitOptions, 'orm' | 'database' | 'statementTimeoutMillis'> {}

/**
 * Checks the choice of a database.
 *
 * @param what the subject of messages: `crudKit`
 * @throws {ConfigError} if neither or both are given, or if the sessions of the database are synchronous
 */
export function checkDatabase (what: string, { orm, database, statementTimeoutMillis }: ServerDatabaseOptions): void {
  if (orm !== undefined && database !== undefined) {
    throw new ConfigError(`${what}: give either 'orm' or 'database', not both.`)
  }
  if (orm !== undefined) {
    const sync = (orm as unknown) instanceof SyncEngine
    if (!sync) checkOrm(what, orm)
    if (sync || !isConnected(orm)) throw new ConfigError(`${what}: 'orm' ${SYNC_DATABASE}`)
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

/** Refuses values that are not a MikroORM, and says how to get one. */
function checkOrm (what: string, orm: unknown): void {
  if (isObject(orm) && 'config' in orm && isEntityManager(orm['em'])) return
  const hint = isEntityManager(orm)
    ? 'got its EntityManager: pass orm, not orm.em.'
    : isObject(orm) && isPromise(orm)
      ? 'got a promise: write orm: await MikroORM.init(...).'
      : `got ${shown(orm)}. To open a database by options, pass them as 'database'.`
  throw new ConfigError(`${what}: 'orm' must be an open MikroORM, the result of await MikroORM.init(...); ${hint}`)
}

/**
 * Opens the database of a server. The options must have been checked. An ORM of the application stays open when it is
 * released.
 *
 * @param report takes errors of connections on which `statementTimeoutMillis` could not be set
 */
export async function openDatabaseOf (
  options: ServerDatabaseOptions,
  report: (error: unknown) => void
): Promise<SharedEngine> {
  const { orm, database, statementTimeoutMillis } = options
  if (orm !== undefined) {
    if (statementTimeoutMillis !== undefined) await limitStatements(orm, statementTimeoutMillis, report)
    return { engine: orm, release: async () => {} }
  }
  const factory = database instanceof DatabaseFactory ? database : new DatabaseFactory(database!)
  return await factory.share()
}

/** The ORM of a server that does not ask its database. */
export async function unconnectedOrmOf ({ orm, database }: ServerDatabaseOptions): Promise<MikroORM> {
  return orm ?? await unconnected(database instanceof DatabaseFactory ? database : new DatabaseFactory(database!))
}

const SYNC_DATABASE =
  'has useAsync: false, which is for scripts: each of its statements would stop all requests until the database has ' +
  'answered. Leave useAsync out.'

/**
 * Asks the server of an ORM whether it distributes tables, and which. It may have been asked before migrations ran. If
 * it does not answer, the first write asks again, unless an earlier answer is known.
 */
export async function askServer (orm: MikroORM): Promise<void> {
  const em = orm.em.fork()
  const asked = doInTurn(askDistributionAgain(em, (statement) => run(em, statement))).catch((error: unknown) => {
    if (!(error instanceof UnavailableError)) throw error
  })
  await waitAtStart(asked)
}

/**
 * Asks which columns the rules of the tables read, so that errors inside of transactions can point to the properties
 * that a rule reads. Such an error ends its transaction, so that the server cannot be asked any more. It never rejects:
 * elsewhere the server is asked after the first error.
 */
export async function learnRules (orm: MikroORM, log: FastifyBaseLogger): Promise<void> {
  const asked = doInTurn(knowRules(orm.em.fork())).catch((error: unknown) => {
    log.debug(error, 'the rules of tables are not known')
  })
  await waitAtStart(asked)
}

/**
 * Prepares the pools of an ORM before MikroORM uses them, so that an unreadable answer of the server does not end the
 * process.
 *
 * @returns a function that returns an error if the ORM's version of Kysely or pg is known to lack a borrowed member
 * @throws {ConfigError} if its version of MikroORM lacks a borrowed member
 */
export function preparePools (orm: MikroORM): () => ConfigError | undefined {
  checkMikroOrm(orm)
  let mistake: ConfigError | undefined
  for (const type of ['write', 'read'] as const) {
    clientOf(orm.em.getConnection(type)).catch((error: unknown) => {
      // connection errors are left to the requests
      if (error instanceof ConfigError) mistake = error
    })
  }
  return () => mistake
}
