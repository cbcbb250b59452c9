/** Sets the default of `serverTiming`: whether the routes of resources send `Server-Timing`. It needs no database. */
import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { ConfigError } from '../src/base/errors.ts'
import { madeOnce } from '../src/base/made-once.ts'
import { checkPluginOptions, metaOf, refuseSecond, TIMES_PROPERTY, type KitOptions } from '../src/http/index.ts'

export interface ServerTimingOptions extends Pick<KitOptions, 'serverTiming'> {}

const NAME = 'fastify-crud-kit/server-timing'
const kDefault = Symbol('fastify-crud-kit.serverTiming')

interface WithDefault {
  readonly [kDefault]?: boolean
}

async function register (fastify: FastifyInstance, options: ServerTimingOptions): Promise<void> {
  checkPluginOptions(NAME, options, ['serverTiming'])
  refuseSecond(NAME, 'the default of serverTiming', fastify.hasDecorator(kDefault))
  if (options.serverTiming === true) refuseAfterRoutes(fastify)
  fastify.decorate(kDefault, options.serverTiming === true)
  fastify.decorateRequest(TIMES_PROPERTY as never, null as never)
}

/**
 * Whether the routes of a resource send `Server-Timing`.
 *
 * @param fastify the instance of the routes, whose prefix an error names
 */
export function sendsTimes (fastify: FastifyInstance, own: boolean | undefined): boolean {
  const given = own ?? (fastify as WithDefault)[kDefault]
  if (given === undefined) untimed(fastify.server).push(fastify)
  return given === true
}

/** The instances of routes that were registered without a default, by server. */
const untimed: (server: object) => FastifyInstance[] = madeOnce(() => [])

/** @throws {ConfigError} if the default would come too late for the routes of this instance or of one inside of it */
function refuseAfterRoutes (fastify: FastifyInstance): void {
  const late = untimed(fastify.server).find((routes) => Object.prototype.isPrototypeOf.call(fastify, routes))
  if (late === undefined) return
  throw new ConfigError(
    `${NAME}: routes of ${late.prefix} are registered already, and the default has no effect on them. ` +
      'Register the plugin before crudRoutes, or set serverTiming of crudRoutes.'
  )
}

/**
 * The plugin that sets the default of the resources' option `serverTiming`. Register it before `crudRoutes`.
 *
 * @throws {ConfigError} if routes without this option are registered already
 *
 * @example
 * await fastify.register(serverTiming, { serverTiming: true })
 */
export const serverTiming = fp(register, metaOf(NAME))
export default serverTiming
