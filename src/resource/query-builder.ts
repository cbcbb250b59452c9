/** A list as MikroORM's QueryBuilder: the way out for queries that this package does not know. */
import type { EntityManager } from '@mikro-orm/postgresql'
import type { Actor } from '../access/index.ts'
import { doInTurn } from '../base/steps.ts'
import { columnsOf, type EntityModel } from '../model/index.ts'
import type { KeysetPlan, ListPlan } from '../plan/index.ts'
import { applyPlan, ROOT_ALIAS, type AnyQueryBuilder, type BuilderParts } from '../sql/index.ts'
import { activeFilters, switchedFilters } from './active-filters.ts'
import { knowUnaccent } from './crud-session.ts'
import { foreignOf, plannedOnly } from './foreign.ts'
import type { ReadOptions } from './request-conditions.ts'
import type { Resource } from './resource.ts'
import { withRows } from './role-rows.ts'

/** The plan of a list as MikroORM's QueryBuilder, with scope, filters and the role's rows applied. */
export async function queryBuilderOf (
  resource: Resource,
  em: EntityManager,
  plan: ListPlan | KeysetPlan,
  options: ReadOptions & BuilderParts,
  actor: Actor | undefined
): Promise<AnyQueryBuilder> {
  const { entities, model, whitelist } = resource
  if (whitelist.needsUnaccent) await doInTurn(knowUnaccent(em))
  const conditions = resource.readConditions(options, actor)
  const asked = resource.entitiesWithScope(entities, conditions)
  const active = await activeFilters(em, asked)
  const filters = await doInTurn(withRows(em, active, actor, entities))
  const switched = await switchedFilters(em, plan)
  const qb = em.createQueryBuilder(plan.model.entity as never, ROOT_ALIAS) as unknown as AnyQueryBuilder
  if (actor?.role.unlimited === false) qb.select(visibleNames(model) as never)
  // the builder binds values itself: those of the conditions that MikroORM compiles are added after the plan's values
  const values = [...plan.values]
  const foreign = foreignOf(em, plan, conditions, filters, values, switched)
  return applyPlan(qb, { ...plan, values }, { ...foreign, filter: plannedOnly(asked, foreign.filter) }, options)
}

/** The properties on columns that a role sees, and the primary key. */
const visibleNames = ({ properties, primaryKey }: EntityModel): readonly string[] =>
  [...properties.values()]
    .filter((property) =>
      primaryKey.some((part) => part.property === property) || (!property.hidden && columnsOf(property).length > 0)
    )
    .map(({ name }) => name)
