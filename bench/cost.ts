/** The costs of requests: the time that the server and PostgreSQL take for each of them. */
import type { Backends } from './backends.ts'
import { load, type LoadOptions, type LoadResult } from './load.ts'
import type { ServerProcess } from './server-process.ts'

/** CPU times are in microseconds for each request. */
export interface Cost {
  readonly cpu: number
  readonly postgresCpu: number | undefined
  readonly perSecond: number
}

/**
 * Sends requests to a server, and measures what they cost.
 *
 * @param owner the name under which the server is connected to PostgreSQL
 */
export async function costOf (
  server: ServerProcess,
  backends: Backends,
  owner: string,
  options: Omit<LoadOptions, 'port'>
): Promise<{ readonly cost: Cost, readonly result: LoadResult }> {
  const before = { cpu: await server.cpu(), postgres: await backends.cpu(owner) }
  const result = await load({ port: server.port, ...options })
  const after = { cpu: await server.cpu(), postgres: await backends.cpu(owner) }
  const cost = {
    cpu: (after.cpu - before.cpu) / result.requests,
    postgresCpu: before.postgres === undefined || after.postgres === undefined
      ? undefined
      : (after.postgres - before.postgres) / result.requests,
    perSecond: result.requests / result.seconds,
  }
  return { cost, result }
}
