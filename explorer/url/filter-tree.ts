/**
 * The filters of a query string as a tree. The nodes of a tree, and those of an `and`, all hold. A URL needs
 * `filter[and]` only where a name or a group would stand twice. The function that writes the tree decides where.
 */
import type { GroupStep, GroupWord } from '../../src/query/filter-names.ts'
import type { Pair } from './address.ts'
import { parameterOf, readFilter, type FilterUse } from './filters.ts'
import { inOrder } from './names.ts'
import { atStart } from './pages.ts'

export type FilterNode = FilterUse | FilterGroup

/** Filters and groups that all hold (`and`), of which at least one holds (`or`), or that do not all hold (`not`). */
export interface FilterGroup {
  readonly word: GroupWord
  readonly nodes: readonly FilterNode[]
}

export const isGroup = (node: FilterNode): node is FilterGroup => 'word' in node

/** The filters of a tree, in order. */
export function * eachFilter (nodes: readonly FilterNode[]): Generator<FilterUse> {
  for (const node of nodes) {
    if (isGroup(node)) yield * eachFilter(node.nodes)
    else yield node
  }
}

/** All filters of a query string, also those in groups. Those whose names cannot be read are not among them. */
export const filtersOf = (params: readonly Pair[]): FilterUse[] => [...eachFilter(filterTreeOf(params))]

/** A member of a group while it is read, by the numbers that the URL has. */
interface Level {
  readonly uses: Map<string, FilterUse>
  readonly groups: Map<GroupWord, Map<number, Level>>
}

const newLevel = (): Level => ({ uses: new Map(), groups: new Map() })

/** Reads the filters of a query string. Those whose names cannot be read are not in the tree, and stay in the URL. */
export function filterTreeOf (params: readonly Pair[]): FilterNode[] {
  const root = newLevel()
  for (const [name, text] of params) {
    const read = readFilter(name)
    if (read === undefined) continue
    const { isList, ...use } = read
    const { uses } = levelAt(root, use.path ?? [])
    const parameter = parameterOf(use)
    const value = uses.get(parameter)?.value
    uses.set(parameter, { ...use, value: value !== undefined ? [value, text].flat() : isList ? [text] : text })
  }
  return nodesOf(root)
}

function levelAt (level: Level, [step, ...more]: readonly GroupStep[]): Level {
  if (step === undefined) return level
  const members = level.groups.get(step.word) ?? new Map<number, Level>()
  const member = members.get(step.index) ?? newLevel()
  level.groups.set(step.word, members.set(step.index, member))
  return levelAt(member, more)
}

function nodesOf ({ uses, groups }: Level): FilterNode[] {
  return [...uses.values(), ...[...groups].flatMap(([word, members]) => groupOf(word, members))]
}

function groupOf (word: GroupWord, members: ReadonlyMap<number, Level>): readonly FilterNode[] {
  const levels = [...members].sort(([a], [b]) => a - b).map(([, level]) => nodesOf(level))
  if (word === 'or') return [{ word, nodes: levels.map((nodes) => nodes.length === 1 ? nodes[0]! : allOf(nodes)) }]
  const nodes = levels.flat()
  // groups are independent of each other, so that an `and` of groups alone says nothing
  return word === 'and' && nodes.every(isGroup) ? nodes : [{ word, nodes }]
}

const allOf = (nodes: readonly FilterNode[]): FilterGroup => ({ word: 'and', nodes })

/** Replaces the filters that can be read, and returns to the first page. */
export function withFilterTree (params: readonly Pair[], nodes: readonly FilterNode[]): Pair[] {
  const others = params.filter(([name]) => readFilter(name) === undefined)
  return atStart(inOrder([...pairsOf(nodes.flatMap(tidied), []), ...others]))
}

/** A node without empty groups, and without an `or` of one node. */
function tidied (node: FilterNode): FilterNode[] {
  if (!isGroup(node)) return [node]
  const nodes = node.nodes.flatMap(tidied)
  return nodes.length === 0 ? [] : nodes.length === 1 && node.word === 'or' ? nodes : [{ ...node, nodes }]
}

function pairsOf (nodes: readonly FilterNode[], path: readonly GroupStep[]): Pair[] {
  const taken = new Set<string>()
  // nodes whose name or word is taken, so that they must be written in an `and`
  const more: FilterGroup[] = []
  const pairs = nodes.flatMap((node): Pair[] => {
    const name = isGroup(node) ? node.word : parameterOf({ ...node, path: [] })
    if (name === 'and' || taken.has(name)) {
      more.push(isGroup(node) ? node : allOf([node]))
      return []
    }
    taken.add(name)
    if (!isGroup(node)) return pairsOfFilter({ ...node, path })
    const { word } = node
    return word === 'not'
      ? pairsOf(node.nodes, [...path, { word, index: 0 }])
      : node.nodes.flatMap((member, index) =>
        pairsOf(isGroup(member) && member.word === 'and' ? member.nodes : [member], [...path, { word, index }])
      )
  })
  const [only, ...others] = more
  const members = only?.word === 'and' && others.length === 0 ? only.nodes : more
  return [...pairs, ...members.flatMap((node, index) => pairsOf([node], [...path, { word: 'and', index }]))]
}

function pairsOfFilter (filter: FilterUse): Pair[] {
  const parameter = parameterOf(filter)
  const { value } = filter
  return typeof value === 'string' ? [[parameter, value]] : value.map((item) => [`${parameter}[]`, item])
}
