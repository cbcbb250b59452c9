/**
 * Warns at start-up: before the server is ready, of rows that no scope guards, and when it listens, of missing indexes.
 */
import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { checkShared, warnOfMissingIndexes, warnOfUnguarded, type AdvisedResource } from '../src/advice/index.ts'
import { checkPluginOptions } from '../src/http/index.ts'

const NAME = 'fastify-crud-kit/advice'
const kAdvised = Symbol('fastify-crud-kit.advised')

interface Advised {
  readonly [kAdvised]?: AdvisedResource[]
}

export interface CrudAdviceOptions {
  /**
   * When the server listens, log a warning for each filter, sort and include that no index serves, with the statement
   * that creates one. Default: true.
   */
  readonly indexAdvice?: boolean
  /**
   * Names of entities whose rows everybody may use. The server warns of other entities that a resource with a scope
   * leads to, and that no MikroORM filter guards.
   */
  readonly shared?: readonly string[]
}

async function register (fastify: FastifyInstance, options: CrudAdviceOptions): Promise<void> {
  checkPluginOptions(NAME, options)
  const { indexAdvice = true, shared = [] } = options
  const { em } = fastify.orm
  checkShared(em, shared)
  const resources: AdvisedResource[] = []
  fastify.decorate(kAdvised, resources)
  fastify.addHook('onReady', async () => await warnOfUnguarded(fastify.log, em, resources, shared))
  if (indexAdvice) fastify.addHook('onListen', async () => await warnOfMissingIndexes(fastify.log, em, resources))
}

/** Adds a resource to those that the server is warned about, if it is warned at all. */
export function adviseAbout (fastify: FastifyInstance, resource: AdvisedResource): void {
  ;(fastify as Advised)[kAdvised]?.push(resource)
}

/**
 * The advice of a server.
 *
 * @throws {ConfigError} for a name in `shared` that is not an entity's
 * @example
 * await fastify.register(crudAdvice, { shared: ['Country'] })
 */
export const crudAdvice = fp(register, {
  name: NAME,
  fastify: '>=5.8 <7',
  dependencies: ['fastify-crud-kit/database'],
  decorators: { fastify: ['orm'] },
})
export default crudAdvice
