/**
 * Starts hot standbys of a throw-away PostgreSQL server. A standby replays the writes of its server and answers reads.
 * The binaries from npm have no pg_basebackup, so the backup is made by hand (PostgreSQL manual, section 25.3.4).
 */
import fs from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { nobody, startPostgres, temporaryFolder, type PostgresServer } from './postgres.ts'

/**
 * Settings of a server that will have standbys. A commit is written to the log, which standbys follow, before it is
 * answered. initdb allows replication for every user on 127.0.0.1.
 */
export const PRIMARY_SETTINGS = {
  wal_level: 'replica',
  max_wal_senders: 8,
  wal_keep_size: '64MB',
  synchronous_commit: 'on',
}

/** Largest number of attempts to start after a crash. */
const ATTEMPTS = 40

interface Standby {
  /** Like `url` of the server that it follows, with another port, which stays the same after `start`. */
  readonly url: string
  /** Ends the server like a crash: its connections break, and nothing is cleaned up. */
  readonly kill: () => void
  /** Starts the server again after `kill`, and waits until it answers. */
  readonly start: () => Promise<void>
  /** Stops the server and removes its data. */
  readonly stop: () => Promise<void>
}

interface StandbyOptions {
  /** Server settings as in postgresql.conf. */
  readonly settings?: Readonly<Record<string, string | number>>
  /** The standby's name in the server that it follows (`application_name` in `pg_stat_replication`). */
  readonly name?: string
}

/**
 * Starts a standby of a running server, which must have been started with `PRIMARY_SETTINGS`.
 *
 * @throws Error when it does not start
 */
export async function startStandby (
  primary: PostgresServer,
  { settings = {}, name = 'standby' }: StandbyOptions = {}
): Promise<Standby> {
  const folder = temporaryFolder('standby-')
  const dataDir = path.join(folder, 'data')
  await backUp(primary, dataDir)
  fs.writeFileSync(path.join(dataDir, 'standby.signal'), '')
  own(dataDir)
  const start = (port?: number): Promise<PostgresServer> =>
    startPostgres({
      dataDir,
      ...(port !== undefined && { port }),
      settings: {
        primary_conninfo: `host=127.0.0.1 port=${primary.port} user=postgres application_name=${name}`,
        wal_retrieve_retry_interval: 100,
        ...settings,
      },
    })
  let server = await start()
  const { port, url } = server
  return {
    url,
    kill: () => process.kill(server.pid, 'SIGKILL'),
    start: async () => {
      server = await startAfterCrash(() => start(port))
    },
    stop: async () => {
      // the data is removed, so no clean shutdown is needed
      if (isAlive(server.pid)) process.kill(server.pid, 'SIGQUIT')
      await server.stop()
      fs.rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}

function isAlive (pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

/**
 * Starts a server after a crash. The processes of the killed server need some time to end, and block a new one until
 * then.
 */
async function startAfterCrash (start: () => Promise<PostgresServer>): Promise<PostgresServer> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await start()
    } catch (error) {
      if (
        attempt === ATTEMPTS ||
        !/pre-existing shared memory block|lock file .* already exists/.test((error as Error).message)
      ) throw error
      await sleep(50)
    }
  }
}

/** Copies the data of a running server. The copy later receives the changes that were made during the backup. */
async function backUp (primary: PostgresServer, dataDir: string): Promise<void> {
  const client = new pg.Client({ connectionString: primary.url })
  await client.connect()
  try {
    await client.query("select pg_backup_start('standby', fast => true)")
    copy(primary.dataDir, dataDir)
    const { rows: [backup] } = await client.query(
      'select labelfile, spcmapfile from pg_backup_stop(wait_for_archive => false)'
    )
    fs.writeFileSync(path.join(dataDir, 'backup_label'), backup.labelfile)
  } finally {
    await client.end()
  }
}

/** Files of the running server, and files that a server creates again. */
const LEFT_OUT = /^(postmaster\.(pid|opts)|pg_wal\/.+|pg_replslot\/.+|pg_stat_tmp\/.+|pgsql_tmp.*)$/

function copy (from: string, to: string, inner = ''): void {
  fs.mkdirSync(path.join(to, inner), { recursive: true, mode: 0o700 })
  for (const entry of fs.readdirSync(path.join(from, inner), { withFileTypes: true })) {
    const name = inner === '' ? entry.name : `${inner}/${entry.name}`
    if (LEFT_OUT.test(name)) continue
    if (entry.isDirectory()) copy(from, to, name)
    else copyFile(path.join(from, name), path.join(to, name))
  }
}

function copyFile (from: string, to: string): void {
  try {
    fs.copyFileSync(from, to, fs.constants.COPYFILE_FICLONE)
  } catch (error) {
    // the file was removed after the folder was read; the log contains that, too
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
}

function own (file: string): void {
  if (nobody.uid === undefined || nobody.gid === undefined) return
  fs.chownSync(file, nobody.uid, nobody.gid)
  if (!fs.statSync(file).isDirectory()) return
  for (const name of fs.readdirSync(file)) own(path.join(file, name))
}
