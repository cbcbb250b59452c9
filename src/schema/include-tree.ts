/** What may be included, as a tree: a record inside a record. */
import type { RelationProperty } from '../model/index.ts'
import type { Aggregate, RelationEntry, Whitelist } from '../plan/index.ts'

/** What records may show of their relations. */
export interface IncludeLevel {
  readonly relations: readonly IncludeNode[]
  readonly aggregates: readonly Aggregate[]
}

/** A relation that may be included, and what its records may show. */
export interface IncludeNode extends IncludeLevel {
  readonly entry: RelationEntry
}

export const NOTHING_INCLUDED: IncludeLevel = { relations: [], aggregates: [] }

/** All relations that a whitelist includes, those that are only passed on the way to another one, too; parents first. */
export function relationEntries ({ includes }: Whitelist): readonly RelationEntry[] {
  const entries = new Set<RelationEntry>()
  const add = (entry: RelationEntry | undefined): void => {
    if (entry === undefined) return
    add(entry.parent)
    entries.add(entry)
  }
  for (const entry of includes.values()) add(entry.kind === 'relation' ? entry : entry.parent)
  return [...entries]
}

/** The includes of a whitelist, from the records themselves downwards. */
export function includeTree (whitelist: Whitelist): IncludeLevel {
  const entries = relationEntries(whitelist)
  const aggregates = [...whitelist.includes.values()].filter((entry) => entry.kind === 'aggregate')
  const below = (parent: RelationEntry | undefined): IncludeLevel => ({
    relations: entries.filter((entry) => entry.parent === parent).map((entry) => ({ entry, ...below(entry) })),
    aggregates: aggregates.filter((entry) => entry.parent === parent).map(({ aggregate }) => aggregate),
  })
  return below(undefined)
}

/** The node of a relation, where it may be included. */
export function nodeOf (relation: RelationProperty, { relations }: IncludeLevel): IncludeNode | undefined {
  return relations.find(({ entry }) => entry.relation === relation)
}
