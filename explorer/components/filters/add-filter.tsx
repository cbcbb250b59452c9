/** The button that adds a filter to the list, or to a group: first its name is chosen, then its value is typed. */
import type { FilterDescription } from '../../../src/explorer/description.ts'
import type { FilterUse } from '../../url/filters.ts'
import { Icon } from '../basics/icon.tsx'
import { Popover } from '../basics/popover.tsx'
import { FilterEditor } from './filter-editor.tsx'
import { FilterPicker } from './filter-picker.tsx'
import { filterTitle } from './words.ts'

interface AddFilterProps extends NewFilterProps {
  /** The name of the button. A button without one has the icon only, and this title. */
  readonly label?: string
  readonly title?: string
}

interface NewFilterProps {
  /** The name under which what is typed is kept until it is applied. */
  readonly slot: string
  readonly filters: readonly FilterDescription[]
  /** The name of the filter that has been chosen. */
  readonly draft: string | undefined
  readonly onDraft: (name: string | undefined) => void
  /** The conditions beside the new one. */
  readonly taken: readonly FilterUse[]
  /** Whether it may leave out what matches. */
  readonly canNegate: boolean
  readonly onApply: (use: FilterUse, isNot: boolean) => void
}

export function AddFilter ({ label, title, ...props }: AddFilterProps) {
  const { draft, onDraft, onApply } = props
  return (
    <Popover
      name={panelName(draft)}
      {...title !== undefined && { title }}
      opened={draft !== undefined}
      onClose={() => onDraft(undefined)}
      class={label === undefined ? 'button button-bare button-tiny' : 'button button-quiet'}
      label={
        <>
          <Icon name={label === undefined ? 'plus' : 'filter'} />
          {label !== undefined && <span>{label}</span>}
        </>
      }
    >
      {(close) => (
        <NewFilter
          {...props}
          onApply={(use, isNot) => {
            close()
            onApply(use, isNot)
          }}
        />
      )}
    </Popover>
  )
}

export const panelName = (draft: string | undefined): string =>
  draft === undefined ? 'Add a filter' : `Filter ${filterTitle(draft)}`

/** The content of the panel. */
export function NewFilter ({ slot, filters, draft, onDraft, taken, canNegate, onApply }: NewFilterProps) {
  const filter = filters.find(({ name }) => name === draft)
  if (filter === undefined) return <FilterPicker filters={filters} onPick={onDraft} />
  return (
    <FilterEditor
      slot={`${slot} ${filter.name}`}
      filter={filter}
      taken={taken}
      isNot={canNegate && isJoinable(filter) ? false : undefined}
      onApply={onApply}
    />
  )
}

/** Whether a filter may stand in a group: filters of the application, and that of deleted records, hold for all. */
export const isJoinable = (filter: FilterDescription | undefined): boolean =>
  filter?.kind !== 'custom' && filter?.kind !== 'trashed'
