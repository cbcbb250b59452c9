/** Sets the default of `serverTiming`: whether the routes of resources send `Server-Timing`. Needs no database. */
import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { checkPluginOptions, TIMES_PROPERTY } from '../src/http/index.ts'

export interface ServerTimingOptions {
  /**
   * Send how long the stages of a request took, as the header Server-Timing: `parse`, `plan`, `compile` and `run`, in
   * milliseconds. They tell clients something about the data. A resource may say otherwise. Default: false.
   */
  readonly serverTiming?: boolean
}

const NAME = 'fastify-crud-kit/server-timing'
const kDefault = Symbol('fastify-crud-kit.serverTiming')

interface WithDefault {
  readonly [kDefault]?: boolean
}

async function register (fastify: FastifyInstance, options: ServerTimingOptions): Promise<void> {
  checkPluginOptions(NAME, options)
  fastify.decorate(kDefault, options.serverTiming === true)
  fastify.decorateRequest(TIMES_PROPERTY as never, null as never)
}

/** Whether the routes of a resource send their times. */
export function sendsTimes (fastify: FastifyInstance, own: boolean | undefined): boolean {
  return own ?? (fastify as WithDefault)[kDefault] === true
}

/**
 * The default of the resources' option `serverTiming`.
 *
 * @example
 * await fastify.register(serverTiming, { serverTiming: true })
 */
export const serverTiming = fp(register, { name: NAME, fastify: '>=5.8 <7' })
export default serverTiming
