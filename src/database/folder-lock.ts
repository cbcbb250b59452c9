/**
 * Limits a PGlite folder to one process. Two processes that open it corrupt it, and PGlite does not check.
 *
 * The lock is a local socket whose name is derived from the folder's path. The operating system releases it when the
 * process ends for any reason, so no stale lock remains. It does not work across machines or containers that share a
 * volume.
 */
import { createHash } from 'node:crypto'
import fs from 'node:fs'
import net from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { once } from 'node:events'
import { ConfigError } from '../base/errors.ts'

export interface FolderLock {
  readonly release: () => Promise<void>
}

/**
 * Returns the lock of `folder`, or `undefined` when this process or another one already holds it.
 *
 * @throws {ConfigError} when the folder does not exist and can't be created
 */
export async function lockFolder (folder: string): Promise<FolderLock | undefined> {
  const address = addressOf(folder)
  const server = await listen(address) ?? (await isStale(address) ? await listen(address) : undefined)
  if (server === undefined) return undefined
  server.unref()
  return {
    release: async () => {
      server.close()
      if (server.listening) await once(server, 'close')
    },
  }
}

/**
 * The address of the lock. Linux has abstract names and Windows has pipes. Other systems use a socket file, which
 * remains after a crash.
 */
function addressOf (folder: string): string {
  try {
    makeFolder(folder)
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException
    throw new ConfigError(
      `DatabaseFactory: ${folder} can't hold a PGlite database: ${
        code === 'EEXIST' ? 'it is a file, and not a folder' : message
      }`,
      { cause }
    )
  }
  const name = `fastify-crud-kit-${createHash('sha256').update(fs.realpathSync(folder)).digest('hex').slice(0, 32)}`
  if (process.platform === 'linux') return `\0${name}`
  if (process.platform === 'win32') return `\\\\.\\pipe\\${name}`
  return path.join(os.tmpdir(), `${name}.sock`)
}

/**
 * Makes a folder and its parents step by step. On file systems that refuse new folders, such as /proc, Node's `mkdir`
 * with `recursive` never returns.
 */
function makeFolder (folder: string): void {
  const missing = [folder]
  for (
    let above = path.dirname(folder);
    !fs.existsSync(above) && above !== missing.at(-1);
    above = path.dirname(above)
  ) missing.push(above)
  for (const step of missing.reverse()) {
    try {
      fs.mkdirSync(step)
    } catch (error) {
      if (
        (error as NodeJS.ErrnoException).code !== 'EEXIST' ||
        !fs.statSync(step, { throwIfNoEntry: false })?.isDirectory()
      ) throw error
    }
  }
}

async function listen (address: string): Promise<net.Server | undefined> {
  const server = net.createServer((socket) => socket.destroy())
  try {
    await once(server.listen(address), 'listening')
    return server
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EADDRINUSE') return undefined
    throw error
  }
}

/** Whether the address is a file without a listener. If it is, the file is removed. */
async function isStale (address: string): Promise<boolean> {
  const socket = net.connect(address)
  try {
    await once(socket, 'connect')
    return false
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ECONNREFUSED' || address.startsWith('\0')) return false
    fs.rmSync(address, { force: true })
    return true
  } finally {
    socket.destroy()
  }
}
