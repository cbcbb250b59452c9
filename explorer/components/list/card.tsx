/** A record as a card: its name, and the values that matter. It is rendered again only if what it shows has changed. */
import type { ResourceDescription } from '../../../src/explorer/description.ts'
import type { CardColumn } from '../../api/cards.ts'
import { valueAt } from '../../api/cells.ts'
import { labelOf, type Row } from '../../api/records.ts'
import { Cell } from './cell.tsx'
import { PureComponent } from './pure-component.ts'

/** The functions of the list that its cards call. The object stays the same. */
export interface CardHandlers {
  open: (key: string) => void
  select: (row: Row, on: boolean) => void
}

interface CardProps {
  readonly row: Row
  /** The key of the record. Records of which the list does not show the key cannot be opened. */
  readonly id: string | undefined
  readonly resource: ResourceDescription
  readonly columns: readonly CardColumn[]
  readonly isOpen: boolean
  /** Whether it is selected. `undefined` if cards cannot be selected. */
  readonly selected: boolean | undefined
  /** The names of the values that are marked. */
  readonly marks: ReadonlySet<string> | undefined
  readonly handlers: CardHandlers
}

export class Card extends PureComponent<CardProps> {
  override render ({ row, id, resource, columns, isOpen, selected, marks, handlers }: CardProps) {
    const name = labelOf(resource.lookup, row) ?? id
    const shown = columns.filter((column) => column.isAsked || marks?.has(column.name) || valueAt(column, row) !== null)
    return (
      <li class={name === undefined ? 'item item-absent' : 'item'} aria-current={isOpen}>
        {selected !== undefined && (
          <label class='item-check'>
            <input
              type='checkbox'
              aria-label={`Select ${name}`}
              checked={selected}
              onClick={({ currentTarget }) => handlers.select(row, currentTarget.checked)}
            />
          </label>
        )}
        <div class='item-text'>
          {id === undefined
            ? <span class={name === undefined ? 'null' : 'item-name'}>{name ?? 'absent'}</span>
            : (
              <button type='button' class='item-name' data-record={id} onClick={() => handlers.open(id)}>
                <bdi>{name}</bdi>
              </button>
              )}
          {name !== undefined && (
            <dl class='item-values'>
              {shown.map((column) => (
                <div key={column.name} class={marks?.has(column.name) ? 'marked' : undefined}>
                  <dt>{column.title}</dt>
                  <dd>
                    <Cell column={column} row={row} />
                  </dd>
                </div>
              ))}
            </dl>
          )}
        </div>
      </li>
    )
  }
}
