/** The header of a column. A click sorts, and a click with Shift adds the column to the order. */
import type { Column } from '../../api/columns.ts'
import type { SortUse } from '../../url/sorts.ts'
import { Icon } from '../basics/icon.tsx'
import { ResizeHandle, type Resizing } from './resize-handle.tsx'

interface HeaderCellProps extends Resizing {
  readonly column: Column
  readonly sorts: readonly SortUse[]
  readonly place: string
  readonly isStop: boolean
  /** Whether it stays in sight while the other columns scroll. */
  readonly isStuck: boolean
  readonly width: number
  readonly onFocus: () => void
  readonly onSort: (name: string, add: boolean) => void
}

export function HeaderCell (props: HeaderCellProps) {
  const { column, sorts, place, isStop, isStuck, width, onFocus, onSort, onPull, onRelease, onFit } = props
  const { sort, title, isNumeric } = column
  const index = sort === undefined ? -1 : sorts.findIndex(({ name }) => name === sort.name)
  const use = sorts[index]
  const isDescending = use && (use.direction === undefined ? sort!.descending : use.direction === 'desc')
  const kind = `${isNumeric ? 'number' : ''}${isStuck ? ' stuck' : ''}`
  const handle = <ResizeHandle width={width} onPull={onPull} onRelease={onRelease} onFit={onFit} />
  const text = (
    <>
      <span>{title}</span>
      {column.field?.value.type === 'datetime' && <span class='zone'>{' UTC'}</span>}
      {column.differs && (
        <span class='differs' title='The two lists differ here'>
          <span aria-hidden='true'>≠</span>
          <span class='hidden'>, differs</span>
        </span>
      )}
    </>
  )
  if (sort === undefined) {
    return (
      <th
        role='columnheader'
        scope='col'
        class={kind}
        data-cell={place}
        tabIndex={isStop ? 0 : -1}
        onFocus={onFocus}
      >
        {text}
        {handle}
      </th>
    )
  }
  return (
    <th
      role='columnheader'
      scope='col'
      class={kind}
      aria-sort={use === undefined ? 'none' : isDescending ? 'descending' : 'ascending'}
    >
      <button
        type='button'
        data-cell={place}
        tabIndex={isStop ? 0 : -1}
        title='Sort. With Shift, add to the order.'
        onFocus={onFocus}
        onClick={(event) => onSort(sort.name, event.shiftKey)}
      >
        {text}
        {use && <Icon name={isDescending ? 'down' : 'up'} />}
        {use && sorts.length > 1 && <sup>{index + 1}</sup>}
      </button>
      {handle}
    </th>
  )
}
