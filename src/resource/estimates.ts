/** Refuses totals that PostgreSQL's planner estimates for requests that may see only some rows. */
import type { EntityManager } from '@mikro-orm/postgresql'
import type { Role } from '../access/index.ts'
import { ConfigError } from '../base/errors.ts'
import { relationsOf, type Whitelist } from '../plan/index.ts'
import { filtersOfEntity } from './active-filters.ts'

/**
 * Refuses estimates if rows are hidden from requests. The planner knows the values of all rows (PostgreSQL manual,
 * section 14.2), so the estimate for `filter[email]=ann@example.com` would reveal rows that the request may not see.
 *
 * @param what the resource, as the subject of the error's sentence
 * @param hides the condition that hides rows, as a noun
 * @throws {ConfigError} unless the whitelist sets `estimateAllRows`
 */
export function checkEstimates (what: string, { pagination }: Whitelist, hides: string): void {
  if (pagination.count !== 'planned' || pagination.estimateAllRows) return
  throw new ConfigError(
    `${what}: count: 'planned' and ${hides} cannot be combined, ` +
      "since the planner's statistics cover all rows and reveal those that a request may not see. " +
      "Use count: 'exact' or 'none', or write pagination: { count: 'planned', estimateAllRows: true } " +
      'if all clients may learn that.'
  )
}

/**
 * Refuses estimates at start-up if a MikroORM filter is on by default for the counted rows or for rows that filters of
 * the whitelist lead to, or if the role may use only some of these rows. Includes and sorts do not change a list's
 * estimate.
 *
 * @throws {ConfigError} unless the whitelist sets `estimateAllRows`
 */
export function checkEstimatesOf (em: EntityManager, whitelist: Whitelist, role: Role | undefined): void {
  const { model, filters } = whitelist
  const counted = new Set([model, ...[...filters.values()].flatMap(relationsOf).map(({ target }) => target)])
  for (const { entity, name } of counted) {
    if (role?.ruleOf(name)?.limitsRows === true) {
      checkEstimates(`The resource of ${model.name}`, whitelist, `the rows of the role '${role.name}'`)
    }
    if (filtersOfEntity(em, entity).some((filter) => filter.default)) {
      checkEstimates(`The resource of ${model.name}`, whitelist, 'a MikroORM filter')
    }
  }
}
