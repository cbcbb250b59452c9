/** What may be included, as a tree: a record inside a record. */
import type { RelationProperty } from '../model/index.ts'
import type { IncludeEntry, Whitelist } from '../plan/index.ts'

/** A relation that may be included, and what may be behind it. */
export interface IncludeNode {
  readonly entry: IncludeEntry
  readonly children: readonly IncludeNode[]
}

/** All includes of a whitelist, those that are only passed on the way to another one, too; parents first. */
export function includeEntries ({ includes }: Whitelist): readonly IncludeEntry[] {
  const entries = new Set<IncludeEntry>()
  const add = (entry: IncludeEntry): void => {
    if (entry.parent !== undefined) add(entry.parent)
    entries.add(entry)
  }
  for (const entry of includes.values()) add(entry)
  return [...entries]
}

/** The includes of a whitelist below the records themselves. */
export function includeTree (whitelist: Whitelist): readonly IncludeNode[] {
  const entries = includeEntries(whitelist)
  const below = (parent: IncludeEntry | undefined): readonly IncludeNode[] =>
    entries.filter((entry) => entry.parent === parent).map((entry) => ({ entry, children: below(entry) }))
  return below(undefined)
}

/** The node of a relation, where it may be included. */
export function nodeOf (relation: RelationProperty, nodes: readonly IncludeNode[]): IncludeNode | undefined {
  return nodes.find(({ entry }) => entry.relation === relation)
}
