/**
 * The environment of tests: databases to copy, and a throw-away PostgreSQL, unless DATABASE_URL names a server.
 *
 * Tests use these variables:
 * - `PGLITE_TEMPLATE`: a folder to copy instead of creating a database (0.1 s instead of 2 s).
 * - `PGLITE_FIXTURES`: a folder to copy that has the fixtures.
 * - `DATABASE_URL`: a server on which tests create their own databases.
 * - `POSTGRES_FIXTURES`: a database to copy on that server.
 * - `PG_BIN`: the binaries, for tests that start servers.
 */
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { buildStaleExplorer } from './explorer/build.ts'
import { findPostgres, startPostgres, type PostgresServer } from './postgres.ts'

interface TestEnvironment {
  /** A temporary folder, which `cleanUp` removes. */
  readonly folder: string
  /** The variables for tests. `prepare` adds those of the databases. */
  readonly env: NodeJS.ProcessEnv
  readonly prepare: () => Promise<void>
  /** Stops the server. Call it after the tests have ended. */
  readonly cleanUp: () => Promise<void>
}

export function newTestEnvironment (): TestEnvironment {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'fastify-crud-kit-test-'))
  const env: NodeJS.ProcessEnv = { ...process.env }
  let server: PostgresServer | undefined

  const provideServer = async (): Promise<void> => {
    if (env.DATABASE_URL) return
    if (await findPostgres()) {
      // a session's time zone must not affect any answer; this one has an offset with a quarter of an hour
      server = await startPostgres({ settings: { timezone: 'Asia/Kathmandu' } })
      env.DATABASE_URL = server.url
      env.PG_BIN = server.bin
    } else if (env.CI) {
      throw new Error('no PostgreSQL: its binaries are not installed, and DATABASE_URL is not set')
    } else {
      console.error('# no PostgreSQL binaries found: only PGlite is tested')
    }
  }

  const prepare = async (): Promise<void> => {
    const { preparePglite, preparePostgres } = await import('../test/helpers/prepared-databases.ts')
    await Promise.all([
      // the example serves it
      buildStaleExplorer(),
      preparePglite(folder).then((found) => Object.assign(env, found)),
      provideServer().then(async () => {
        // a server from DATABASE_URL gets no databases to copy, because it might not support copying and would keep
        // them
        if (server) Object.assign(env, await preparePostgres(server.url))
      }),
    ])
  }

  const cleanUp = async (): Promise<void> => {
    await server?.stop()
    fs.rmSync(folder, { recursive: true, force: true })
  }

  return { folder, env, prepare, cleanUp }
}
