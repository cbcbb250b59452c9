/** A condition of the list, in words. Its panel changes it, negates it, and joins another condition to it. */
import { useState } from 'preact/hooks'
import type { CrudError } from '../../../src/client/error.ts'
import type { ResourceDescription } from '../../../src/explorer/description.ts'
import type { NameOf } from '../../state/names.ts'
import { replaced, type Place } from '../../url/change-filters.ts'
import type { FilterNode } from '../../url/filter-tree.ts'
import { parameterOf, type FilterUse } from '../../url/filters.ts'
import { Icon } from '../basics/icon.tsx'
import { Popover } from '../basics/popover.tsx'
import { isJoinable, NewFilter, panelName } from './add-filter.tsx'
import { FilterEditor } from './filter-editor.tsx'
import { filterTitle, wordsOf } from './words.ts'

/** All filters of a list, and how to change them. */
export interface FilterTree {
  readonly resource: ResourceDescription
  readonly error: CrudError | undefined
  readonly nodes: readonly FilterNode[]
  readonly nameOf: NameOf
  readonly onChange: (nodes: readonly FilterNode[]) => void
}

interface FilterChipProps {
  readonly tree: FilterTree
  readonly use: FilterUse
  /** Whether it stands alone in a `not`, which is then at the place. */
  readonly isNot: boolean
  readonly place: Place
  /** The word that joins another condition to it: the one that does not join it to those beside it. */
  readonly joint: 'and' | 'or'
}

export function FilterChip ({ tree, use, isNot, place, joint }: FilterChipProps) {
  const { resource: { path, filters, combinesFilters }, error, nodes, nameOf, onChange } = tree
  const [joining, setJoining] = useState<{ readonly draft?: string | undefined }>()
  const filter = filters.find(({ name }) => name === use.field)
  const parameter = parameterOf(use)
  const detail = error?.errorFor(parameter)?.detail
  const [title, word, value] = wordsOf(use, filters, nameOf)
  const keys = wordsOf(use, filters)[2]
  const sentence = `${title} ${word} ${value}`
  const hint = value !== keys ? `${sentence}: ${keys}` : value.length > 20 ? sentence : undefined
  const canJoin = combinesFilters && isJoinable(filter)
  const set = (...next: readonly FilterNode[]): void => onChange(replaced(nodes, place, next))
  const nodeOf = (use: FilterUse, isNot: boolean): FilterNode => isNot ? { word: 'not', nodes: [use] } : use
  const text = (
    <span title={hint}>
      {isNot && <strong class='chip-not'>not{' '}</strong>}
      <span>{title}</span> <span class='chip-word'>{word}</span>{' '}
      <span class='chip-value'>{value}</span>
    </span>
  )
  return (
    <div class={detail === undefined ? 'filter' : 'filter filter-bad'}>
      {filter === undefined
        ? <span class='filter-text'>{text}</span>
        : (
          <Popover
            name={joining ? panelName(joining.draft) : `Filter ${filterTitle(use.field)}`}
            class='filter-text'
            label={text}
            onClose={() => setJoining(undefined)}
          >
            {(close) =>
              joining
                ? (
                  <NewFilter
                    slot={`${path} ${joint} ${parameter}`}
                    filters={filters.filter(isJoinable)}
                    draft={joining.draft}
                    onDraft={(draft) => setJoining({ draft })}
                    taken={joint === 'and' ? [use] : []}
                    canNegate
                    onApply={(next, isNotNext) => {
                      close()
                      set({ word: joint, nodes: [nodeOf(use, isNot), nodeOf(next, isNotNext)] })
                    }}
                  />
                  )
                : (
                  <FilterEditor
                    slot={`${path} ${parameter}`}
                    filter={filter}
                    use={use}
                    detail={detail}
                    taken={[]}
                    isNot={canJoin ? isNot : undefined}
                    joint={canJoin ? joint : undefined}
                    onJoin={() => setJoining({})}
                    onApply={(next, isNot) => {
                      close()
                      set(nodeOf(next, isNot))
                    }}
                  />
                  )}
          </Popover>
          )}
      <button
        type='button'
        class='filter-remove'
        aria-label={`Remove the filter ${title}`}
        onClick={() => set()}
      >
        <Icon name='close' />
      </button>
    </div>
  )
}
