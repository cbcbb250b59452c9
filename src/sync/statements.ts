/** Statements on a synchronous session: compiled with the conditions of MikroORM's filters, and waited for. */
import type { SyncSession } from '../database/index.ts'
import type { EntityModel } from '../model/index.ts'
import type { Plan } from '../plan/index.ts'
import type { Found } from '../read/index.ts'
import {
  filterError,
  filtersByEntity,
  filtersBySwitch,
  optionsOf,
  switchedBy,
  type ActiveFilters,
  type FilterOptions,
  type FilterType,
  type ReadOptions,
  type Resource,
} from '../resource/index.ts'
import { enterStage, type QueryOperation } from '../run/index.ts'

/** A read, or a look of a write. */
export interface Looking {
  readonly resource: Resource
  readonly session: SyncSession
  readonly options: ReadOptions
  readonly operation: QueryOperation
}

export function findRows (
  { resource, session, options: own, operation }: Looking,
  plan: Plan,
  options: ReadOptions = own
): Found {
  enterStage('compile')
  const needs = resource.needsOf(session, plan, options)
  const active = activeFilters(session, needs.entities, 'read')
  const switched = switchedBy(plan.customs)
  const conditions = switched.map((custom) => filterOf(session, plan.model, 'read', optionsOf(plan.model, custom)))
  const statement = resource.compileWith(
    session,
    plan,
    options,
    operation,
    needs,
    active,
    filtersBySwitch(plan.model, switched, conditions)
  )
  enterStage()
  return { rows: session.run(statement), statement }
}

export function activeFilters (
  session: SyncSession,
  entities: readonly EntityModel[],
  type: FilterType
): ActiveFilters {
  return filtersByEntity(entities, entities.map((model) => filterOf(session, model, type, {})))
}

function filterOf (
  session: SyncSession,
  { entity }: EntityModel,
  type: FilterType,
  options: FilterOptions
): object | undefined {
  try {
    return session.filtersOf(entity, type, options)
  } catch (error) {
    throw filterError(error)
  }
}
