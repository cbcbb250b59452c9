/** The warning about missing indexes. It has one line for each index, with the statement that creates it. */
import type { EntityManager } from '@mikro-orm/postgresql'
import type { FastifyBaseLogger } from 'fastify'
import type { AdvisedResource } from './advised-resource.ts'
import { missingIndexes, type MissingIndex } from './missing-indexes.ts'
import { ownerColumns } from './owners.ts'

const SENTENCE = 'There is no index behind some filters, sorts and includes. Create the indexes with migrations, and ' +
  'declare them in the entities, too (.index() or indexes: [...]):'

/** A line that can be pasted into a migration. */
const lineOf = ({ sql, uses }: MissingIndex): string => `${sql}; -- ${uses.join(', ')}`

/** Looks for missing indexes and logs them. It never rejects, since a server also works without advice. */
export async function warnOfMissingIndexes (
  log: FastifyBaseLogger,
  em: EntityManager,
  resources: readonly AdvisedResource[]
): Promise<void> {
  const listed = resources.filter(({ operations }) => operations.includes('list'))
  try {
    const roles = new Set(resources.flatMap(({ roles = [] }) => roles.map(({ role }) => role)))
    const scoped = resources.filter((resource) => resource.scoped).map(({ resource }) => resource.model)
    const owners = ownerColumns([...roles], scoped)
    const missing = await missingIndexes(em.fork(), listed.map(({ resource }) => resource.whitelist), owners)
    if (missing.length > 0) log.warn({ missing }, [SENTENCE, ...missing.map(lineOf)].join('\n'))
    log.debug('looked for missing indexes: %d', missing.length)
  } catch (error) {
    log.debug(error, 'no advice about indexes')
  }
}
