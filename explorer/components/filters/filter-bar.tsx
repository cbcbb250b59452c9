/** The filters of the list, and the builder of new ones. */
import type { ComponentChildren } from 'preact'
import type { CrudError } from '../../../src/client/error.ts'
import type { ResourceDescription } from '../../../src/explorer/description.ts'
import type { Pair } from '../../url/address.ts'
import { filtersOf, parameterOf, withFilter, withoutFilter, withoutFilters, type FilterUse } from '../../url/filters.ts'
import { Icon } from '../basics/icon.tsx'
import { Popover } from '../basics/popover.tsx'
import { FilterEditor } from './filter-editor.tsx'
import { FilterPicker } from './filter-picker.tsx'
import { SearchBox } from './search-box.tsx'
import { filterTitle, operatorOf, operatorWord, valueWords } from './words.ts'

interface FilterBarProps {
  readonly resource: ResourceDescription
  readonly params: readonly Pair[]
  readonly error: CrudError | undefined
  /** The name of a filter for which a new condition is being made. */
  readonly draft: string | undefined
  readonly onDraft: (name: string | undefined) => void
  readonly onChange: (params: readonly Pair[]) => void
  /** Stands at the end of the bar. */
  readonly children?: ComponentChildren
}

export function FilterBar ({ resource, params, error, draft, onDraft, onChange, children }: FilterBarProps) {
  const all = filtersOf(params)
  const search = resource.filters.find(({ kind }) => kind === 'search')
  // the search has a box of its own, unless the API refuses its value
  const filters = all.filter((use) =>
    use.field !== search?.name || use.operator !== undefined || error?.errorFor(parameterOf(use)) !== undefined
  )
  return (
    <div class='filters' role='group' aria-label='Filters'>
      {search && <SearchBox path={resource.path} filter={search} params={params} onChange={onChange} />}
      {filters.map((use) => (
        <FilterChip
          key={parameterOf(use)}
          use={use}
          resource={resource}
          params={params}
          detail={error?.errorFor(parameterOf(use))?.detail}
          onChange={onChange}
        />
      ))}
      {resource.filters.length > 0 && (
        <Popover
          name={draft === undefined ? 'Add a filter' : `Filter ${draft}`}
          opened={draft !== undefined}
          onClose={() => onDraft(undefined)}
          class='button button-quiet'
          label={
            <>
              <Icon name='filter' />
              <span>Add filter</span>
            </>
          }
        >
          {(close) =>
            draft === undefined
              ? <FilterPicker filters={resource.filters} onPick={onDraft} />
              : (
                <FilterEditor
                  path={resource.path}
                  filter={resource.filters.find(({ name }) => name === draft)!}
                  taken={all}
                  onApply={(use) => {
                    close()
                    onChange(withFilter(params, use))
                  }}
                />
                )}
        </Popover>
      )}
      {filters.length > 1 && (
        <button
          type='button'
          class='button button-bare'
          onClick={() => onChange(withoutFilters(params))}
        >
          Remove all
        </button>
      )}
      {children}
    </div>
  )
}

interface FilterChipProps {
  readonly use: FilterUse
  readonly resource: ResourceDescription
  readonly params: readonly Pair[]
  /** The sentence of the error, if the API refuses the filter. */
  readonly detail: string | undefined
  readonly onChange: (params: readonly Pair[]) => void
}

function FilterChip ({ use, resource, params, detail, onChange }: FilterChipProps) {
  const filter = resource.filters.find(({ name }) => name === use.field)
  const operator = operatorOf(filter, use.operator)
  const parameter = parameterOf(use)
  const word = operator === undefined
    ? use.operator ?? 'is'
    : operator.name === 'isnull' && use.value === 'false'
      ? 'is not empty'
      : operator.name === null
        ? ''
        : operatorWord(operator)
  const text = (
    <>
      <span class='chip-name'>{filterTitle(use.field)}</span> <span class='chip-word'>{word}</span>{' '}
      <span class='chip-value'>{valueWords(use, operator)}</span>
    </>
  )
  return (
    <div class={detail === undefined ? 'filter' : 'filter filter-bad'}>
      {filter === undefined
        ? <span class='filter-text'>{text}</span>
        : (
          <Popover name={`Filter ${use.field}`} class='filter-text' label={text}>
            {(close) => (
              <FilterEditor
                path={resource.path}
                filter={filter}
                use={use}
                detail={detail}
                taken={[]}
                onApply={(next) => {
                  close()
                  onChange(withFilter(params, next, parameter))
                }}
              />
            )}
          </Popover>
          )}
      <button
        type='button'
        class='filter-remove'
        aria-label={`Remove the filter ${use.field}`}
        onClick={() => onChange(withoutFilter(params, parameter))}
      >
        <Icon name='close' />
      </button>
    </div>
  )
}
