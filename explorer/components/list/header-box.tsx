/** The box that selects all records of the page: in the header of the table, or above the cards. */
import type { ComponentChildren } from 'preact'
import type { Row } from '../../api/records.ts'

/** The rows that a person has selected. */
export interface GridSelection {
  readonly isSelected: (row: Row) => boolean
  readonly onSelect: (rows: readonly Row[], on: boolean) => void
}

interface AllBoxProps {
  readonly selection: GridSelection
  readonly rows: readonly Row[]
  /** The cell of the table that it is in. */
  readonly cell?: { readonly isStop: boolean, readonly onFocus: () => void }
  /** The words beside the box, which name it. */
  readonly children?: ComponentChildren
}

export function AllBox ({ selection, rows, cell, children }: AllBoxProps) {
  const count = rows.filter(selection.isSelected).length
  return (
    <label>
      <input
        type='checkbox'
        aria-label={children === undefined ? 'Select all records of this page' : undefined}
        checked={count > 0 && count === rows.length}
        indeterminate={count > 0 && count < rows.length}
        {...cell && { 'data-cell': '-1,0', tabIndex: cell.isStop ? 0 : -1, onFocus: cell.onFocus }}
        onClick={({ currentTarget }) => selection.onSelect(rows, currentTarget.checked)}
      />
      {children}
    </label>
  )
}

interface HeaderBoxProps {
  readonly selection: GridSelection
  readonly rows: readonly Row[]
  readonly isStop: boolean
  readonly onFocus: () => void
}

export function HeaderBox ({ selection, rows, ...cell }: HeaderBoxProps) {
  return (
    <th role='columnheader' scope='col' class='check'>
      <AllBox selection={selection} rows={rows} cell={cell} />
    </th>
  )
}
