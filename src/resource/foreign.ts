/** Conditions in MikroORM's words: they may look at anything, so a request that brings some has a statement of its own. */
import type { CustomFilterContext } from '../config/index.ts'
import { FilterValidationError } from '../errors.ts'
import type { EntityModel } from '../model/index.ts'
import type { CallbackCondition, Plan, ScopeCondition } from '../plan/index.ts'
import {
  builderOf,
  filterSql,
  foreignOrder,
  foreignSql,
  guarded,
  type AnyQueryBuilder,
  type Bind,
  type Foreign,
  type Sql,
  type Visible,
} from '../sql/index.ts'
import { contextOf } from './context.ts'
import { certain } from './scope.ts'
import { emOf, type CrudSession } from './session.ts'

/** Conditions of one request beside its query string. */
export interface ReadOptions {
  /** A condition in MikroORM's query language on the resource's own rows, ANDed to everything. */
  readonly scope?: object
  /** Also see rows that are marked as deleted. Default: false. */
  readonly includeDeleted?: boolean
  /** Rows that MikroORM's filters hide are left out. Default: true. */
  readonly filtered?: boolean
  /** Handed to custom filters and hooks. */
  readonly context?: Readonly<Record<string, unknown>>
}

/** Conditions of MikroORM's filters by entity: those of the filters that are active. */
export type ActiveFilters = ReadonlyMap<EntityModel, object>

export const NO_FILTERS: ActiveFilters = new Map()

/**
 * What MikroORM compiles of a request's conditions.
 *
 * @param values of the statement, which those of the conditions are added to
 * @param behind the filters of related rows that the scope leads to, which hold whether or not the record itself is filtered
 */
export function foreignOf (
  session: CrudSession,
  plan: Pick<Plan, 'model' | 'customs'>,
  options: ReadOptions,
  filters: ActiveFilters,
  values: unknown[],
  { scopes = NO_SCOPES, behind = filters }: { readonly scopes?: Scopes, readonly behind?: ActiveFilters } = {}
): Foreign {
  const em = emOf(session)
  const bindValue: Bind = (value) => values.push(value) - 1
  const visible = visibleBy(filters)
  return {
    filter: (model, alias) => {
      const where = filters.get(model)
      return where && certain(`A MikroORM filter of ${model.name}`, () => filterSql(em, model, alias, where, bindValue))
    },
    constant: (where, model, alias) => filterSql(em, model, alias, guarded(where, model, visible) as object, bindValue),
    order: ({ sort, callback, descending }, alias) =>
      foreignOrder(
        em,
        plan.model,
        alias,
        (qb) => callback(qb, descending ? 'desc' : 'asc', { ...options.context, em }),
        bindValue,
        `AllowedSort.custom '${sort}'`
      ),
    conditions: (alias) =>
      [
        options.scope && certain(`The scope of ${plan.model.name}`, () =>
          filterSql(em, plan.model, alias, guarded(options.scope, plan.model, visibleBy(behind)) as object, bindValue)),
        ...plan.customs.map((custom) =>
          custom.kind === 'scope'
            ? certain(`The MikroORM filter '${custom.filter}'`, () =>
              filterSql(em, plan.model, alias, scopes.get(custom)!, bindValue))
            : foreignSql(em, plan.model, alias, (qb) =>
              narrow(custom, qb, contextOf(session, options.context)), bindValue)
        ),
      ].filter((condition): condition is Sql => condition !== undefined),
  }
}

/** Conditions of the MikroORM filters that a request has switched on. */
export type Scopes = ReadonlyMap<ScopeCondition, object>

export const NO_SCOPES: Scopes = new Map()

/** What makes related rows visible where MikroORM's filters are these. */
export function visibleBy (filters: ActiveFilters): Visible {
  return (model) => {
    const alive = model.deletedAt && { [model.deletedAt.name]: null }
    const filter = filters.get(model)
    return alive !== undefined && filter !== undefined ? { $and: [alive, filter] } : alive ?? filter
  }
}

/** A callback that fails on the list of a repeated parameter takes one value: that is the client's mistake. */
export function narrow (
  { parameter, callback, value }: CallbackCondition,
  qb: AnyQueryBuilder,
  context: CustomFilterContext
): AnyQueryBuilder {
  let narrowed: unknown
  try {
    narrowed = callback(qb, value, context)
  } catch (cause) {
    // an error with a status is one that the callback means
    if (typeof value === 'string' || (cause as { statusCode?: unknown } | null)?.statusCode !== undefined) throw cause
    const detail = `The filter ${parameter} takes one value; it was given more than once, or with [].`
    throw new FilterValidationError([{ source: { parameter }, code: 'FST_CRUD_FILTER_INVALID', detail }])
  }
  return builderOf(narrowed, `AllowedFilters.custom: the callback of ${parameter}`)
}
