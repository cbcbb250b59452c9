/** The includes that a client may request, as a tree of records inside records. */
import type { RelationProperty } from '../model/index.ts'
import type { AggregateEntry, RelationEntry, Whitelist } from '../plan/index.ts'

/** The relations and aggregates that records may show. */
export interface IncludeLevel {
  readonly relations: readonly IncludeNode[]
  readonly aggregates: readonly AggregateEntry[]
}

/** A relation that may be included, with the relations and aggregates that its records may show. */
interface IncludeNode extends IncludeLevel {
  readonly entry: RelationEntry
}

export const NOTHING_INCLUDED: IncludeLevel = { relations: [], aggregates: [] }

/** All relations that a whitelist includes, parents first. They contain relations that only lead to another one. */
function relationEntries ({ includes }: Whitelist): readonly RelationEntry[] {
  const entries = new Set<RelationEntry>()
  const add = (entry: RelationEntry | undefined): void => {
    if (entry === undefined) return
    add(entry.parent)
    entries.add(entry)
  }
  for (const entry of includes.values()) add(entry.kind === 'relation' ? entry : entry.parent)
  return [...entries]
}

/** The includes of a whitelist, starting at the records of the resource. */
export function includeTree (whitelist: Whitelist): IncludeLevel {
  const entries = relationEntries(whitelist)
  const aggregates = [...whitelist.includes.values()].filter((entry) => entry.kind === 'aggregate')
  const below = (parent: RelationEntry | undefined): IncludeLevel => ({
    relations: entries.filter((entry) => entry.parent === parent).map((entry) => ({ entry, ...below(entry) })),
    aggregates: aggregates.filter((entry) => entry.parent === parent),
  })
  return below(undefined)
}

/** The node of a relation, if it may be included. */
export function nodeOf (relation: RelationProperty, { relations }: IncludeLevel): IncludeNode | undefined {
  return relations.find(({ entry }) => entry.relation === relation)
}
