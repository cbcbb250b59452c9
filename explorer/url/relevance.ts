/** Orders by relevance, which need the filter of the same name. */
import type { SortDescription } from '../../src/explorer/description.ts'
import type { Pair } from './address.ts'
import { filterTreeOf, isGroup } from './filter-tree.ts'
import { namesOf, withNames } from './names.ts'

/** Whether a list can be sorted by a name: relevance has a meaning only beside its filter. */
export const canSortBy = ({ name, relevance }: SortDescription, params: readonly Pair[]): boolean =>
  !relevance || filterTreeOf(params).some((node) => !isGroup(node) && node.field === name)

/** Parameters without an order by the relevance of a filter that they do not have. */
export function withoutIrrelevant (params: readonly Pair[], sorts: readonly SortDescription[]): Pair[] {
  const lost = sorts.filter((sort) => !canSortBy(sort, params)).map(({ name }) => name)
  const order = namesOf(params, 'sort') ?? []
  const kept = order.filter((text) => !lost.includes(text.replace(/^[+-]/, '')))
  return kept.length === order.length ? [...params] : withNames(params, 'sort', kept)
}
