/** The warnings about missing indexes. Each index has one line in the log, with the statement that creates it. */
import type { EntityManager } from '@mikro-orm/postgresql'
import type { FastifyBaseLogger } from 'fastify'
import type { AdvisedResource } from './advised-resource.ts'
import { missingIndexes } from './missing-indexes.ts'
import { ownerColumns } from './owners.ts'

/** Looks for missing indexes and logs them. It never rejects, since a server also works without advice. */
export async function warnOfMissingIndexes (
  log: FastifyBaseLogger,
  em: EntityManager,
  resources: readonly AdvisedResource[]
): Promise<void> {
  const listed = resources.filter(({ offers }) => offers.list)
  try {
    const roles = new Set(resources.flatMap(({ roles = [] }) => roles.map(({ role }) => role)))
    const scoped = resources.filter((resource) => resource.scoped).map(({ resource }) => resource.model)
    const owners = ownerColumns([...roles], scoped)
    const missing = await missingIndexes(em.fork(), listed.map(({ resource }) => resource.whitelist), owners)
    for (const { sql, uses } of missing) {
      log.warn(
        { uses, sql },
        `There is no index behind ${
          uses.join(', ')
        }: ${sql} (declare it in the entity, too: .index() or indexes: [...])`
      )
    }
    log.debug('looked for missing indexes: %d', missing.length)
  } catch (error) {
    log.debug(error, 'no advice about indexes')
  }
}
