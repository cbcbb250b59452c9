/** The records of a list as cards, one below the other. The browser lays out only those that can be seen. */
import type { ComponentProps } from 'preact'
import { useEffect, useMemo, useRef } from 'preact/hooks'
import { cardColumns } from '../../api/cards.ts'
import { wantedNames } from '../../api/names.ts'
import { keyOf, type Row } from '../../api/records.ts'
import { useApi } from '../../state/context.ts'
import { NamesContext, useNames } from '../../state/names.ts'
import { Card, type CardHandlers } from './card.tsx'
import type { Grid } from './grid.tsx'
import { AllBox } from './header-box.tsx'

type CardsProps = ComponentProps<typeof Grid> & {
  /** Whether a person has chosen the fields of the list. */
  readonly isChosen: boolean,
}

/** The next page of a list is asked for when so many pixels are left below. */
const AHEAD = 1600

export function Cards (props: CardsProps) {
  const { resource, rows, sorts, isChosen, busy, label, open, marks, sample = rows, selection, onOpen, onEnd } = props
  const { description } = useApi()
  const scroller = useRef<HTMLDivElement>(null)
  const columns = useMemo(
    () => cardColumns(props.columns, { resource, isChosen, sorts, rows: sample }),
    [props.columns, resource, isChosen, sorts, sample]
  )
  const wanted = useMemo(() => busy ? [] : wantedNames(columns, rows, description), [busy, columns, rows, description])
  const nameOf = useNames(wanted, { of: rows })
  const handlers = useRef<CardHandlers>({ open: onOpen, select: () => {} }).current
  handlers.open = onOpen
  handlers.select = (row, on) => selection?.onSelect([row], on)
  const look = (): void => {
    const { scrollTop, clientHeight, scrollHeight } = scroller.current!
    if (scrollTop + clientHeight > scrollHeight - AHEAD) onEnd?.()
  }
  useEffect(look, [rows])

  return (
    <NamesContext.Provider value={nameOf}>
      <div class='grid-frame'>
        <div class='grid-scroll' ref={scroller} onScroll={look}>
          {selection && (
            <div class='items-all'>
              <AllBox selection={selection} rows={rows}>Select all of this page</AllBox>
            </div>
          )}
          <ul
            class='items'
            aria-label={label}
            aria-busy={busy}
            onKeyDown={(event) => {
              const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
              if (step === undefined) return
              const names = [...event.currentTarget.querySelectorAll<HTMLElement>('.item-name')]
              const next = names[names.indexOf(document.activeElement as HTMLElement) + step]
              if (next === undefined) return
              event.preventDefault()
              next.focus()
            }}
          >
            {rows.map((row: Row, index) => {
              const key = keyOf(resource, row)
              return (
                <Card
                  key={key ?? index}
                  row={row}
                  id={key}
                  resource={resource}
                  columns={columns}
                  isOpen={key !== undefined && key === open}
                  selected={selection?.isSelected(row)}
                  marks={marks?.get(row)}
                  handlers={handlers}
                />
              )
            })}
          </ul>
        </div>
      </div>
    </NamesContext.Provider>
  )
}
