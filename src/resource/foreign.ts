/** Conditions that MikroORM compiles. They may depend on any data, so their statement is compiled for each request. */
import { readConstant, toMikroOrm, type Visible, type Where } from '../conditions/index.ts'
import type { CustomFilterContext } from '../config/index.ts'
import { FilterValidationError } from '../base/errors.ts'
import type { EntityModel } from '../model/index.ts'
import type { CallbackCondition, PlannedRows } from '../plan/index.ts'
import {
  builderOf, filterOfRow, filterSql, foreignOrder, foreignSql, type AnyQueryBuilder, type Bind, type EntityFilter,
  type Foreign, type Sql,
} from '../sql/index.ts'
import { schemaOfUnaccent } from '../run/index.ts'
import { crudContext } from './context.ts'
import {
  filtersBehind, NO_FILTERS, NONE_SWITCHED, type ActiveFilters, type RequestConditions, type SwitchedFilters,
} from './request-conditions.ts'
import { throwingScopeErrors } from './scope.ts'
import { emOf, type CrudSession } from './crud-session.ts'

/**
 * The functions by which MikroORM compiles conditions of a request.
 *
 * @param values the values of the statement; those of the conditions are added to them
 */
export function foreignOf (
  session: CrudSession,
  plan: Pick<PlannedRows, 'model' | 'customs'>,
  { scope, target, inside, context: given }: RequestConditions,
  filters: ActiveFilters,
  values: unknown[],
  switched: SwitchedFilters = NONE_SWITCHED
): Foreign {
  const em = emOf(session)
  const context = crudContext(session, given)
  const bindValue: Bind = (value) => values.push(value) - 1
  const visible = visibleBy(filters)
  const { model } = plan
  const compiled = (what: string, of: EntityModel, alias: string, where: Where, visible?: Visible): Sql | undefined =>
    throwingScopeErrors(what, () => filterSql(em, of, alias, toMikroOrm(where, visible), bindValue))
  return {
    filter: (model, alias) => {
      const where = filters.get(model)
      return where && compiled(`A MikroORM filter of ${model.name}`, model, alias, where)
    },
    unaccent: () => schemaOfUnaccent(em),
    constant: (where, model, alias) =>
      filterSql(em, model, alias, toMikroOrm(readConstant(where, model), visible), bindValue),
    order: ({ sort, callback, descending }, alias) =>
      foreignOrder(
        em,
        model,
        alias,
        (qb) => callback(qb, descending ? 'desc' : 'asc', context),
        bindValue,
        `AllowedSort.custom '${sort}'`
      ),
    inside: (alias) =>
      inside &&
      throwingScopeErrors(
        `The scope of ${model.name}`,
        () => filterOfRow(em, model, alias, toMikroOrm(inside, visibleBy(NO_FILTERS)), bindValue)
      ),
    conditions: (alias) =>
      [
        scope && compiled(`The scope of ${model.name}`, model, alias, scope, visibleBy(filtersBehind(filters))),
        target && compiled(`A MikroORM filter of ${model.name}`, model, alias, target),
        ...plan.customs.map((custom) =>
          custom.kind === 'switched'
            ? compiled(`The MikroORM filter '${custom.filter}'`, model, alias, switched.get(custom)!)
            : foreignSql(em, model, alias, (qb) => narrow(custom, qb, context), bindValue)
        ),
      ].filter((condition) => condition !== undefined),
  }
}

/**
 * Compiles filters of the given entities only. A statement would use any other entity without its filters, because they
 * have not been asked for.
 *
 * @param filter absent if the plan contains all filters
 */
export function plannedOnly (entities: Iterable<EntityModel>, filter?: Foreign['filter']): EntityFilter {
  const known = new Set(entities)
  return (model, alias) => {
    if (!known.has(model)) throw new TypeError(`The filters of ${model.name} are not planned.`)
    return filter?.(model, alias)
  }
}

/** The conditions under which related rows are visible: they are not deleted, and the given filters accept them. */
export function visibleBy (filters: ActiveFilters): Visible {
  return (model) => {
    const alive = model.deletedAt && { [model.deletedAt.name]: null }
    const where = filters.get(model)
    const filter = where && toMikroOrm(where)
    return alive !== undefined && filter !== undefined ? { $and: [alive, filter] } : alive ?? filter
  }
}

/** Calls a custom filter. If the callback fails on the list of a repeated parameter, that is the client's mistake. */
function narrow (
  { parameter, callback, value }: CallbackCondition,
  qb: AnyQueryBuilder,
  context: CustomFilterContext
): AnyQueryBuilder {
  let narrowed: unknown
  try {
    narrowed = callback(qb, value, context)
  } catch (cause) {
    // the callback throws an error with a status on purpose
    if (typeof value === 'string' || (cause as { statusCode?: unknown } | null)?.statusCode !== undefined) throw cause
    const detail = `The filter ${parameter} takes one value; it was given more than once, or with [].`
    throw new FilterValidationError([{ source: { parameter }, code: 'FST_CRUD_FILTER_INVALID', detail }])
  }
  return builderOf(narrowed, `AllowedFilters.custom: the callback of ${parameter}`)
}
