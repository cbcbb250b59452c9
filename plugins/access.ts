/** Decorates the instance with the rules of `access`, which routes of resources and `request.em` obey. */
import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import type { Access } from '../src/access/index.ts'
import { ConfigError } from '../src/base/errors.ts'
import {
  ACTOR_PROPERTY, checkPluginOptions, metaOnDatabase, refuseSecond, resourcesInside, type KitOptions,
} from '../src/http/index.ts'
import { accessFor } from '../src/resource/index.ts'

export interface CrudAccessOptions extends Pick<KitOptions, 'access'> {}

const NAME = 'fastify-crud-kit/access'
const kAccess = Symbol('fastify-crud-kit.access')

interface WithAccess {
  readonly [kAccess]?: Access
}

async function register (fastify: FastifyInstance, options: CrudAccessOptions): Promise<void> {
  checkPluginOptions(NAME, options)
  const { access } = options
  if (access === undefined) return
  refuseSecond(NAME, "the option 'access'", accessOf(fastify) !== undefined)
  refuseAfterRoutes(fastify)
  fastify.decorate(kAccess, accessFor(access, fastify.orm.em))
  fastify.decorateRequest(ACTOR_PROPERTY as never, null as never)
}

/** The rules that hold for the routes of an instance. */
export const accessOf = (fastify: FastifyInstance): Access | undefined => (fastify as WithAccess)[kAccess]

/** @throws {ConfigError} if the rules would come too late for the routes of this instance or of one inside of it */
function refuseAfterRoutes (fastify: FastifyInstance): void {
  const late = resourcesInside(fastify).find(({ limits }) => limits === undefined)
  if (late === undefined) return
  throw new ConfigError(
    `${NAME}: routes of ${late.prefix || '/'} are registered already, and the option 'access' would not limit them. ` +
      'Register the plugin before crudRoutes.'
  )
}

/**
 * The plugin that limits what each role may do. Register it before `crudRoutes`.
 *
 * @throws {ConfigError} for unknown names of entities, properties and operations, for rules that cannot work, and if
 *   the instance has rules or routes of resources already
 * @example
 * await fastify.register(crudAccess, { access: { role: () => 'guest', roles: { guest: { Country: true } } } })
 */
export const crudAccess = fp(register, metaOnDatabase(NAME))
export default crudAccess
