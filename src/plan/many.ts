/**
 * Plans writes of many records. Their rows are those that a list with the same filters shows, and at least one filter
 * of the request must leave out rows.
 */
import { listed } from '../base/suggest.ts'
import type { FilterLevel, FilterParam, QueryParamError, QueryParams } from '../query/index.ts'
import { EMPTY_RECORD, type RecordData } from './record-data.ts'
import { parameterName, planNarrowingFilters, type FilterEntry } from './filters/index.ts'
import { rowParameters, selectionParameters } from './given.ts'
import { deletedOf, errorsBeforePlanning, type PlanOptions } from './plan-rows.ts'
import { refusal } from './refusal.ts'
import type { Slot } from './condition-types.ts'
import type { PlannedRows } from './plan-types.ts'
import { Values } from './values.ts'
import type { Whitelist } from './whitelist/index.ts'
import {
  assignmentsOf, referenceChecks, type Assignment, type CheckedRows, type MayBeHidden, type ReferenceCheck,
} from './write.ts'

/** The rows of a write of many records. */
export interface ManyTarget extends PlannedRows {
  readonly kind: 'target'
  /** Whether a filter certainly leaves out rows. Only MikroORM knows that of custom filters and filters of entities. */
  readonly narrows: 'certainly' | 'perhaps'
}

/** A write of many rows, or one of the statements that belong to it. */
export interface ManyPlan extends PlannedRows, CheckedRows {
  readonly kind: 'many'
  /**
   * What happens to the rows. To lock them returns their keys, and to count them changes nothing. If they are locked
   * for links, others may be linked to them at the same time.
   */
  readonly does: 'update' | 'delete' | 'lock' | 'lockForLinks' | 'count'
  /** The number of rows to look for: one more than may be written. */
  readonly fetchSlot: Slot
  readonly assignments: readonly Assignment[]
  /** The records that the written rows will refer to. The statement writes no rows unless all of them are visible. */
  readonly references: readonly ReferenceCheck[]
  /** Whether the statement returns the keys of the written rows. */
  readonly returnsKeys: boolean
}

interface ManyOptions extends PlanOptions {
  /** Whether rows that are marked as deleted stay as they are. A filter that asks for them is then refused. */
  readonly onlyLive: boolean
}

/**
 * Finds out which rows a write of many records is about.
 *
 * @param own further errors of the query string
 * @throws the error for the first kind of error that occurs, with all errors in `errors`. `ignoreInvalidErrors` has no
 *   effect: without a filter that is invalid, the write would have more rows.
 */
export function planMany (
  params: QueryParams,
  whitelist: Whitelist,
  options: ManyOptions,
  own: readonly QueryParamError[] = []
): ManyTarget {
  const errors = errorsBeforePlanning(params, whitelist, 'many', options, otherParameters(params))
  for (const error of own) errors.push(error)
  const values = new Values()
  const { filters } = whitelist
  const list = options.onlyLive ? { ...whitelist, lists: (entry: FilterEntry) => !isTrashed(entry) } : whitelist
  const { conditions, customs, deleted, narrows } = planNarrowingFilters(params, list, values, errors, options)
  if (options.onlyLive) {
    const asked = certainFilters(params)
      .find(({ field, value }) => isTrashed(filters.get(field)) && value !== 'without')
    if (asked !== undefined) {
      const name = parameterName(asked)
      errors.push(
        refusal('FST_CRUD_FILTER_INVALID', name, `Records that are deleted stay unchanged: leave ${name} out.`)
      )
    }
  }
  if (narrows === 'no' && errors.count === 0) errors.push(notNarrowed(whitelist))
  errors.throw()
  return {
    kind: 'target',
    model: whitelist.model,
    conditions,
    customs,
    deleted: options.onlyLive ? deletedOf(options) : deleted ?? deletedOf(options),
    narrows: narrows === 'certainly' ? narrows : 'perhaps',
    values: values.list,
  }
}

/** The filters that every row must match: those at the root and in its `and`. */
function certainFilters ({ filters, groups }: FilterLevel): readonly FilterParam[] {
  const more = groups.filter(({ word }) => word === 'and').flatMap(({ members }) => members.flatMap(certainFilters))
  return more.length === 0 ? filters : [...filters, ...more]
}

/** The parameters of a list that choose a part of its rows, their order or what they show. */
const otherParameters = (params: QueryParams): readonly string[] => [
  ...rowParameters(params).filter(([code]) => code !== 'FST_CRUD_FILTER_INVALID').map(([, name]) => name),
  ...selectionParameters(params),
]

const isTrashed = (entry: FilterEntry | undefined): boolean => entry?.kind === 'trashed'

/** Whether a whitelist has filters that can leave out rows. */
export const canNarrow = ({ filters }: Whitelist): boolean => [...filters.values()].some((filter) => !isTrashed(filter))

/** The error of a request whose filters leave out no rows. */
export function notNarrowed ({ filters }: Whitelist): QueryParamError {
  const names = [...filters.values()].filter((filter) => !isTrashed(filter)).map(({ name }) => `filter[${name}]`)
  const allowed = listed(names)
  return {
    code: 'FST_CRUD_FILTER_INVALID',
    detail: 'A write of many records needs a filter that leaves out others. Defaults, an empty search, a pattern ' +
      'that every text matches, an empty list after nin or contains, and whether records are deleted do not count. ' +
      `Allowed: ${allowed.join(', ')}${allowed.length < names.length ? ', ...' : ''}.`,
    allowed,
  }
}

/** What a write of many records does to the rows of its target. */
export interface ManyChange {
  readonly does: ManyPlan['does']
  /** The maximum number of rows. */
  readonly maxAffected: number
  /** The new values, the same for all rows. */
  readonly data?: Pick<RecordData, 'columns' | 'values' | 'references'>
  readonly returnsKeys?: boolean
  readonly mayBeHidden?: MayBeHidden
}

/** Plans a statement on the rows of a target. */
export function planChanges (
  { model, conditions, customs, deleted, values: ofTarget }: ManyTarget,
  { does, maxAffected, data, returnsKeys = false, mayBeHidden = () => false }: ManyChange
): ManyPlan {
  const values = new Values(ofTarget)
  const { references } = data ?? EMPTY_RECORD
  const assignments = assignmentsOf(data ?? EMPTY_RECORD, values)
  return {
    kind: 'many',
    does,
    model,
    conditions,
    customs,
    deleted,
    fetchSlot: values.add(maxAffected + 1),
    assignments,
    references: referenceChecks(references, mayBeHidden, values, true),
    returnsKeys,
    values: values.list,
  }
}
