/** Filters and groups of filters beside each other. A group has its filters, and says how they are joined. */
import { useState } from 'preact/hooks'
import { added, replaced, type Place } from '../../url/change-filters.ts'
import { isGroup, type FilterGroup, type FilterNode } from '../../url/filter-tree.ts'
import { Icon } from '../basics/icon.tsx'
import { AddFilter, isJoinable } from './add-filter.tsx'
import { FilterChip, type FilterTree } from './filter-chip.tsx'
import { sentenceOf } from './words.ts'

interface FilterNodesProps {
  readonly tree: FilterTree
  readonly items: ReadonlyArray<{ readonly node: FilterNode, readonly place: Place }>
  /** The word that joins the nodes. */
  readonly word: 'and' | 'or'
  /** Whether to write the word between the nodes. */
  readonly isWritten: boolean
}

export function FilterNodes ({ tree, items, word, isWritten }: FilterNodesProps) {
  return (
    <>
      {items.flatMap(({ node, place }, index) => [
        isWritten && index > 0 && <span class='joint' key={`${word} ${index}`}>{word}</span>,
        <Node key={place.join()} tree={tree} node={node} place={place} joint={word === 'and' ? 'or' : 'and'} />,
      ])}
    </>
  )
}

interface NodeProps {
  readonly tree: FilterTree
  readonly node: FilterNode
  readonly place: Place
  readonly joint: 'and' | 'or'
}

function Node ({ tree, node, place, joint }: NodeProps) {
  if (!isGroup(node)) return <FilterChip tree={tree} use={node} isNot={false} place={place} joint={joint} />
  const [only, ...more] = node.nodes
  if (more.length === 0 && only !== undefined) {
    // an `and` of one condition is that condition, apart from those around it
    if (node.word === 'and') return <Node tree={tree} node={only} place={[...place, 0]} joint={joint} />
    if (!isGroup(only)) return <FilterChip tree={tree} use={only} isNot place={place} joint={joint} />
  }
  return <Group tree={tree} node={node} place={place} />
}

/** The ways to join the nodes of a group. */
const WAYS = {
  all: ['All of', 'and'],
  any: ['Any of', 'or'],
  none: ['None of', 'or'],
  some: ['Not all of', 'and'],
} as const satisfies Readonly<Record<string, readonly [title: string, word: 'and' | 'or']>>

type Way = keyof typeof WAYS

interface GroupProps {
  readonly tree: FilterTree
  readonly node: FilterGroup
  readonly place: Place
}

function Group ({ tree, node, place }: GroupProps) {
  const { resource: { path, filters }, nodes: all, nameOf, onChange } = tree
  const [draft, setDraft] = useState<string>()
  const [inner] = node.nodes
  const isNone = node.word === 'not' && node.nodes.length === 1 && isGroup(inner!) && inner.word === 'or'
  const { nodes } = isNone ? inner : node
  const inside = isNone ? [...place, 0] : place
  const way: Way = isNone ? 'none' : node.word === 'not' ? 'some' : node.word === 'or' ? 'any' : 'all'
  const [title, word] = WAYS[way]
  return (
    <div class='filter-group' role='group' aria-label={sentenceOf(node, filters, nameOf)}>
      <select
        aria-label='How the group is joined'
        value={way}
        onChange={({ currentTarget }) => onChange(replaced(all, place, [joined(nodes, currentTarget.value as Way)]))}
      >
        {Object.entries(WAYS).map(([name, [words]]) => <option key={name} value={name}>{words}</option>)}
      </select>
      <FilterNodes
        tree={tree}
        items={nodes.map((node, index) => ({ node, place: [...inside, index] }))}
        word={word}
        isWritten
      />
      <AddFilter
        title={`Add to “${title}”`}
        slot={`${path} ${inside.join()}`}
        filters={filters.filter(isJoinable)}
        draft={draft}
        onDraft={setDraft}
        taken={word === 'and' ? nodes.flatMap((node) => isGroup(node) ? [] : [node]) : []}
        canNegate
        onApply={(use, isNot) => onChange(added(all, inside, isNot ? { word: 'not', nodes: [use] } : use))}
      />
      <button
        type='button'
        class='filter-remove'
        aria-label={`Remove “${title}” with its filters`}
        onClick={() => onChange(replaced(all, place, []))}
      >
        <Icon name='close' />
      </button>
    </div>
  )
}

function joined (nodes: readonly FilterNode[], way: Way): FilterGroup {
  if (way === 'none') return { word: 'not', nodes: [{ word: 'or', nodes }] }
  return { word: way === 'some' ? 'not' : WAYS[way][1], nodes }
}
