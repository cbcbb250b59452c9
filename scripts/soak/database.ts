/** The soak's own PostgreSQL server, with durable data, and functions that disturb it. */
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import pg from 'pg'
import { startPostgres, type PostgresServer } from '../postgres.ts'

const SETTINGS = { fsync: 'on', full_page_writes: 'on', synchronous_commit: 'on', max_connections: 40 }

export interface SoakDatabase {
  readonly url: string
  /** Stops the server with SIGINT (fast: it rolls back) or SIGQUIT (immediate: like a crash), and starts it again. */
  readonly restart: (signal: 'SIGINT' | 'SIGQUIT', downMillis: number) => Promise<void>
  /** Opens a direct connection that bypasses the tested server. */
  readonly connect: () => Promise<pg.Client>
  readonly stop: () => Promise<void>
}

export async function startDatabase (): Promise<SoakDatabase> {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'postgres-soak-'))
  fs.chmodSync(folder, 0o755)
  let server: PostgresServer = await startPostgres({ dataDir: path.join(folder, 'data'), settings: SETTINGS })
  const { url, port, dataDir } = server
  const start = async (): Promise<PostgresServer> => {
    for (;;) {
      try {
        return await startPostgres({ dataDir, port, settings: SETTINGS })
      } catch (error) {
        // after a crash, the remaining processes of the old server may need some time to end
        if (!/still in use|lock file/.test((error as Error).message)) throw error
      }
    }
  }
  return {
    url,
    async restart (signal, downMillis) {
      process.kill(server.pid, signal)
      await server.stop()
      await new Promise((resolve) => setTimeout(resolve, downMillis))
      server = await start()
    },
    async connect () {
      const client = new pg.Client({ connectionString: url, application_name: 'soak-observer' })
      // the connection breaks when the server stops
      client.on('error', () => {})
      await client.connect()
      return client
    },
    async stop () {
      await server.stop()
      fs.rmSync(folder, { recursive: true, force: true })
    },
  }
}
