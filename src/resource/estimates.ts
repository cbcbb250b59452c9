/** Totals that the planner estimates, for requests that may see some rows only. */
import type { EntityManager } from '@mikro-orm/postgresql'
import { ConfigError } from '../errors.ts'
import { relationsOf, type Whitelist } from '../plan/index.ts'
import { filtersOfEntity } from './entity-filters.ts'

/**
 * Refuses estimates where rows are hidden from requests: the planner knows the values of all rows (PostgreSQL manual,
 * section 14.2), so that the estimate for `filter[email]=ann@example.com` tells of rows that the request may not see.
 *
 * @param what the subject of a sentence
 * @param hides what hides rows
 * @throws {ConfigError} unless the whitelist says that this is meant
 */
export function checkEstimates (what: string, { pagination }: Whitelist, hides: string): void {
  if (pagination.count !== 'planned' || pagination.estimateAllRows) return
  throw new ConfigError(
    `${what}: count: 'planned' and ${hides} do not go together, since the planner's statistics are of all rows and tell of those that a request may not see. ` +
      "Use count: 'exact' or 'none', or write pagination: { count: 'planned', estimateAllRows: true } if everybody may learn that."
  )
}

/**
 * Refuses estimates at start-up where one of MikroORM's filters is on by default for the rows that are counted, or for
 * rows that filters of the whitelist lead to. What a list includes or sorts by has no part in its estimate.
 *
 * @throws {ConfigError} unless the whitelist says that this is meant
 */
export function checkEstimatesOf (em: EntityManager, whitelist: Whitelist): void {
  const { model, filters } = whitelist
  const counted = new Set([model, ...[...filters.values()].flatMap(relationsOf).map(({ target }) => target)])
  for (const { entity } of counted) {
    if (filtersOfEntity(em, entity).some((filter) => filter.default)) {
      checkEstimates(`The resource of ${model.name}`, whitelist, 'a MikroORM filter')
    }
  }
}
