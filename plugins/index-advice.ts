/** Tells, when the server listens, which indexes its resources would use and the database doesn't have. */
import type { FastifyInstance } from 'fastify'
import { adviseIndexes } from '../src/crud/index.ts'
import type { Whitelist } from '../src/plan/index.ts'

const kWhitelists = Symbol('fastify-crud-kit.whitelists')

interface Advised {
  readonly [kWhitelists]?: Whitelist[]
}

/** Makes a server give advice about the resources that `advise` is told of. */
export function giveIndexAdvice (fastify: FastifyInstance): void {
  const whitelists: Whitelist[] = []
  fastify.decorate(kWhitelists, whitelists)
  fastify.addHook('onListen', async () => {
    try {
      const advice = await adviseIndexes(fastify.orm.em.fork(), whitelists)
      for (const { sql, uses } of advice) {
        fastify.log.warn({ uses, sql }, `There is no index behind ${uses.join(', ')}: ${sql}`)
      }
      fastify.log.debug('looked for missing indexes: %d', advice.length)
    } catch (error) {
      // advice is no reason not to serve
      fastify.log.debug(error, 'no advice about indexes')
    }
  })
}

/** Adds a resource to those that advice is given about, where it is given at all. */
export function adviseAbout (fastify: FastifyInstance, whitelist: Whitelist): void {
  ;(fastify as Advised)[kWhitelists]?.push(whitelist)
}
