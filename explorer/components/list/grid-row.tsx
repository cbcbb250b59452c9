/** A row of the grid. It is rendered again only if something that it shows has changed. */
import type { Column } from '../../api/columns.ts'
import type { Row } from '../../api/records.ts'
import { Cell } from './cell.tsx'
import type { Place } from './move.ts'
import { PureComponent } from './pure-component.ts'

/** The functions of the grid that its rows call. The object stays the same. */
export interface RowHandlers {
  focus: (place: Place) => void
  open: (row: Row) => void
  /** Selects a row or not, or all rows from the one that was selected last. */
  select: (index: number, on: boolean, isRange: boolean) => void
  /** The words by which a person recognizes a row. */
  label: (row: Row) => string
}

interface GridRowProps {
  readonly row: Row
  readonly index: number
  readonly columns: readonly Column[]
  /** The column of the cell that the Tab key reaches, or -1 if it is in another row. */
  readonly stop: number
  /** The column that stays in sight, or -1. */
  readonly stuck: number
  readonly isOpen: boolean
  /** Whether it is selected. `undefined` in a grid whose rows cannot be selected. */
  readonly selected: boolean | undefined
  /** The names of the columns that are marked. */
  readonly marks: ReadonlySet<string> | undefined
  readonly handlers: RowHandlers
}

export class GridRow extends PureComponent<GridRowProps> {
  override render ({ row, index, columns, stop, stuck, isOpen, selected, marks, handlers }: GridRowProps) {
    const first = selected === undefined ? 0 : 1
    return (
      <tr
        role='row'
        aria-rowindex={index + 2}
        aria-selected={selected}
        aria-current={isOpen}
        onClick={() => {
          // a person who selects text does not open the record
          if (getSelection()?.isCollapsed !== false) handlers.open(row)
        }}
      >
        {selected !== undefined && (
          <td role='gridcell' class='check' onClick={(event) => event.stopPropagation()}>
            <label>
              <input
                type='checkbox'
                aria-label={`Select ${handlers.label(row)}`}
                checked={selected}
                data-cell={`${index},0`}
                tabIndex={stop === 0 ? 0 : -1}
                onFocus={() => handlers.focus({ row: index, column: 0 })}
                onClick={({ currentTarget, shiftKey }) => handlers.select(index, currentTarget.checked, shiftKey)}
              />
            </label>
          </td>
        )}
        {columns.map((column, at) => (
          <td
            key={column.name}
            role='gridcell'
            class={classOf(column, at === stuck, marks)}
            data-cell={`${index},${first + at}`}
            tabIndex={stop === first + at ? 0 : -1}
            onFocus={() => handlers.focus({ row: index, column: first + at })}
          >
            <Cell column={column} row={row} />
          </td>
        ))}
        <td class='rest' aria-hidden='true' />
      </tr>
    )
  }
}

function classOf (
  { name, isNumeric }: Column,
  isStuck: boolean,
  marks: ReadonlySet<string> | undefined
): string | undefined {
  const names = [isNumeric && 'number', marks?.has(name) && 'marked', isStuck && 'stuck']
  return names.filter(Boolean).join(' ') || undefined
}
