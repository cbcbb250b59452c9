/** Decorates the instance with the rules of `access`, which routes of resources and `request.em` obey. */
import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import type { Access, AccessOptions } from '../src/access/index.ts'
import { ACTOR_PROPERTY, checkPluginOptions } from '../src/http/index.ts'
import { accessFor } from '../src/resource/index.ts'

export interface CrudAccessOptions {
  /**
   * What each role may do: the rows, properties and operations of entities, wherever they are used. A role or an entity
   * that is not named is refused. Default: resources are limited by their whitelists and scopes only.
   */
  readonly access?: AccessOptions
}

const NAME = 'fastify-crud-kit/access'
const kAccess = Symbol('fastify-crud-kit.access')

interface WithAccess {
  readonly [kAccess]?: Access
}

async function register (fastify: FastifyInstance, options: CrudAccessOptions): Promise<void> {
  checkPluginOptions(NAME, options)
  const { access } = options
  if (access === undefined) return
  fastify.decorate(kAccess, accessFor(access, fastify.orm.em))
  fastify.decorateRequest(ACTOR_PROPERTY as never, null as never)
}

/** The rules that hold for the routes of an instance. */
export const accessOf = (fastify: FastifyInstance): Access | undefined => (fastify as WithAccess)[kAccess]

/**
 * The plugin that limits what each role may do.
 *
 * @throws {ConfigError} for unknown names of entities, properties and operations, and for rules that cannot work
 * @example
 * await fastify.register(crudAccess, { access: { role: () => 'guest', roles: { guest: { Country: true } } } })
 */
export const crudAccess = fp(register, {
  name: NAME,
  fastify: '>=5.8 <7',
  dependencies: ['fastify-crud-kit/database'],
  decorators: { fastify: ['orm'] },
})
export default crudAccess
