/**
 * Warns at start-up. Before the server is ready, it warns of differences between the entities and the database, and of
 * rows that no scope guards. When the server listens, it warns of missing indexes.
 */
import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import {
  checkShared, warnOfDifferences, warnOfMissingIndexes, warnOfUnguarded, type AdvisedResource,
} from '../src/advice/index.ts'
import {
  checkPluginOptions, isOffline, metaOnDatabase, refuseSecond, resourcesInside, type KitOptions, type KnownResource,
} from '../src/http/index.ts'

const NAME = 'fastify-crud-kit/advice'
const kAdvised = Symbol('fastify-crud-kit.advised')

export interface CrudAdviceOptions extends Pick<KitOptions, 'indexAdvice' | 'shared'> {}

async function register (fastify: FastifyInstance, options: CrudAdviceOptions): Promise<void> {
  checkPluginOptions(NAME, options, ['shared', 'indexAdvice'])
  refuseSecond(NAME, 'the advice', fastify.hasDecorator(kAdvised))
  const { indexAdvice = true, shared = [] } = options
  const { em } = fastify.orm
  checkShared(em, shared)
  fastify.decorate(kAdvised, shared)
  if (isOffline(fastify)) return
  const advised = (): AdvisedResource[] => resourcesInside(fastify).map(advisedOf)
  // one after the other, on one connection
  fastify.addHook('onReady', async () => await warnOfDifferences(fastify.log, em, advised()))
  fastify.addHook('onReady', async () => await warnOfUnguarded(fastify.log, em, advised(), shared))
  if (indexAdvice) fastify.addHook('onListen', async () => await warnOfMissingIndexes(fastify.log, em, advised()))
}

/** The parts of a resource that advice needs. */
export function advisedOf ({ routed: { bound, operations }, options, limits }: KnownResource): AdvisedResource {
  return {
    prefix: options.prefix ?? '/',
    resource: bound,
    scoped: options.scope !== undefined,
    operations,
    roles: limits?.resources.map(({ role, bound, operations }) => ({ role, resource: bound, operations })),
  }
}

/** The entities whose rows all clients may use, as the option `shared` of an instance says. */
export const sharedEntities = (fastify: FastifyInstance): readonly string[] =>
  (fastify as { readonly [kAdvised]?: readonly string[] })[kAdvised] ?? []

/**
 * The plugin that warns at start-up.
 *
 * @throws {ConfigError} for a name in `shared` that is not the name of an entity
 * @example
 * await fastify.register(crudAdvice, { shared: ['Country'] })
 */
export const crudAdvice = fp(register, metaOnDatabase(NAME))
export default crudAdvice
