/** The rows that a role may use, by entity. Their conditions are added to those of MikroORM's filters. */
import { hidingErrors, type Actor, type Rule } from '../access/index.ts'
import { madeOnce } from '../base/made-once.ts'
import {
  aliveOnly, ALL_ROWS, entitiesBehind, filteredOnly, readCondition, withColumnValues, type Where,
} from '../conditions/index.ts'
import type { EntityModel } from '../model/index.ts'
import { after, isPromise, type OrPromise } from '../base/or-promise.ts'
import { cannotWait, wait, type Steps } from '../base/steps.ts'
import { activeFilters } from './active-filters.ts'
import type { CrudSession } from './crud-session.ts'
import { filtersBehind, NO_FILTERS, type ActiveFilters } from './request-conditions.ts'
import { throwingScopeErrors, unknownScope } from './scope.ts'

/**
 * The rows of an entity that an actor may use. It is a promise if the application's function returns one. Related rows
 * that the condition leads to are not limited by what the role may see: the condition is the application's. Deleted
 * ones do not count.
 *
 * @throws {ScopeError} for a value that is not certainly a condition
 * @throws what the application's function throws, if that has a status, or else a {ScopeError}
 */
function rowsOf (actor: Actor, model: EntityModel): OrPromise<Where> {
  const rule = actor.role.ruleOf(model.name)
  const given = rule?.rows
  if (given === undefined) return ALL_ROWS
  if (typeof given !== 'function') return constantRows(rule!)(model)
  const known = actor.readRows
  let rows = known.get(model)
  if (rows === undefined) {
    const condition = hidingErrors<unknown>(() => given(actor.requestFor(model.name)), unknownScope)
    known.set(model, rows = after(condition, (condition) => readCertain(condition, model)))
  }
  return rows
}

/** The rows of a rule that are the same for all requests, by entity. */
const constantRows = madeOnce(({ rows }: Rule) => madeOnce((model: EntityModel): Where => readCertain(rows, model)))

const readCertain = (condition: unknown, model: EntityModel): Where =>
  throwingScopeErrors(
    `access: 'rows' of ${model.name}`,
    () => aliveOnly(withColumnValues(readCondition(condition, model)))
  )

/**
 * The rows of an entity that an actor may use; `undefined` for all. It waits for them if they are a promise. Related
 * rows that MikroORM's filters hide do not count either.
 */
export function * waitForFilteredRows (
  session: CrudSession,
  actor: Actor,
  model: EntityModel
): Steps<Where | undefined> {
  const rows = yield * wait(rowsOf(actor, model), () => cannotWaitForRows(model))
  return rows.length === 0 ? undefined : yield * filteredRows(session, rows)
}

function * filteredRows (session: CrudSession, rows: Where): Steps<Where> {
  const behind = entitiesBehind(rows)
  const filters = behind.size === 0 ? NO_FILTERS : yield * wait(activeFilters(session, [...behind]))
  return filters === NO_FILTERS ? rows : filteredOnly(rows, filters)
}

const cannotWaitForRows = ({ name }: EntityModel): Error => cannotWait(`access: 'rows' of ${name} returns a promise`)

/** Adds the rows of entities to the conditions of MikroORM's filters. It waits for rows that are promises. */
export function * withRows (
  session: CrudSession,
  filters: ActiveFilters,
  actor: Actor | undefined,
  entities: readonly EntityModel[]
): Steps<ActiveFilters> {
  if (actor === undefined || actor.role.unlimited) return filters
  const rows: Array<OrPromise<Where>> = []
  let fixed = filters.size === 0
  try {
    for (const model of entities) {
      rows.push(rowsOf(actor, model))
      fixed &&= typeof actor.role.ruleOf(model.name)?.rows !== 'function'
    }
  } catch (error) {
    // a rejection of the promises among them must be awaited
    yield * wait(Promise.allSettled(rows), () => error as Error)
    throw error
  }
  const waits = rows.findIndex(isPromise)
  const known = waits < 0
    ? rows as Where[]
    : yield * wait(Promise.all(rows), () => cannotWaitForRows(entities[waits]!))
  for (const [index, where] of known.entries()) {
    if (where.length > 0) known[index] = yield * filteredRows(session, where)
  }
  return guarded(filters, entities, known, fixed)
}

/** @param fixed whether all conditions are the same in all requests */
function guarded (
  filters: ActiveFilters,
  entities: readonly EntityModel[],
  rows: readonly Where[],
  fixed: boolean
): ActiveFilters {
  let all: GuardedFilters | undefined
  for (let index = 0; index < rows.length; index++) {
    const where = rows[index]!
    if (where.length === 0) continue
    const model = entities[index]!
    const own = filters.get(model)
    all ??= new GuardedFilters(filters, fixed)
    all.set(model, own === undefined ? where : [...own, ...where])
  }
  return all ?? filters
}

class GuardedFilters extends Map<EntityModel, Where> implements ActiveFilters {
  readonly ofMikroOrm: ActiveFilters
  readonly fixed: boolean

  constructor (filters: ActiveFilters, fixed: boolean) {
    super()
    this.fixed = fixed
    for (const [model, where] of filters) this.set(model, where)
    this.ofMikroOrm = filtersBehind(filters)
  }
}
