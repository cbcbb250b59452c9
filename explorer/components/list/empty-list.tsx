/** A list without records: why it may be empty, and the way out. */
import type { ResourceDescription } from '../../../src/explorer/description.ts'
import { change, currentAddress } from '../../state/address.ts'
import type { List } from '../../state/list.ts'
import type { Pair } from '../../url/address.ts'
import { replaced, withoutFilters } from '../../url/change-filters.ts'
import { filterTreeOf, withFilterTree } from '../../url/filter-tree.ts'
import { styleOf, withStyle } from '../../url/pages.ts'
import { cut } from '../../api/format.ts'
import { Empty } from '../basics/notice.tsx'
import { sentenceOf } from '../filters/words.ts'

interface EmptyListProps {
  readonly resource: ResourceDescription
  readonly params: readonly Pair[]
  readonly list: List
  readonly onChange: (params: readonly Pair[]) => void
}

export function EmptyList ({ resource, params, list, onChange }: EmptyListProps) {
  const filters = filterTreeOf(params)
  if (list.page?.has_prev) {
    return (
      <Empty title='This page is past the end'>
        <button type='button' class='button' onClick={() => onChange(withStyle(params, styleOf(params)))}>
          Go to the first page
        </button>
      </Empty>
    )
  }
  if (filters.length > 0) return <NoMatch {...{ resource, params, onChange }} />
  return (
    <Empty title={`There are no ${resource.title.toLowerCase()} yet`}>
      {resource.operations.create
        ? (
          <button
            type='button'
            class='button button-main'
            onClick={() => change({ own: { ...currentAddress().own, create: 'yes' } })}
          >
            Create the first one
          </button>
          )
        : <p class='quiet'>Or none that this role may see. Choose another caller under “Ask as”.</p>}
    </Empty>
  )
}

/** No record has passed the filters, each of which can be removed. */
export function NoMatch ({ resource, params, onChange }: Omit<EmptyListProps, 'list'>) {
  const filters = filterTreeOf(params)
  return (
    <Empty title={filters.length === 1 ? 'No record matches the filter' : 'No record matches all filters'}>
      <p class='quiet'>{filters.length === 1 ? 'Remove it:' : 'All of them must match. Remove one:'}</p>
      <p class='row'>
        {filters.map((filter, index) => (
          <button
            type='button'
            class='button'
            key={index}
            onClick={() => onChange(withFilterTree(params, replaced(filters, [index], [])))}
          >
            {cut(sentenceOf(filter, resource.filters), 60)}
          </button>
        ))}
        {filters.length > 1 && (
          <button type='button' class='button' onClick={() => onChange(withoutFilters(params))}>All of them</button>
        )}
      </p>
    </Empty>
  )
}
