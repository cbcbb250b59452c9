/** A separate PgBouncer for a test, in front of the server at DATABASE_URL. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import net from 'node:net'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Test } from 'tap'
import { nobody, temporaryFolder } from '../../scripts/postgres.ts'
import { skipReasons } from './databases.ts'
import { freePort } from '../../scripts/free-port.ts'

// where Debian installs it, outside the PATH of users other than root
const program = [...(process.env.PATH ?? '').split(path.delimiter), '/usr/sbin'].map((folder) =>
  path.join(folder, 'pgbouncer')
).find((file) => fs.existsSync(file))

/** The reason why tests with it cannot run here. */
export const skipPgBouncer: string | false = skipReasons.postgres ||
  (program === undefined && 'no pgbouncer: apt-get install pgbouncer')

/**
 * The URL of a database through a PgBouncer in transaction mode, with the given number of connections to the server. It
 * stops when the test ends.
 */
export async function startPgBouncer (t: Test, url: string, poolSize: number): Promise<string> {
  const target = new URL(url)
  const port = await freePort()
  const { hostname, port: serverPort, username, password } = target
  const settings = {
    host: hostname, port: serverPort || '5432', user: decodeURIComponent(username) || 'postgres',
    ...(password !== '' && { password: decodeURIComponent(password) }),
  }
  const file = path.join(temporaryFolder('pgbouncer-'), 'pgbouncer.ini')
  fs.writeFileSync(
    file,
    `[databases]
* = ${Object.entries(settings).map(([name, value]) => `${name}='${value}'`).join(' ')}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = ${poolSize}
`,
    { mode: 0o600 }
  )
  // it refuses to run as root, like its server
  if (nobody.uid !== undefined) fs.chownSync(file, nobody.uid, nobody.gid!)
  const bouncer = spawn(program!, ['-q', file], { ...nobody, stdio: ['ignore', 'ignore', 'pipe'] })
  let log = ''
  bouncer.stderr.on('data', (data) => {
    log += data
  })
  const exited = once(bouncer, 'exit')
  t.teardown(async () => {
    bouncer.kill('SIGKILL')
    await exited
  })
  while (!await answers(port)) {
    if (bouncer.exitCode !== null) throw new Error(`pgbouncer did not start: ${log}`)
    await sleep(20)
  }
  target.hostname = '127.0.0.1'
  target.port = String(port)
  target.password = ''
  return target.href
}

async function answers (port: number): Promise<boolean> {
  const socket = net.connect(port, '127.0.0.1')
  try {
    await once(socket, 'connect')
    return true
  } catch {
    return false
  } finally {
    socket.destroy()
  }
}
