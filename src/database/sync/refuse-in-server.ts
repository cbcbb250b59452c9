/** Refuses synchronous sessions while a server runs: each statement blocks the whole process. */
import { ConfigError } from '../../base/errors.ts'

let servers = 0

/** Registers a running server. Call the returned function when the server has stopped. */
export function serverStarted (): () => void {
  let running = true
  servers++
  return () => {
    if (running) servers--
    running = false
  }
}

/** @throws {ConfigError} while a server runs in this process */
export function refuseInServer (): void {
  if (servers === 0) return
  throw new ConfigError(
    'A synchronous session (useAsync: false) cannot be used while a Fastify server runs in this process: each of ' +
      'its statements would stop all requests until the database has answered. Use request.em or a DatabaseFactory ' +
      'without useAsync: false, and await the result.'
  )
}
