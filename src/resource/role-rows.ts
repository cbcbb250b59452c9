/** The rows that a role may use, by entity. Their conditions are added to those of MikroORM's filters. */
import type { Actor } from '../access/index.ts'
import { aliveOnly, readCondition, withColumnValues, type Where } from '../conditions/index.ts'
import type { EntityModel } from '../model/index.ts'
import type { ActiveFilters } from './foreign.ts'
import { throwingScopeErrors } from './scope.ts'

type MaybePromise<Value> = Value | Promise<Value>

/** The conditions that were read for an actor. */
const readFor = new WeakMap<Actor, Map<EntityModel, MaybePromise<Where | undefined>>>()

/**
 * The rows of an entity that an actor may use; `undefined` for all. It is a promise if the application's function
 * returns one. Related rows that the condition leads to are limited by soft deletion only: the condition is the
 * application's.
 *
 * @throws {ScopeError} for a value that is not certainly a condition
 */
export function rowsOf (actor: Actor, model: EntityModel): MaybePromise<Where | undefined> {
  let known = readFor.get(actor)
  if (known === undefined) readFor.set(actor, known = new Map())
  if (known.has(model)) return known.get(model)
  const [...given] = actor.rowsOf(model.name)
  const rows = given.length === 0 ? undefined : readRows(given[0], model)
  known.set(model, rows)
  return rows
}

function readRows (condition: unknown, model: EntityModel): MaybePromise<Where | undefined> {
  if (isPromise(condition)) return condition.then((where) => readRows(where, model))
  const what = `The rows of ${model.name} that the role may use`
  const where = throwingScopeErrors(what, () => aliveOnly(withColumnValues(readCondition(condition, model))))
  return where.length === 0 ? undefined : where
}

const isPromise = (value: unknown): value is Promise<unknown> =>
  typeof (value as { then?: unknown } | null | undefined)?.then === 'function'

/** Adds the rows of entities to the conditions of MikroORM's filters. */
export async function withRows (
  filters: ActiveFilters,
  actor: Actor | undefined,
  entities: readonly EntityModel[]
): Promise<ActiveFilters> {
  if (actor === undefined || actor.role.unlimited) return filters
  // a function that throws must not keep the promises of others from being awaited
  const rows = await Promise.all(entities.map(async (model) => await rowsOf(actor, model)))
  return guarded(filters, entities, rows)
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
