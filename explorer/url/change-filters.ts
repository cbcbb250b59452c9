/** Changes the filters of a query string, and returns to its first page. */
import type { Pair } from './address.ts'
import { filterTreeOf, isGroup, withFilterTree, type FilterNode } from './filter-tree.ts'
import { parameterOf, type FilterUse } from './filters.ts'
import { atStart } from './pages.ts'

/**
 * Sets a filter, and returns to the first page.
 *
 * @param replaced the parameter of the filter whose place it takes. Without one, it replaces the one with its name
 */
export function withFilter (params: readonly Pair[], filter: FilterUse, replaced = parameterOf(filter)): Pair[] {
  const own = parameterOf(filter)
  let isDone = false
  const change = (nodes: readonly FilterNode[]): FilterNode[] =>
    nodes.flatMap((node): FilterNode[] => {
      if (isGroup(node)) return [{ ...node, nodes: change(node.nodes) }]
      const parameter = parameterOf(node)
      if (parameter === replaced) {
        isDone = true
        return [filter]
      }
      return parameter === own ? [] : [node]
    })
  const nodes = change(filterTreeOf(params))
  return withFilterTree(params, isDone ? nodes : [...nodes, filter])
}

/** Removes a filter, and returns to the first page. */
export function withoutFilter (params: readonly Pair[], parameter: string): Pair[] {
  const keep = (nodes: readonly FilterNode[]): FilterNode[] =>
    nodes.flatMap((node): FilterNode[] =>
      isGroup(node) ? [{ ...node, nodes: keep(node.nodes) }] : parameterOf(node) === parameter ? [] : [node]
    )
  return withFilterTree(params, keep(filterTreeOf(params)))
}

/** Removes all filters, and returns to the first page. */
export function withoutFilters (params: readonly Pair[]): Pair[] {
  return atStart(params.filter(([name]) => !name.startsWith('filter[')))
}

/** The indexes of a node, from the root of the tree. */
export type Place = readonly number[]

/** Replaces the node at a place by others. */
export function replaced (nodes: readonly FilterNode[], [at, ...rest]: Place, by: readonly FilterNode[]): FilterNode[] {
  return nodes.flatMap((node, index): readonly FilterNode[] => {
    if (index !== at) return [node]
    return rest.length === 0 || !isGroup(node) ? by : [{ ...node, nodes: replaced(node.nodes, rest, by) }]
  })
}

/** Adds a node to the group at a place, or to the root. */
export function added (nodes: readonly FilterNode[], [at, ...rest]: Place, node: FilterNode): FilterNode[] {
  if (at === undefined) return [...nodes, node]
  return nodes.map((each, index) =>
    index === at && isGroup(each) ? { ...each, nodes: added(each.nodes, rest, node) } : each
  )
}
