/** The box in the header that selects all rows of the page. */
import type { Row } from '../../api/records.ts'

/** The rows that a person has selected. */
export interface GridSelection {
  readonly isSelected: (row: Row) => boolean
  readonly onSelect: (rows: readonly Row[], on: boolean) => void
}

interface HeaderBoxProps {
  readonly selection: GridSelection
  readonly rows: readonly Row[]
  readonly isStop: boolean
  readonly onFocus: () => void
}

export function HeaderBox ({ selection, rows, isStop, onFocus }: HeaderBoxProps) {
  const count = rows.filter(selection.isSelected).length
  return (
    <th role='columnheader' scope='col' class='check'>
      <label>
        <input
          type='checkbox'
          aria-label='Select all rows of this page'
          checked={count > 0 && count === rows.length}
          indeterminate={count > 0 && count < rows.length}
          data-cell='-1,0'
          tabIndex={isStop ? 0 : -1}
          onFocus={onFocus}
          onClick={({ currentTarget }) => selection.onSelect(rows, currentTarget.checked)}
        />
      </label>
    </th>
  )
}
