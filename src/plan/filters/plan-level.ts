/**
 * Plans the filters and groups of a request. A level is a set of filters and groups that must all hold: the request
 * itself, and each member of a group.
 */
import type { FilterGroup, FilterLevel, FilterParam, QueryParamError } from '../../query/index.ts'
import type { QueryErrors } from '../query-errors.ts'
import { refusal } from '../refusal.ts'
import type { Condition, CustomCondition, Deleted } from '../condition-types.ts'
import type { Values } from '../values.ts'
import { memberBrackets, nameGroups, placeFilter } from './group-names.ts'
import { withoutIgnored } from './ignored.ts'
import { kindOf, takesOperators, type FilterEntry, type FilterList } from './kinds.ts'
import { pathIn, unknownFilter, withNullFilter, withoutGroups } from './meant.ts'
import { refuseOperator } from './operators.ts'
import { CODE, NOTHING, parameterName, refuseFilter, type Planned } from './planned.ts'
import { ConditionTree, either, together, withOneNegation } from './tree.ts'

/** What levels are planned with. */
interface Planning {
  readonly whitelist: FilterList
  readonly values: Values
  readonly errors: QueryErrors
  readonly groups: boolean
  /** Whether to leave out a filter that a row must match. */
  readonly skips: ((entry: FilterEntry) => boolean) | undefined
}

/** Where a level stands. */
interface LevelPlace {
  /** The brackets of the groups around the level. */
  readonly brackets: string
  /** Whether all groups around it are `and`, so that a row must match whatever stands here. */
  readonly mustHold: boolean
}

const ROOT: LevelPlace = { brackets: '', mustHold: true }

export class LevelPlanner {
  readonly tree = new ConditionTree()
  readonly customs: CustomCondition[] = []
  /** Whether the request selects rows that are marked as deleted, if it has a filter for this. */
  deleted: Deleted | undefined
  /** Whether a filter was left out. */
  skipped = false
  readonly #planning: Planning
  readonly #given: Set<FilterEntry> | undefined

  constructor (planning: Planning) {
    this.#planning = planning
    this.#given = planning.whitelist.defaults.length > 0 ? new Set() : undefined
  }

  /** Plans the root: the filters of the request, and its groups. */
  plan (level: FilterLevel): void {
    const { groups, whitelist: { filters } } = this.#planning
    if (groups || level.groups.length === 0) return this.#level(level, this.tree, ROOT)
    this.#level({ ...level, groups: [] }, this.tree, ROOT)
    for (const [index, first] of nameGroups(level).entries()) {
      this.#refuse(refusal(CODE, parameterName(first), withoutGroups(level.groups[index]!.word, filters)), false)
    }
  }

  /** Whether the request has a filter, wherever it stands. */
  has (entry: FilterEntry): boolean {
    return this.#given!.has(entry)
  }

  /** Plans a filter at the root. */
  add (param: FilterParam, entry: FilterEntry): void {
    this.#filter(param, entry, this.tree, ROOT)
  }

  #level (level: FilterLevel, tree: ConditionTree, place: LevelPlace): void {
    const { errors, groups, whitelist } = this.#planning
    for (const param of level.filters) {
      if (place !== ROOT) placeFilter(param, place.brackets)
      const entry = whitelist.filters.get(param.field)
      if (entry !== undefined) this.#filter(param, entry, tree, place)
      else errors.add(CODE, () => unknownFilter(param, whitelist, groups), !place.mustHold)
    }
    for (const group of level.groups) tree.conditions.push(...this.#group(group, place))
  }

  /** Conditions of an `and` that lead to one related row are apart from those around it: groups are independent. */
  #group ({ word, members }: FilterGroup, { brackets, mustHold }: LevelPlace): readonly Condition[] {
    const plan = (member: FilterLevel, index: number, tree: ConditionTree): void =>
      this.#level(member, tree, {
        brackets: brackets + memberBrackets(word, index),
        mustHold: mustHold && word === 'and',
      })
    const planned = (member: FilterLevel, index: number): readonly Condition[] => {
      const tree = new ConditionTree()
      plan(member, index, tree)
      return withOneNegation(tree.conditions)
    }
    switch (word) {
      case 'and': {
        const tree = new ConditionTree()
        for (const [index, member] of members.entries()) plan(member, index, tree)
        return tree.conditions
      }
      case 'or': {
        const alternatives = members.map(planned)
        // a member without a condition keeps every row
        if (alternatives.some(({ length }) => length === 0)) return []
        return [either(alternatives.map(together))]
      }
      case 'not':
        return members.map((member) => ({ kind: 'unless', conditions: planned(member, 0) }))
    }
  }

  #filter (param: FilterParam, entry: FilterEntry, tree: ConditionTree, { mustHold }: LevelPlace): void {
    const { values, skips } = this.#planning
    if (mustHold && skips?.(entry) === true) {
      this.skipped = true
      this.#given?.add(entry)
      return
    }
    const planned = planFilter(param, entry, values)
    switch (planned.kind) {
      case 'condition':
        tree.add(planned.relations, planned.condition)
        break
      case 'custom':
        if (!mustHold) return this.#refuse(misplaced(param, entry), mustHold)
        this.customs.push(planned.custom)
        break
      case 'deleted':
        if (!mustHold) return this.#refuse(misplaced(param, entry), mustHold)
        if (this.deleted !== undefined) {
          this.#refuse(
            refusal(CODE, parameterName(param), `The filter '${entry.name}' is given more than once.`),
            mustHold
          )
        }
        this.deleted = planned.deleted
        break
      case 'errors':
        for (const error of this.#withPath(planned.errors, param, entry)) this.#refuse(error, mustHold)
        return
      case 'nothing':
        break
      default:
        planned satisfies never
    }
    this.#given?.add(entry)
  }

  /** The errors of a filter, or the error that suggests the path which two brackets were probably meant for. */
  #withPath (errors: readonly QueryParamError[], param: FilterParam, entry: FilterEntry): readonly QueryParamError[] {
    const path = pathIn(param, this.#planning.whitelist.filters)
    return path !== undefined && takesOperators(entry) ? [refuseOperator(param, param.operator!, entry, path)] : errors
  }

  /** @param ignorable whether the error may be ignored: without a filter inside of `or` or `not`, rows are added */
  #refuse (error: QueryParamError, ignorable: boolean): void {
    this.#planning.errors.push(ignorable ? error : { ...error, limit: true })
  }
}

const misplaced = (param: FilterParam, { name }: FilterEntry): QueryParamError =>
  refusal(CODE, parameterName(param), `The filter '${name}' cannot be a part of 'or' or 'not'.`)

/** Plans one filter, wherever it stands. */
export function planFilter (param: FilterParam, entry: FilterEntry, values: Values): Planned {
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
