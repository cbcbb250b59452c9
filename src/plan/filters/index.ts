/** Plans filters: turns the text of `filter[...]` into conditions on resolved properties, with converted values. */
import { ConfigError } from '../../base/errors.ts'
import { matchesEveryText } from '../../operators/index.ts'
import type { FilterParam } from '../../query/index.ts'
import type { QueryErrors } from '../query-errors.ts'
import { cited, refusal } from '../refusal.ts'
import type { Condition, CustomCondition, Deleted } from '../types.ts'
import { Values } from '../values.ts'
import { withoutIgnored } from './ignored.ts'
import { kindOf, takesOperators, type FilterEntry } from './kinds.ts'
import { aboutOr, withNullFilter } from './meant.ts'
import { CODE, parameterName, NOTHING, refuseFilter, type Planned } from './planned.ts'
import { ConditionTree } from './tree.ts'

export type { Compared, FilterFacts, FilterTarget } from './kind.ts'
export { comparedBy, describeFilter, filterEntry, relationsOf, takesOperators, type FilterEntry } from './kinds.ts'
export type { OperatorFilter } from './operators.ts'
export { aboutOr } from './meant.ts'
export { parameterName } from './planned.ts'

/** The filters of a whitelist. */
export interface FilterList {
  readonly filters: ReadonlyMap<string, FilterEntry>
  /** The default filters, each of which applies if a request does not have the filter. */
  readonly defaults: ReadonlyArray<{ readonly entry: FilterEntry, readonly param: FilterParam }>
}

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
}

/** Plans all filters of a request, and the defaults of those that it does not have. Adds errors to `errors`. */
export function planFilters (
  params: readonly FilterParam[],
  whitelist: FilterList,
  values: Values,
  errors: QueryErrors
): PlannedFilters {
  const tree = new ConditionTree()
  const customs: CustomCondition[] = []
  const given = whitelist.defaults.length > 0 ? new Set<FilterEntry>() : undefined
  let deleted: Deleted | undefined

  const add = (param: FilterParam, entry: FilterEntry): void => {
    const planned = plan(param, entry, values)
    switch (planned.kind) {
      case 'condition':
        tree.add(planned.relations, planned.condition)
        break
      case 'custom':
        customs.push(planned.custom)
        break
      case 'deleted':
        if (deleted !== undefined) {
          errors.push(refusal(CODE, parameterName(param), `The filter '${entry.name}' is given more than once.`))
        }
        deleted = planned.deleted
        break
      case 'errors':
        for (const error of planned.errors) errors.push(error)
        return
      case 'nothing':
        break
      default:
        planned satisfies never
    }
    given?.add(entry)
  }

  for (const param of params) {
    const entry = whitelist.filters.get(param.field)
    if (entry !== undefined) add(param, entry)
    else {
      errors.add(CODE, () =>
        refusal(
          CODE,
          parameterName(param),
          `The filter '${cited(param.field)}' is not allowed.${aboutOr(param.field, whitelist.filters)}`,
          { given: param.field, allowed: whitelist.filters.keys() }
        ))
    }
  }
  const certainly = tree.conditions.some((condition) => leavesOut(condition, values))
  const narrows = certainly ? 'certainly' : customs.length > 0 ? 'perhaps' : 'no'
  for (const { entry, param } of whitelist.defaults) {
    if (!given!.has(entry)) add(param, entry)
  }
  return { conditions: tree.conditions, customs, deleted, narrows }
}

/**
 * Whether a condition is meant to leave out rows. A pattern that every text matches, as that of an empty search, leaves
 * out nulls at most.
 */
function leavesOut (condition: Condition, values: Values): boolean {
  switch (condition.kind) {
    case 'compare':
      return !condition.slots.every((slot) => matchesEveryText(condition.operator, values.list[slot]))
    case 'related':
    case 'all':
      return condition.conditions.some((part) => leavesOut(part, values))
    case 'any':
      return condition.conditions.every((part) => leavesOut(part, values))
    default:
      return true
  }
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
