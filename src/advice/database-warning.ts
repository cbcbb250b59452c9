/** The warning about differences between the entities and the database: one line in the log for all of them. */
import type { EntityManager } from '@mikro-orm/postgresql'
import type { FastifyBaseLogger } from 'fastify'
import { waitAtStart } from '../base/start-patience.ts'
import { compareWithDatabase, messagesOf, type Difference } from '../comparison/index.ts'
import type { AdvisedResource } from './advised-resource.ts'

/**
 * Logs what the database lacks for the entities and the resources. A server without a logger emits a warning of the
 * process instead, because it would answer requests with a 500 and say nothing. It never rejects: if the database
 * cannot be asked, there is no warning.
 */
export async function warnOfDifferences (
  log: FastifyBaseLogger,
  em: EntityManager,
  resources: readonly AdvisedResource[]
): Promise<void> {
  await waitAtStart(
    warn(log, em, resources).catch((error: unknown) => log.debug(error, 'no advice about the database'))
  )
}

/** The differences between entities and database, and what the database refuses of resources. Sends one statement. */
export async function differencesOf (
  em: EntityManager,
  resources: readonly AdvisedResource[]
): Promise<readonly Difference[]> {
  const offered = resources.map(({ prefix, resource: { model, upsertKeys }, operations }) => ({
    prefix,
    model,
    operations,
    upsertKeys,
  }))
  return await compareWithDatabase(em, offered)
}

async function warn (log: FastifyBaseLogger, em: EntityManager, resources: readonly AdvisedResource[]): Promise<void> {
  const differences = await differencesOf(em, resources)
  if (differences.length === 0) return
  const message = messagesOf(differences).join('\n')
  // Fastify's logger has no level if logging is off
  if (log.level === undefined) process.emitWarning(message, { code: 'FST_CRUD_DATABASE_DIFFERS' })
  else log.warn({ differences }, message)
}
