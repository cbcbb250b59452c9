/** Compiles statements with the conditions of MikroORM's filters, and runs them on a synchronous session. */
import type { SyncSession } from '../database/index.ts'
import type { EntityModel } from '../model/index.ts'
import type { Plan } from '../plan/index.ts'
import type { FoundRows } from '../read/index.ts'
import {
  filterError,
  filtersByEntity,
  filtersBySwitch,
  optionsOf,
  switchedBy,
  type ActiveFilters,
  type FilterOptions,
  type FilterType,
  type RequestConditions,
  type Resource,
} from '../resource/index.ts'
import { enterStage, type QueryOperation } from '../run/index.ts'

/** A read, or the search of a write for its row. */
export interface Looking {
  readonly resource: Resource
  readonly session: SyncSession
  readonly conditions: RequestConditions
  readonly operation: QueryOperation
}

export function findRows (
  { resource, session, conditions: own, operation }: Looking,
  plan: Plan,
  conditions: RequestConditions = own
): FoundRows {
  enterStage('plan')
  const { model, customs } = plan
  const active = activeFilters(session, resource.entitiesOfRead(plan, conditions), 'read')
  const switches = switchedBy(customs)
  const switched = filtersBySwitch(
    model,
    switches,
    switches.map((custom) => filterOf(session, model, 'read', optionsOf(model, custom)))
  )
  const statement = resource.prepareWith(session, plan, conditions, operation, active, switched)
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
