/**
 * Sorts by relevance. They order by how well rows match the texts of a full-text filter, so that they need the filter
 * beside them: at the root of the request or in its `and`.
 */
import { nameSuffix, readSortItem, type FilterLevel, type QueryParams } from '../query/index.ts'
import type { QueryErrors } from './query-errors.ts'
import { refusal } from './refusal.ts'
import type { Condition, CustomTerm, OrderTerm, Relevance, Slot } from './condition-types.ts'
import type { Whitelist } from './whitelist/index.ts'

const CODE = 'FST_CRUD_SORT_INVALID'

/**
 * Whether an item of `sort` has an effect. A sort by relevance has none if its filter sets no condition, because the
 * filter ignores the value or is wrong itself. Without the filter, the sort is an error.
 */
export function canRank (
  item: string,
  params: FilterLevel & Pick<QueryParams, 'sort'>,
  conditions: readonly Condition[],
  { sorts }: Whitelist,
  errors: QueryErrors
): boolean {
  const { name } = readSortItem(item)
  const [target] = sorts.get(name)?.targets ?? []
  if (target === undefined || !('operand' in target) || target.operand.kind !== 'relevance') return true
  if (slotsOf(target.operand, conditions).length > 0) return true
  if (!isGiven(name, params)) {
    errors.add(CODE, () =>
      refusal(
        CODE,
        `sort${nameSuffix(params.sort, item)}`,
        `The sort '${name}' is by relevance, so it needs filter[${name}] beside it, outside of 'or' and 'not'.`
      ))
  }
  return false
}

/** Whether a filter stands in a level, or in an `and` of it. */
const isGiven = (name: string, { filters, groups }: FilterLevel): boolean =>
  filters.some(({ field }) => field === name) ||
  groups.some(({ word, members }) => word === 'and' && members.some((member) => isGiven(name, member)))

/** The order with the texts that its terms are about. A default sort by relevance applies only beside its filter. */
export function withTexts (
  order: readonly (OrderTerm | CustomTerm)[],
  conditions: readonly Condition[]
): readonly (OrderTerm | CustomTerm)[] {
  if (!order.some((term) => relevanceOf(term) !== undefined)) return order
  return order.flatMap((term): readonly (OrderTerm | CustomTerm)[] => {
    const relevance = relevanceOf(term)
    if (relevance === undefined) return [term]
    const texts = slotsOf(relevance, conditions)
    return texts.length === 0 ? [] : [{ ...term, texts } as OrderTerm]
  })
}

const relevanceOf = (term: OrderTerm | CustomTerm): Relevance | undefined =>
  'operand' in term && term.operand.kind === 'relevance' ? term.operand : undefined

/** The slots of the texts that conditions look for in a document. */
const slotsOf = ({ document }: Relevance, conditions: readonly Condition[]): readonly Slot[] =>
  conditions.flatMap((condition) =>
    condition.kind === 'match' && condition.document === document ? [condition.slot] : []
  )
