/** The order of the list. It also offers the orders that no header of the grid stands for. */
import type { ResourceDescription } from '../../../src/explorer/description.ts'
import type { Pair } from '../../url/address.ts'
import { withSorts, type Direction, type SortUse } from '../../url/sorts.ts'
import { canSortBy } from '../../url/relevance.ts'
import { Icon } from '../basics/icon.tsx'
import { Popover } from '../basics/popover.tsx'
import { filterTitle } from '../filters/words.ts'

interface SortMenuProps {
  readonly resource: ResourceDescription
  readonly params: readonly Pair[]
  /** The present order: that of the URL, or the default. */
  readonly sorts: readonly SortUse[]
  readonly usual: (name: string) => Direction
  /** The sentence of the error, if the API refuses the order. */
  readonly detail: string | undefined
  readonly onChange: (params: readonly Pair[]) => void
}

export function SortMenu ({ resource, params, sorts, usual, detail, onChange }: SortMenuProps) {
  const set = (next: readonly SortUse[]): void => onChange(withSorts(params, next, usual))
  const directionOf = ({ name, direction }: SortUse): Direction => direction ?? usual(name)
  const others = resource.sorts.filter((each) =>
    canSortBy(each, params) && !sorts.some((sort) => sort.name === each.name)
  )
  const titleOf = (name: string): string =>
    resource.sorts.find((sort) => sort.name === name)?.relevance ? 'Relevance' : filterTitle(name)
  const [first, ...more] = sorts
  const label = first === undefined
    ? 'Sort'
    : `${titleOf(first.name)}${more.length > 0 ? `, ${more.length} more` : ''}`
  return (
    <Popover
      name='Order'
      class={detail === undefined ? 'button button-quiet' : 'button button-quiet filter-bad'}
      label={
        <>
          <Icon name={first && directionOf(first) === 'asc' ? 'up' : 'down'} />
          <span>{first === undefined ? label : `Sort: ${label}`}</span>
        </>
      }
    >
      {() => (
        <div class='menu sorts'>
          {detail !== undefined && <p class='bad'>{detail}</p>}
          {sorts.map((sort) => {
            const { name } = sort
            const isUp = directionOf(sort) === 'asc'
            const turned: SortUse = { name, direction: isUp ? 'desc' : 'asc' }
            return (
              <div class='sort' key={name}>
                <span>{titleOf(name)}</span>
                <button
                  type='button'
                  class='button button-small'
                  onClick={() => set(sorts.map((other) => other === sort ? turned : other))}
                >
                  <Icon name={isUp ? 'up' : 'down'} />
                  <span>{isUp ? 'ascending' : 'descending'}</span>
                </button>
                <button
                  type='button'
                  class='button button-bare'
                  aria-label={`Do not sort by ${titleOf(name)}`}
                  onClick={() => set(sorts.filter((other) => other !== sort))}
                >
                  <Icon name='close' />
                </button>
              </div>
            )
          })}
          {others.length > 0 && <p class='label'>Sort by</p>}
          {others.map(({ name, relevance }) => {
            const next: SortUse = { name, direction: relevance ? 'desc' : usual(name) }
            return (
              <div class='menu-line' key={name}>
                <button
                  type='button'
                  class='menu-item'
                  onClick={() => set([next])}
                >
                  {titleOf(name)}
                </button>
                {sorts.length > 0 && (
                  <button
                    type='button'
                    class='button button-bare'
                    title='Also sort by this'
                    aria-label={`Also sort by ${titleOf(name)}`}
                    onClick={() => set([...sorts, next])}
                  >
                    <Icon name='plus' />
                  </button>
                )}
              </div>
            )
          })}
        </div>
      )}
    </Popover>
  )
}
