/** The columns of the grid in their order, with controls for their places and widths. */
import type { Column } from '../../api/columns.ts'
import { change } from '../../state/address.ts'
import type { Own } from '../../url/address.ts'
import { movedOrder, WIDTH_STEP, withWidths } from '../../url/columns.ts'
import { Icon, type IconName } from '../basics/icon.tsx'
import type { Widths } from './use-widths.ts'

/** The columns of a list, and how a person has arranged them. */
export interface Arrangement {
  /** In the order without a choice. */
  readonly usual: readonly Column[]
  /** In the order in which they are shown. */
  readonly columns: readonly Column[]
  /** The present widths of the grid. */
  readonly shown: { current: Widths }
}

/** Moves a column by some places. */
export function moveColumn ({ usual, columns }: Arrangement, own: Own, name: string, step: number): void {
  change({ own: { ...own, order: movedOrder(usual, columns, name, step)! } })
}

/** Keeps widths of columns. */
export function keepWidths (own: Own, widths: Widths, how: 'push' | 'replace' = 'push'): void {
  change({ own: { ...own, widths: withWidths(own.widths, widths) } }, how)
}

interface ColumnOrderProps {
  readonly own: Own
  readonly arrangement: Arrangement
}

export function ColumnOrder ({ own, arrangement }: ColumnOrderProps) {
  const { columns, shown } = arrangement
  const widen = (name: string, pixels: number): void => {
    const width = shown.current.find((column) => column[0] === name)?.[1] ?? 0
    keepWidths(own, [[name, width + pixels]])
  }
  return (
    <details class='arrange'>
      <summary class='label'>Order and widths</summary>
      <ol>
        {columns.map(({ name, title }, index) => {
          const button = (icon: IconName, words: string, disabled: boolean, onClick: () => void) => (
            <button
              type='button'
              class='button button-bare'
              title={`${words} ${title}`}
              aria-label={`${words} ${title}`}
              disabled={disabled}
              onClick={onClick}
            >
              <Icon name={icon} />
            </button>
          )
          return (
            <li key={name}>
              <span>{title}</span>
              {button('up', 'Move up', index === 0, () => moveColumn(arrangement, own, name, -1))}
              {button('down', 'Move down', index === columns.length - 1, () => moveColumn(arrangement, own, name, 1))}
              {button('minus', 'Narrow', false, () => widen(name, -2 * WIDTH_STEP))}
              {button('plus', 'Widen', false, () => widen(name, 2 * WIDTH_STEP))}
            </li>
          )
        })}
      </ol>
      {(own.order !== undefined || own.widths !== undefined) && (
        <button
          type='button'
          class='button button-small'
          onClick={() => change({ own: { ...own, order: undefined!, widths: undefined! } })}
        >
          As usual
        </button>
      )}
    </details>
  )
}
