/** Sets the default of `serverTiming`: whether the routes of resources send `Server-Timing`. It needs no database. */
import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { checkPluginOptions, TIMES_PROPERTY } from '../src/http/index.ts'

export interface ServerTimingOptions {
  /**
   * Send the duration of a request's stages `parse`, `plan`, `compile` and `run` in milliseconds, in the header
   * Server-Timing. These times reveal something about the data to clients. Resources can override the option. Default:
   * false.
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

/** Whether the routes of a resource send `Server-Timing`. */
export function sendsTimes (fastify: FastifyInstance, own: boolean | undefined): boolean {
  return own ?? (fastify as WithDefault)[kDefault] === true
}

/**
 * The plugin that sets the default of the resources' option `serverTiming`.
 *
 * @example
 * await fastify.register(serverTiming, { serverTiming: true })
 */
export const serverTiming = fp(register, { name: NAME, fastify: '>=5.8 <7' })
export default serverTiming
