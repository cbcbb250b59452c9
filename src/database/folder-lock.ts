/**
 * Keeps a PGlite folder to one process: two that have it open destroy it, and PGlite does not look.
 *
 * The lock is a local socket whose name is made of the folder's path. The operating system gives it up when the
 * process ends, however it ends, so there is nothing stale to recover. It does not reach across machines or
 * containers that share a volume.
 */
import { createHash } from 'node:crypto'
import fs from 'node:fs'
import net from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { once } from 'node:events'
import { ConfigError } from '../errors.ts'

export interface FolderLock {
  readonly release: () => Promise<void>
}

/**
 * The lock of `folder`, or `undefined` when somebody has it, in this process or in another.
 *
 * @throws {ConfigError} when there is no such folder, and none can be made
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

/** Linux has names that are no files, Windows has pipes; elsewhere it is a file that outlives a process that crashed. */
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
 * Makes a folder and those above it, step by step: where a file system makes none, as /proc, `recursive` of Node's mkdir
 * never ends.
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

/** Whether the address is a file without a listener: then it is removed. */
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
