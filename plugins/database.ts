/**
 * Decorates the instance with `orm`: an open MikroORM of the application, or one that is opened and closed with the
 * server.
 */
import type { MikroORM } from '@mikro-orm/postgresql'
import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { serverStarted } from '../src/database/index.ts'
import {
  askServer,
  checkDatabase,
  checkPluginOptions,
  isOffline,
  learnRules,
  metaOf,
  openDatabaseOf,
  preparePools,
  refuseSecond,
  type ServerDatabaseOptions,
  unconnectedOrmOf,
} from '../src/http/index.ts'
import { rememberLog } from '../src/resource/index.ts'
import { workOf } from '../src/run/index.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** The MikroORM that resources use. */
    readonly orm: MikroORM
  }
}

const NAME = 'fastify-crud-kit/database'
const kRelease = Symbol('fastify-crud-kit.release')

interface WithDatabase {
  readonly [kRelease]?: () => Promise<void>
}

async function register (fastify: FastifyInstance, options: ServerDatabaseOptions): Promise<void> {
  checkPluginOptions(NAME, options, ['orm', 'database', 'statementTimeoutMillis'])
  checkDatabase(NAME, options)
  refuseSecond(NAME, 'fastify.orm', fastify.hasDecorator('orm'))
  if (isOffline(fastify)) {
    fastify.decorate('orm', await unconnectedOrmOf(options))
    return
  }
  const { engine, release } = await openDatabaseOf(options, (err) => {
    fastify.log.error({ err }, 'A connection of the orm has no statement timeout, because it could not be set.')
  })
  const forgetLog = rememberLog(engine.em, fastify.log)
  fastify.addHook('onClose', async () => {
    // after hooks may still use the database
    await workOf(engine.config)
    forgetLog()
    await release()
  })
  refuseSyncSessions(fastify)
  try {
    const mistakeIn = preparePools(engine)
    fastify.addHook('onReady', async () => {
      const mistake = mistakeIn()
      if (mistake !== undefined) throw mistake
      await askServer(engine)
      await learnRules(engine, fastify.log)
    })
    fastify.decorate('orm', engine)
    fastify.decorate(kRelease, release)
  } catch (error) {
    await release()
    throw error
  }
}

/** Closes the database of a server that cannot start, since such a server is seldom closed. Later calls do nothing. */
export async function releaseDatabase (fastify: FastifyInstance): Promise<void> {
  await (fastify as WithDatabase)[kRelease]?.()
}

/** Refuses synchronous sessions while the server can answer requests. */
function refuseSyncSessions (fastify: FastifyInstance): void {
  let stopped = (): void => {}
  fastify.addHook('onReady', async () => {
    stopped = serverStarted()
  })
  fastify.addHook('onClose', async () => stopped())
}

/**
 * The plugin that opens the database of a server.
 *
 * @throws {ConfigError} for invalid options
 * @example
 * await fastify.register(crudDatabase, { database: { databaseUrl: 'pglite://memory', entities: [Category] } })
 * await fastify.orm.em.fork().find(Category, {})
 */
export const crudDatabase = fp(register, metaOf(NAME))
export default crudDatabase
