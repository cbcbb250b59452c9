/** Decides of which entities a role may use all rows, although its rules limit the rows of similar entities. */
import type { EntityManager } from '@mikro-orm/postgresql'
import type { Role } from '../access/index.ts'
import type { EntityModel, Property } from '../model/index.ts'
import { limitsRows, ownersIn } from './owners.ts'
import { isGuardedByFilter } from './unguarded.ts'

/** An entity whose rule has no `rows`. */
export interface ForgottenRows {
  readonly entity: string
  /** The properties that it shares with the limited entities and that may say whose a row is. */
  readonly shared: readonly string[]
  /** The entities whose rows the role's rules limit. */
  readonly limited: readonly string[]
}

/**
 * The entities with a rule without `rows` that have a reference or a number, such as `tenant`, that all entities with
 * `rows` have. The entity that the reference leads to does not need one.
 */
export async function forgottenRows (em: EntityManager, role: Role): Promise<readonly ForgottenRows[]> {
  if (role.unlimited) return []
  const ruled = [...role.entities.values()].flatMap((model) => {
    const rule = role.ruleOf(model.name)
    return rule === undefined ? [] : [{ model, rule }]
  })
  const limited = ruled.filter(({ rule }) => limitsRows(rule)).map(({ model }) => model)
  if (limited.length === 0) return []
  const forgotten: ForgottenRows[] = []
  for (const { model, rule } of ruled) {
    if (rule.unlimited || rule.rows !== undefined) continue
    const shared = ownersIn(model).filter((property) => limited.every((other) => shares(other, property)))
    if (shared.length === 0 || await isGuardedByFilter(em, model)) continue
    forgotten.push({
      entity: model.name,
      shared: shared.map(({ name }) => name),
      limited: limited.map(({ name }) => name),
    })
  }
  return forgotten
}

const shares = (model: EntityModel, property: Property): boolean =>
  model.properties.has(property.name) || (property.kind === 'relation' && property.target === model)
