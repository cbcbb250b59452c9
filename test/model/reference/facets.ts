/** Facets: the values of properties beside a list. */
import type { Condition, Level } from './conditions.ts'
import type { Facet, Filter, Value, World } from './description.ts'
import { matchingRows, valueAt } from './matching.ts'
import type { Problem } from './problems.ts'
import type { WrittenName } from './query-string.ts'
import { compareNullable } from './sorting.ts'

const MOST_VALUES = 20

export const facetName = ({ alias, path }: Facet): string => alias ?? path

/** The requested facets, each once. */
export function readFacets (
  { whitelist: { facets } }: World,
  written: readonly WrittenName[],
  problems: Problem[]
): Facet[] {
  const found = new Set<Facet>()
  for (const { name, parameter } of written) {
    const facet = facets.find((facet) => facetName(facet) === name)
    if (facet) found.add(facet)
    else problems.push({ kind: 'field', parameter, allowed: facets.map(facetName) })
  }
  return [...found]
}

/** The values of each facet, the most frequent first, as if the conditions on its property were not there. */
export function facetsOf (world: World, level: Level, facets: readonly Facet[]): Record<string, Value> {
  return Object.fromEntries(facets.map((facet) => {
    const counts = new Map<Value, { readonly value: Value, count: number }>()
    let compare = (_a: Value, _b: Value): number => 0
    for (const row of matchingRows(world, withoutAbout(facet.path, level))) {
      const { value, type } = valueAt(world, world.entities[world.whitelist.entity]!, row, facet.path)
      compare = (a, b) => compareNullable(a, b, type, false)
      const known = counts.get(value)
      if (known) known.count++
      else counts.set(value, { value, count: 1 })
    }
    const values = [...counts.values()].sort((a, b) => b.count - a.count || compare(a.value, b.value))
    return [facetName(facet), values.slice(0, facet.limit ?? MOST_VALUES)]
  }))
}

/** A level without the conditions on one property. They count as such at the root and in an `and`. */
function withoutAbout (path: string, { conditions, groups }: Level): Level {
  const isOther = ({ filter }: Condition): boolean => !isAbout(filter!, path)
  return {
    conditions: conditions.filter(isOther),
    groups: groups.map((group) => {
      if (group.word !== 'and') return group
      const members = [...group.members].map(([number, member]) => [number, withoutAbout(path, member)] as const)
      return { ...group, members: new Map(members) }
    }),
  }
}

/** Whether a filter compares the property and no other. */
function isAbout (filter: Filter, path: string): boolean {
  switch (filter.kind) {
    case 'trashed':
      return false
    case 'search':
      return filter.paths.every((other) => other === path)
    case 'anyOf':
      return filter.filters.every((one) => one.path === path)
    default:
      return filter.path === path
  }
}
