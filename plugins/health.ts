/**
 * Decorates the instance with `crudHealth()`, which tells the probe of a load balancer whether the database answers.
 */
import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { checkHealth, HEALTH_TIMEOUT, type Health } from '../src/database/index.ts'
import { checkPluginOptions, metaOnDatabase, refuseSecond } from '../src/http/index.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /**
     * Reads the state of the database, by default within two seconds. It never rejects. If the database is down, the
     * result says so.
     */
    readonly crudHealth: CrudHealth
  }
}

/** The options of `fastify.crudHealth()`. */
export interface HealthOptions {
  /** Milliseconds to wait for the answer. Default: 2 000. */
  readonly timeoutMillis?: number
}

/** The type of `fastify.crudHealth`. */
export type CrudHealth = (options?: HealthOptions) => Promise<Health>

const NAME = 'fastify-crud-kit/health'

async function register (fastify: FastifyInstance, options: object): Promise<void> {
  checkPluginOptions(NAME, options)
  refuseSecond(NAME, 'fastify.crudHealth', fastify.hasDecorator('crudHealth'))
  const { orm } = fastify
  const crudHealth: CrudHealth = ({ timeoutMillis = HEALTH_TIMEOUT } = {}) => checkHealth(orm, timeoutMillis)
  fastify.decorate('crudHealth', crudHealth)
}

/**
 * The plugin that reads the health of the server's database.
 *
 * @example
 * await fastify.register(crudHealth)
 * fastify.get('/health', async () => await fastify.crudHealth())
 */
export const crudHealth = fp(register, metaOnDatabase(NAME))
export default crudHealth
