/** Plans filters: turns the text of `filter[...]` into conditions on resolved properties, with converted values. */
import { ConfigError } from '../../base/errors.ts'
import type { FilterLevel, FilterParam } from '../../query/index.ts'
import type { QueryErrors } from '../query-errors.ts'
import type { QueryRules } from '../query-rules.ts'
import type { Condition, CustomCondition, Deleted } from '../condition-types.ts'
import { Values } from '../values.ts'
import type { FilterEntry, FilterList } from './kinds.ts'
import { leavesOut } from './narrowing.ts'
import { LevelPlanner, planFilter } from './plan-level.ts'
import { CODE } from './planned.ts'
import { costOf, withOneNegation } from './tree.ts'

export type { Compared, FilterFacts, FilterTarget } from './kind.ts'
export { jsonKindsOf } from './json-texts.ts'
export {
  comparedBy, describeFilter, documentOf, filterEntry, relationsOf, takesOperators, type FilterEntry, type FilterList,
} from './kinds.ts'
export { aboutOr } from './meant.ts'
export { nameGroups } from './group-names.ts'
export { parameterName } from './planned.ts'
export { together } from './tree.ts'

interface PlannedFilters {
  readonly conditions: readonly Condition[]
  readonly customs: readonly CustomCondition[]
  /** Whether the request selects rows that are marked as deleted, if it has a filter for this. */
  readonly deleted: Deleted | undefined
  /** Whether a filter was left out. */
  readonly skipped: boolean
}

/** The filters of a request that writes the rows which they keep. */
interface NarrowingFilters extends PlannedFilters {
  /**
   * Whether the request itself, and not a default, leaves out rows: by a condition, perhaps by what only MikroORM
   * compiles, or not at all. Neither the filter for deleted rows counts, nor a pattern for every text.
   */
  readonly narrows: 'certainly' | 'perhaps' | 'no'
}

interface FilterOptions extends Pick<QueryRules, 'groups'> {
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
  options: FilterOptions
): PlannedFilters {
  return withDefaults(ownFilters(params, whitelist, values, errors, options), params, whitelist, errors)
}

/** The same, and whether the request itself leaves out rows. */
export function planNarrowingFilters (
  params: FilterLevel,
  whitelist: FilterList,
  values: Values,
  errors: QueryErrors,
  options: FilterOptions
): NarrowingFilters {
  const planner = ownFilters(params, whitelist, values, errors, options)
  // a default may join a condition of the request
  const certainly = planner.tree.conditions.some((condition) => leavesOut(condition, values))
  const narrows = certainly ? 'certainly' : planner.customs.length > 0 ? 'perhaps' : 'no'
  return { ...withDefaults(planner, params, whitelist, errors), narrows }
}

function ownFilters (
  params: FilterLevel,
  whitelist: FilterList,
  values: Values,
  errors: QueryErrors,
  { groups = true, skips }: FilterOptions
): LevelPlanner {
  const planner = new LevelPlanner({ whitelist, values, errors, groups, skips })
  planner.plan(params)
  return planner
}

function withDefaults (
  planner: LevelPlanner,
  params: FilterLevel,
  whitelist: FilterList,
  errors: QueryErrors
): PlannedFilters {
  for (const { entry, param } of whitelist.defaults) {
    if (!planner.has(entry)) planner.add(param, entry)
  }
  const { customs, deleted, skipped, tree } = planner
  const conditions = params.groups.length === 0 ? tree.conditions : combined(tree.conditions, errors)
  return { conditions, customs, deleted, skipped }
}

/** The most sub-queries of a query with groups. Each may read a table of related records. */
export const MAX_SUB_QUERIES = 10

/** The most patterns of a query with groups, each of which may be compared with every text of a table. */
export const MAX_PATTERNS = 20

/** The conditions of a query with groups, with as few sub-queries as possible. */
function combined (all: readonly Condition[], errors: QueryErrors): readonly Condition[] {
  const conditions = withOneNegation(all)
  const { subQueries, patterns } = costOf(conditions)
  const refuse = (detail: string): void => errors.push({ code: CODE, detail, limit: true })
  if (subQueries > MAX_SUB_QUERIES) {
    refuse(`The groups look for related records ${subQueries} times; at most ${MAX_SUB_QUERIES} are allowed.`)
  }
  if (patterns > MAX_PATTERNS) {
    refuse(`The groups compare texts with ${patterns} patterns; at most ${MAX_PATTERNS} are allowed.`)
  }
  return conditions
}

/** @throws {ConfigError} for a default that would be refused in a request */
export function checkDefault (param: FilterParam, entry: FilterEntry): void {
  const planned = planFilter(param, entry, new Values())
  if (planned.kind === 'errors') {
    throw new ConfigError(`AllowedFilters '${entry.name}': the default is refused. ${planned.errors[0]!.detail}`)
  }
}
