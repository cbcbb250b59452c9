/** Conditions that MikroORM compiles. They may depend on any data, so their statement is compiled for each request. */
import type { Actor } from '../access/index.ts'
import { readConstant, toMikroOrm, type Visible, type Where } from '../conditions/index.ts'
import type { CustomFilterContext } from '../config/index.ts'
import { FilterValidationError } from '../base/errors.ts'
import type { EntityModel } from '../model/index.ts'
import type { CallbackCondition, Plan, SwitchedCondition } from '../plan/index.ts'
import {
  builderOf, filterOfRow, filterSql, foreignOrder, foreignSql, type AnyQueryBuilder, type Bind, type Foreign, type Sql,
} from '../sql/index.ts'
import { schemaOfUnaccent } from '../run/index.ts'
import { crudContext } from './context.ts'
import { throwingScopeErrors } from './scope.ts'
import { emOf, type CrudSession } from './crud-session.ts'

/** Conditions of one request in addition to its query string, as the caller passes them. */
export interface ReadOptions {
  /** A condition in MikroORM's query language on the resource's own rows. It is combined with all others by AND. */
  readonly scope?: object
  /** Include rows that are marked as deleted. Default: false. */
  readonly includeDeleted?: boolean
  /** Passed to custom filters and hooks. */
  readonly context?: Readonly<Record<string, unknown>>
}

/** The same conditions after they have been parsed. */
export interface RequestConditions {
  readonly scope?: Where | undefined
  /** The role and request that the rows of entities are made for. Absent if all rows may be used. */
  readonly actor?: Actor | undefined
  /** The condition of MikroORM's filters for the operation of a write. It holds only for the row that is written. */
  readonly target?: Where | undefined
  /** The condition that a written row must fulfil after the write, if the statement of the write checks it. */
  readonly inside?: Where | undefined
  /** Whether MikroORM's filters are applied. Default: true. */
  readonly filtered?: boolean
  readonly context?: ReadOptions['context']
}

/** The conditions on the own rows of a plan. */
export function ownConditions ({ scope, target }: RequestConditions): Where | undefined {
  return scope === undefined || target === undefined ? scope ?? target : [...scope, ...target]
}

/** The conditions of the active MikroORM filters and of a role's rows, by entity. */
export interface ActiveFilters extends ReadonlyMap<EntityModel, Where> {
  /**
   * All conditions of MikroORM's filters, if this map has others. They hold for related rows that a scope leads to: a
   * condition of the application is not limited by what the role may see.
   */
  readonly ofMikroOrm?: ActiveFilters
  /** Whether the configuration contains all of them, so that they are the same in all requests. */
  readonly fixed?: boolean
}

/** The filters of entities of which none has an active filter, whatever the operation. */
export const NO_FILTERS: ActiveFilters = new Map()

/** The filters of related rows that a scope leads to. */
export const filtersBehind = (filters: ActiveFilters): ActiveFilters => filters.ofMikroOrm ?? filters

/** Filters for related rows that a scope leads to, and for no other rows. */
export const onlyBehind = (filters: ActiveFilters): ActiveFilters =>
  filters === NO_FILTERS ? NO_FILTERS : Object.assign(new Map<EntityModel, Where>(), { ofMikroOrm: filters })

/**
 * The functions by which MikroORM compiles conditions of a request.
 *
 * @param values the values of the statement; those of the conditions are added to them
 */
export function foreignOf (
  session: CrudSession,
  plan: Pick<Plan, 'model' | 'customs'>,
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
  return {
    filter: (model, alias) => {
      const where = filters.get(model)
      return where &&
        throwingScopeErrors(
          `A MikroORM filter of ${model.name}`,
          () => filterSql(em, model, alias, toMikroOrm(where), bindValue)
        )
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
        scope && throwingScopeErrors(`The scope of ${model.name}`, () =>
          filterSql(em, model, alias, toMikroOrm(scope, visibleBy(filtersBehind(filters))), bindValue)),
        target && throwingScopeErrors(`A MikroORM filter of ${model.name}`, () =>
          filterSql(em, model, alias, toMikroOrm(target), bindValue)),
        ...plan.customs.map((custom) =>
          custom.kind === 'switched'
            ? throwingScopeErrors(`The MikroORM filter '${custom.filter}'`, () =>
              filterSql(em, model, alias, toMikroOrm(switched.get(custom)!), bindValue))
            : foreignSql(em, model, alias, (qb) =>
              narrow(custom, qb, context), bindValue)
        ),
      ].filter((condition): condition is Sql =>
        condition !== undefined
      ),
  }
}

/** Conditions of the MikroORM filters that a request has switched on. */
export type SwitchedFilters = ReadonlyMap<SwitchedCondition, Where>

export const NONE_SWITCHED: SwitchedFilters = new Map()

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
export function narrow (
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
