/** A list without records: why it may be empty, and the way out. */
import type { ResourceDescription } from '../../../src/explorer/description.ts'
import { change, currentAddress } from '../../state/address.ts'
import { isPastEnd, type List } from '../../state/list.ts'
import { useNames } from '../../state/names.ts'
import type { Pair } from '../../url/address.ts'
import { replaced, withoutFilters } from '../../url/change-filters.ts'
import { filterTreeOf, withFilterTree } from '../../url/filter-tree.ts'
import { cut, recordsText } from '../../api/format.ts'
import { Empty } from '../basics/notice.tsx'
import { sentenceOf, wantedByFilters } from '../filters/words.ts'
import { PastEnd } from './past-end.tsx'

interface EmptyListProps {
  readonly resource: ResourceDescription
  readonly params: readonly Pair[]
  readonly list: List
  readonly onChange: (params: readonly Pair[]) => void
}

export function EmptyList ({ resource, params, list, onChange }: EmptyListProps) {
  const filters = filterTreeOf(params)
  if (isPastEnd(list)) return <PastEnd {...{ params, list, onChange }} paging={resource.paging} words={recordsText} />
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
  const nameOf = useNames(wantedByFilters(resource.filters, filters))
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
            {cut(sentenceOf(filter, resource.filters, nameOf), 60)}
          </button>
        ))}
        {filters.length > 1 && (
          <button type='button' class='button' onClick={() => onChange(withoutFilters(params))}>All of them</button>
        )}
      </p>
    </Empty>
  )
}
