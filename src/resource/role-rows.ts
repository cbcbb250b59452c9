/** The rows that a role may use, by entity. Their conditions are added to those of MikroORM's filters. */
import type { Actor } from '../access/index.ts'
import { aliveOnly, readCondition, withColumnValues, type Where } from '../conditions/index.ts'
import type { EntityModel } from '../model/index.ts'
import { isPromise, type OrPromise } from '../or-promise.ts'
import type { ActiveFilters } from './foreign.ts'
import { throwingScopeErrors } from './scope.ts'

/** The conditions that were read for an actor, so that the application's functions are called once for each request. */
const readFor = new WeakMap<Actor, Map<EntityModel, OrPromise<Where | undefined>>>()

/**
 * The rows of an entity that an actor may use; `undefined` for all. It is a promise if the application's function
 * returns one. Related rows that the condition leads to are limited by soft deletion only: the condition is the
 * application's.
 *
 * @throws {ScopeError} for a value that is not certainly a condition
 */
export function rowsOf (actor: Actor, model: EntityModel): OrPromise<Where | undefined> {
  let known = readFor.get(actor)
  if (known === undefined) readFor.set(actor, known = new Map())
  if (known.has(model)) return known.get(model)
  const [...given] = actor.rowsOf(model.name)
  const rows = given.length === 0 ? undefined : readRows(given[0], model)
  known.set(model, rows)
  return rows
}

function readRows (condition: unknown, model: EntityModel): OrPromise<Where | undefined> {
  if (isPromise(condition)) return Promise.resolve(condition).then((where) => readRows(where, model))
  const what = `The rows of ${model.name} that the role may use`
  const where = throwingScopeErrors(what, () => aliveOnly(withColumnValues(readCondition(condition, model))))
  return where.length === 0 ? undefined : where
}

/** Adds the rows of entities to the conditions of MikroORM's filters. */
export async function withRows (
  filters: ActiveFilters,
  actor: Actor | undefined,
  entities: readonly EntityModel[]
): Promise<ActiveFilters> {
  if (actor === undefined || actor.role.unlimited) return filters
  const rows: Array<OrPromise<Where | undefined>> = []
  try {
    for (const model of entities) rows.push(rowsOf(actor, model))
  } catch (error) {
    // promises of entities before this one may be rejected, too, and a rejection must be awaited
    await Promise.allSettled(rows)
    throw error
  }
  return guarded(filters, entities, rows.some(isPromise) ? await Promise.all(rows) : rows as Array<Where | undefined>)
}

/** The same for rows that are known already. */
export function guarded (
  filters: ActiveFilters,
  entities: readonly EntityModel[],
  rows: ReadonlyArray<Where | undefined>
): ActiveFilters {
  if (rows.every((where) => where === undefined)) return filters
  const all = new GuardedFilters(filters)
  for (const [index, where] of rows.entries()) {
    const model = entities[index]!
    if (where !== undefined) all.set(model, [...filters.get(model) ?? [], ...where])
  }
  return all
}

class GuardedFilters extends Map<EntityModel, Where> implements ActiveFilters {
  readonly ofMikroOrm: ActiveFilters

  constructor (filters: ActiveFilters) {
    super(filters)
    this.ofMikroOrm = filters
  }
}
