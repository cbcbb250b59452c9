/** Plans filters: turns the text of `filter[...]` into conditions on resolved properties, with converted values. */
import { ConfigError } from '../../base/errors.ts'
import type { FilterLevel, FilterParam } from '../../query/index.ts'
import type { QueryErrors } from '../query-errors.ts'
import type { Condition, CustomCondition, Deleted } from '../types.ts'
import { Values } from '../values.ts'
import { withoutIgnored } from './ignored.ts'
import { kindOf, takesOperators, type FilterEntry } from './kinds.ts'
import { withNullFilter } from './meant.ts'
import { leavesOut } from './narrowing.ts'
import { LevelPlanner, type FilterList, type GroupOptions } from './plan-level.ts'
import { NOTHING, refuseFilter, type Planned } from './planned.ts'

export type { Compared, FilterFacts, FilterTarget } from './kind.ts'
export { jsonKindsOf } from './json-texts.ts'
export {
  comparedBy, describeFilter, documentOf, filterEntry, relationsOf, takesOperators, type FilterEntry,
} from './kinds.ts'
export type { OperatorFilter } from './operators.ts'
export { aboutOr } from './meant.ts'
export type { FilterList, GroupOptions } from './plan-level.ts'
export { nameGroups } from './group-names.ts'
export { parameterName } from './planned.ts'

export interface PlannedFilters {
  readonly conditions: readonly Condition[]
  readonly customs: readonly CustomCondition[]
  /** Whether the request selects rows that are marked as deleted, if it has a filter for this. */
  readonly deleted: Deleted | undefined
  /**
   * Whether the request itself, and not a default, leaves out rows: by a condition, perhaps by what only MikroORM
   * compiles, or not at all. Which rows are marked as deleted does not count, and patterns that every text matches do
   * not, either.
   */
  readonly narrows: 'certainly' | 'perhaps' | 'no'
  /** Whether a filter was left out. */
  readonly skipped: boolean
}

interface FilterOptions extends GroupOptions {
  /** Whether to leave out a filter, unless it stands inside of `or` or `not`. Default: none. */
  readonly skips?: ((entry: FilterEntry) => boolean) | undefined
}

/**
 * Plans all filters and groups of a request, and the defaults of filters that it does not have. Adds errors to
 * `errors`.
 */
export function planFilters (
  params: FilterLevel,
  whitelist: FilterList,
  values: Values,
  errors: QueryErrors,
  { groups = true, skips }: FilterOptions = {}
): PlannedFilters {
  const planner = new LevelPlanner({ whitelist, values, errors, groups, skips, plan })
  planner.plan(params)
  const { conditions } = planner.tree
  const certainly = conditions.some((condition) => leavesOut(condition, values))
  const narrows = certainly ? 'certainly' : planner.customs.length > 0 ? 'perhaps' : 'no'
  for (const { entry, param } of whitelist.defaults) {
    if (!planner.has(entry)) planner.add(param, entry)
  }
  return { conditions, customs: planner.customs, deleted: planner.deleted, narrows, skipped: planner.skipped }
}

/** @throws {ConfigError} for a default that would be refused in a request */
export function checkDefault (param: FilterParam, entry: FilterEntry): void {
  const planned = plan(param, entry, new Values())
  if (planned.kind === 'errors') {
    throw new ConfigError(`AllowedFilters '${entry.name}': the default is refused. ${planned.errors[0]!.detail}`)
  }
}

function plan (param: FilterParam, entry: FilterEntry, values: Values): Planned {
  const kind = kindOf(entry)
  // the operator decides whether a text is a list with items that may be ignored
  if (takesOperators(entry)) {
    const planned = kind.plan(param, entry, values)
    return planned.kind === 'errors' ? withNullFilter(planned, param, entry) : planned
  }
  const meant = withoutIgnored(param, entry.ignored)
  if (meant === undefined) return NOTHING
  if (meant.operator !== undefined) return refuseFilter(meant, `The filter '${entry.name}' takes no operator.`)
  return kind.plan(meant, entry, values)
}
