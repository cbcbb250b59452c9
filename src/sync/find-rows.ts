/** Compiles statements with the conditions of MikroORM's filters, and runs them on a synchronous session. */
import type { Actor } from '../access/index.ts'
import type { SyncSession } from '../database/index.ts'
import { ConfigError } from '../base/errors.ts'
import type { EntityModel } from '../model/index.ts'
import { isPromise, type OrPromise } from '../base/or-promise.ts'
import type { Plan } from '../plan/index.ts'
import type { FoundRows } from '../read/index.ts'
import {
  callFor,
  filterError,
  filtersByEntity,
  filtersBySwitch,
  guarded,
  optionsOf,
  ownFilters,
  rowsOf,
  switchedBy,
  type ActiveFilters,
  type Call,
  type CrudClass,
  type FilterOptions,
  type FilterType,
  type OperationOptions,
  type ReadFilters,
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

/** The rows that a write looks for. */
export function findRows (
  looking: Looking,
  plan: Plan,
  conditions: RequestConditions = looking.conditions
): FoundRows {
  const { resource, session, operation } = looking
  const filters = readFilters({ ...looking, conditions }, plan)
  const statement = resource.prepareWith(session, plan, conditions, operation, filters)
  return { rows: session.run(statement), statement }
}

/** The conditions of MikroORM's filters and of the role's rows for a read. */
export function readFilters ({ resource, session, conditions }: Looking, plan: Plan): ReadFilters {
  enterStage('plan')
  const { model, customs } = plan
  const entities = resource.entitiesRead(plan)
  const behind = activeFilters(session, resource.entitiesOfRead(entities, conditions), 'read')
  const filters = withRows(ownFilters(conditions, behind), conditions.actor, entities)
  const switches = switchedBy(customs)
  const switched = filtersBySwitch(
    model,
    switches,
    switches.map((custom) => filterOf(session, model, 'read', optionsOf(model, custom)))
  )
  return { filters, behind, switched }
}

/** Adds the rows that the role of a session may use to the conditions of MikroORM's filters. */
export function withRows (
  filters: ActiveFilters,
  actor: Actor | undefined,
  entities: readonly EntityModel[]
): ActiveFilters {
  if (actor === undefined) return filters
  return guarded(filters, entities, entities.map((model) => known(rowsOf(actor, model), () => model)))
}

/**
 * The call of a caller on a synchronous session.
 *
 * @throws {ConfigError} if the application's function `rows` returns a promise
 */
export function callSync (
  crud: CrudClass,
  session: SyncSession,
  operation: QueryOperation,
  options: OperationOptions
): Call<SyncSession> {
  return known(callFor(crud, session, operation, options), () => crud.bind(session.em).model)
}

/** The rows of a role, or what was made of them. It refuses the promise that the application's function returned. */
function known<Value> (value: OrPromise<Value>, modelOf: () => EntityModel): Value {
  if (!isPromise(value)) return value
  value.catch(() => {})
  throw new ConfigError(
    `access: 'rows' of ${modelOf().name} returns a promise, which a synchronous session (useAsync: false) cannot ` +
      'wait for: use a DatabaseFactory without useAsync: false, and await the result.'
  )
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
