/** The conditions of the MikroORM filters that are active in a session. */
import { Utils, ValidationError, type FilterDef } from '@mikro-orm/core'
import type { EntityManager } from '@mikro-orm/postgresql'
import {
  conditionOfFilters, conditionOfFiltersNow, isUnfiltered, lacksArguments, NONE_ACTIVE, type FilterOptions,
  type FilterType,
} from '../borrowed/mikro-orm-filters.ts'
import { ALL_ROWS, type Where } from '../conditions/index.ts'
import { SyncSession } from '../database/index.ts'
import { DatabaseError } from '../base/errors.ts'
import { after, allOf, type OrPromise } from '../base/or-promise.ts'
import type { EntityModel } from '../model/index.ts'
import type { PlannedRows, SwitchedCondition } from '../plan/index.ts'
import { NO_FILTERS, NONE_SWITCHED, type ActiveFilters, type SwitchedFilters } from './request-conditions.ts'
import { RequestSession } from './request-session.ts'
import { readFilter } from './scope.ts'
import { emOf, type CrudSession } from './crud-session.ts'

/**
 * The conditions of the active filters of some entities. They are `NO_FILTERS` if no filter is active. On a synchronous
 * session they are a value, on others usually a promise.
 */
export function activeFilters (
  session: CrudSession,
  entities: readonly EntityModel[],
  type: FilterType = 'read'
): OrPromise<ActiveFilters> {
  if (entities.length === 0 || areUnfiltered(session, entities)) return NO_FILTERS
  return after(
    allOf(entities.map(({ entity }) => conditionOf(session, entity, type))),
    (conditions) => filtersByEntity(entities, conditions)
  )
}

/** Whether it is known that no filter is active for the entities of a request. */
const areUnfiltered = (session: CrudSession, entities: readonly EntityModel[]): boolean =>
  session instanceof RequestSession && session.opened === undefined &&
  entities.every(({ entity }) => isUnfiltered(session.shared, entity))

/** @throws {ScopeError} for a value that is not certainly a condition */
function filtersByEntity (
  entities: readonly EntityModel[],
  conditions: ReadonlyArray<object | undefined>
): ActiveFilters {
  if (conditions.every((where) => where === NONE_ACTIVE)) return NO_FILTERS
  const filters = new Map<EntityModel, Where>()
  for (const [index, where] of conditions.entries()) {
    if (where === undefined || where === NONE_ACTIVE) continue
    const model = entities[index]!
    filters.set(model, readFilter(where, model))
  }
  return filters
}

/** The conditions of the filters that a request has switched on. */
export function switchedFilters (
  session: CrudSession,
  { model, customs }: Pick<PlannedRows, 'model' | 'customs'>
): OrPromise<SwitchedFilters> {
  const switched = customs.filter((custom) => custom.kind === 'switched')
  if (switched.length === 0) return NONE_SWITCHED
  return after(
    allOf(switched.map((custom) => conditionBy(session, model.entity, 'read', optionsOf(model, custom)))),
    (conditions) => filtersBySwitch(model, switched, conditions)
  )
}

/** Options that switch on one filter only. Filters that are active by default are applied separately. */
function optionsOf ({ filters }: EntityModel, { filter, args }: SwitchedCondition): FilterOptions {
  return { ...Object.fromEntries(filters.map((name) => [name, false])), [filter]: args ?? true }
}

/** @throws {ScopeError} for a value that is not certainly a condition */
function filtersBySwitch (
  model: EntityModel,
  switched: readonly SwitchedCondition[],
  conditions: ReadonlyArray<object | undefined>
): SwitchedFilters {
  return new Map(switched.map((custom, index) => {
    const where = conditions[index]
    return [custom, where === undefined ? ALL_ROWS : readFilter(where, model)]
  }))
}

/** Entities with filters that need the EntityManager of the request. */
const parameterised = new WeakSet<object>()

/** The condition of the filters of an entity. A request forks its EntityManager only for filters that need it. */
function conditionOf (session: CrudSession, entity: unknown, type: FilterType): OrPromise<object | undefined> {
  const forks = session instanceof RequestSession && session.opened === undefined
  return forks && !parameterised.has(entity as object)
    ? conditionByShared(session, entity, type)
    : conditionBy(session, entity, type)
}

async function conditionByShared (
  session: RequestSession,
  entity: unknown,
  type: FilterType
): Promise<object | undefined> {
  try {
    return await conditionOfFilters(session.shared, entity, type, {})
  } catch (error) {
    // the EntityManager of the request alone has the parameters of filters
    if (!(error instanceof ValidationError)) throw filterError(error)
    parameterised.add(entity as object)
    return await conditionBy(session, entity, type)
  }
}

/** The condition of the filters of an entity, by the session's own EntityManager. */
function conditionBy (
  session: CrudSession,
  entity: unknown,
  type: FilterType,
  options: FilterOptions = {}
): OrPromise<object | undefined> {
  const em = emOf(session)
  if (!(session instanceof SyncSession)) {
    return conditionOfFilters(em, entity, type, options).catch((error: unknown) => {
      throw filterError(error)
    })
  }
  try {
    return conditionOfFiltersNow(em, entity, type, options)
  } catch (error) {
    throw filterError(error)
  }
}

/** Replaces MikroORM's error about missing `setFilterParams`, because its message contains the filter's name. */
function filterError (error: unknown): unknown {
  return lacksArguments(error)
    ? new DatabaseError('A filter that holds for the records of this request has no arguments.', { cause: error })
    : error
}

/** The filters that the ORM's configuration and the entity declare for it, without those that `addFilter` adds. */
export function filtersOfEntity (em: EntityManager, entity: unknown): readonly FilterDef[] {
  const meta = em.getMetadata().get(entity as never)
  const declared = { ...meta.filters, ...em.config.get('filters') } as Record<string, FilterDef>
  return Object.entries(declared)
    .map(([name, filter]) => ({ ...filter, name }))
    .filter(({ entity }) =>
      entity === undefined || Utils.asArray(entity).some((named) => Utils.matchesEntity(named as never, meta as never))
    )
}
