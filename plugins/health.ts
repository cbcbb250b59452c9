/** `fastify.crudHealth()`: whether the database answers, for the probe of a load balancer. */
import type { MikroORM } from '@mikro-orm/postgresql'
import type { FastifyInstance } from 'fastify'
import { checkHealth, HEALTH_TIMEOUT, type Health } from '../src/database/index.ts'

export interface HealthOptions {
  /** Milliseconds to wait for the answer. Default 2 000. */
  readonly timeoutMillis?: number
}

/** What `fastify.crudHealth` is. */
export type CrudHealth = (options?: HealthOptions) => Promise<Health>

/** Decorates the instance with `crudHealth`. */
export function decorateHealth (fastify: FastifyInstance, orm: MikroORM): void {
  fastify.decorate(
    'crudHealth',
    ({ timeoutMillis = HEALTH_TIMEOUT }: HealthOptions = {}) => checkHealth(orm, timeoutMillis)
  )
}
