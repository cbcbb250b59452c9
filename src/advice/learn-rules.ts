/** Reads at start-up which columns the rules of the tables read. */
import type { EntityManager } from '@mikro-orm/postgresql'
import type { FastifyBaseLogger } from 'fastify'
import { setTimeout } from 'node:timers/promises'
import { knowRules } from '../resource/index.ts'
import { PATIENCE } from './database-warning.ts'

/**
 * Lets errors inside of transactions point to the properties that a rule reads. Such an error ends its transaction, so
 * that the server cannot be asked any more. It never rejects: elsewhere the server is asked after the first error.
 */
export async function learnRules (log: FastifyBaseLogger, em: EntityManager): Promise<void> {
  const asked = knowRules(em.fork()).catch((error: unknown) => log.debug(error, 'the rules of tables are not known'))
  await Promise.race([asked, setTimeout(PATIENCE, undefined, { ref: false })])
}
