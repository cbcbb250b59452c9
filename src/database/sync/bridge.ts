/** Starts the worker from the main thread, and blocks the main thread until the worker answers. */
import { createRequire } from 'node:module'
import path from 'node:path'
import type * as Synckit from 'synckit'
import { ConfigError, UnavailableError } from '../../base/errors.ts'
import { fromPlainError, type Command, type Reply } from './messages.ts'

const require = createRequire(import.meta.url)
/** The worker's file: TypeScript in this repository, JavaScript in the published package. */
const WORKER = path.join(import.meta.dirname, `worker${path.extname(import.meta.filename)}`)

/** Sends a command to the worker and returns the rows of its answer. */
export type Bridge = (command: Command) => Record<string, unknown>[]

/** Starts a separate worker thread. It does not keep the process alive. */
export function startBridge (): Bridge {
  // loaded here, because servers never need it
  const { startWorkerThread } = require('synckit') as typeof Synckit
  const send = startWorkerThread<(command: Command) => Promise<Reply>, Reply>(WORKER, { execArgv: [] })
  return (command) => {
    const reply = ask(send, command)
    if ('error' in reply) throw fromPlainError(reply.error)
    return reply.rows
  }
}

function ask (send: (command: Command) => Reply, command: Command): Reply {
  try {
    return send(command)
  } catch (cause) {
    const { name, message } = cause as Error
    if (name === 'DataCloneError') throw new ConfigError(`A worker thread can't be given this: ${message}`, { cause })
    throw new UnavailableError(`The worker thread of the synchronous sessions has ended: ${message}`, { cause })
  }
}
