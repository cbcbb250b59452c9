/** The conditions of a request beside its query string: its scope, MikroORM's filters, and the rows of its role. */
import type { Actor } from '../access/index.ts'
import type { Where } from '../conditions/index.ts'
import type { EntityModel } from '../model/index.ts'
import type { SwitchedCondition } from '../plan/index.ts'

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

/** Conditions of the MikroORM filters that a request has switched on. */
export type SwitchedFilters = ReadonlyMap<SwitchedCondition, Where>

export const NONE_SWITCHED: SwitchedFilters = new Map()
