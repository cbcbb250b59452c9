/**
 * The table of records. It is one stop of the Tab key, and the arrow keys move in it. Only the rows that can be seen
 * are in the document.
 */
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'
import type { ResourceDescription } from '../../../src/explorer/description.ts'
import type { Column } from '../../api/columns.ts'
import { wantedNames } from '../../api/names.ts'
import { keyOf, labelOf, type Row } from '../../api/records.ts'
import { useApi } from '../../state/context.ts'
import { NamesContext, useNames } from '../../state/names.ts'
import { WIDTH_STEP } from '../../url/columns.ts'
import type { SortUse } from '../../url/sorts.ts'
import { GridRow, type RowHandlers } from './grid-row.tsx'
import { HeaderBox, type GridSelection } from './header-box.tsx'
import { HeaderCell } from './header-cell.tsx'
import { nextCell, type Place } from './move.ts'
import { useWidths, type Widths } from './use-widths.ts'

/** The height of a row. The style sheet has the same. */
const ROW = 32
/** The next page of a list is asked for when so few rows are left below. */
const AHEAD = 40
/** The width of the column with the boxes that select rows. */
const BOX = 44
/** Rows that are rendered before and after those that can be seen. */
const MARGIN = 12
/** The largest part of the room that a name takes which stays in sight. */
const MOST_STUCK = 0.5

/** The place of the table before it is in the document. */
const HIDDEN = {
  /** The width of the place for all columns. */
  room: 0,
  /** Whether columns are hidden before the first and after the last that can be seen. */
  start: false,
  end: false,
  /** The width of the scroll bar. */
  bar: 0,
}
const NAMES = ['room', 'start', 'end', 'bar'] as const

interface GridProps {
  readonly resource: ResourceDescription
  readonly columns: readonly Column[]
  readonly rows: readonly Row[]
  readonly sorts: readonly SortUse[]
  readonly busy: boolean
  readonly label: string
  /** The number of all records, if it is known. */
  readonly total: number | undefined
  /** The key of the record in the drawer. */
  readonly open: string | undefined
  /** The names of the columns that are marked in a row. */
  readonly marks?: ReadonlyMap<Row, ReadonlySet<string>> | undefined
  /** The rows by which the widths of columns are chosen, if not by its own. */
  readonly sample?: readonly Row[] | undefined
  /** The widths of columns as the address has them. */
  readonly widths: string | undefined
  /** Gets the present widths, for controls outside of the grid. */
  readonly shown?: { current: Widths } | undefined
  /** Present if rows can be selected. */
  readonly selection?: GridSelection | undefined
  readonly onOpen: (key: string) => void
  readonly onSort: (name: string, add: boolean) => void
  readonly onFilter: (name: string) => void
  /** Keeps widths. Those of one movement replace each other in the history. */
  readonly onWidths: (widths: Widths, how: 'push' | 'replace') => void
  /** Moves a column by some places. Absent if the columns have an order for a reason. */
  readonly onMove?: ((name: string, step: number) => void) | undefined
  /** Called when the last rows come into sight. */
  readonly onEnd: (() => void) | undefined
}

export function Grid (props: GridProps) {
  const { resource, columns, rows, busy, label, total, open, onOpen, onSort, onFilter, onWidths, onMove, onEnd } = props
  const { marks, selection, sample = rows } = props
  const { description } = useApi()
  // the boxes of the rows are a column before the others
  const before = selection === undefined ? 0 : 1
  const width = columns.length + before
  const scroller = useRef<HTMLDivElement>(null)
  const [seen, setSeen] = useState({ first: 0, count: 40 })
  const [active, setActive] = useState<Place>({ row: 0, column: before })
  const moved = useRef(false)
  /** The row that was selected last, from which Shift selects. */
  const anchor = useRef<{ readonly rows: readonly Row[], readonly index: number }>(undefined)

  const box = before * BOX
  const [edges, setEdges] = useState(HIDDEN)
  const { widths, pull, release, wholeOf } = useWidths(columns, sample, edges.room - box, props.widths, before === 0)
  if (props.shown) props.shown.current = columns.map(({ name }, index) => [name, widths[index]!])
  const used = widths.reduce((sum, width) => sum + width, box)
  const labelAt = columns.findIndex(({ isLabel }) => isLabel)
  // a name that takes most of the room would hide what scrolls
  const isStuck = labelAt !== -1 && widths[labelAt]! <= edges.room * MOST_STUCK
  const stuck = box + (isStuck ? widths[labelAt]! : 0)

  // until the rows of another caller or another page have arrived, no names are asked for
  const wanted = useMemo(
    () => busy ? [] : wantedNames(columns, rows, description),
    [busy, columns, rows, description]
  )
  const nameOf = useNames(wanted, { of: rows })

  const look = (): void => {
    // an observer can report once more after the grid is gone
    const place = scroller.current
    if (place === null) return
    const { scrollTop, clientHeight, scrollHeight, scrollLeft, clientWidth, scrollWidth, offsetWidth } = place
    const step = 4
    const first = Math.max(0, Math.floor(scrollTop / ROW / step) * step - MARGIN)
    const count = Math.ceil(clientHeight / ROW) + 2 * MARGIN + step
    if (first !== seen.first || count !== seen.count) setSeen({ first, count })
    const now = {
      room: clientWidth,
      start: scrollLeft > 0,
      end: scrollLeft + clientWidth < scrollWidth - 1,
      bar: offsetWidth - clientWidth,
    }
    setEdges((known) => NAMES.every((name) => now[name] === known[name]) ? known : now)
    if (scrollTop + clientHeight > scrollHeight - AHEAD * ROW) onEnd?.()
  }
  useEffect(() => {
    const observer = new ResizeObserver(look)
    observer.observe(scroller.current!)
    return () => observer.disconnect()
  })
  // before the page is painted, so that columns have their widths
  useLayoutEffect(look, [rows, used])

  const last = Math.min(rows.length, seen.first + seen.count)
  const first = Math.min(seen.first, last)
  const visible = rows.slice(first, last)
  // the Tab key needs a cell that is in the document
  const stop = {
    row: active.row < 0 ? -1 : Math.min(Math.max(active.row, first), Math.max(first, last - 1)),
    column: Math.min(active.column, width - 1),
  }
  if (rows.length === 0) stop.row = -1

  const cellAt = ({ row, column }: Place): HTMLElement | null =>
    scroller.current!.querySelector(`[data-cell="${row},${column}"]`)
  // before the next key: F opens its filter from the cell to which an arrow has just moved
  useLayoutEffect(() => {
    if (!moved.current) return
    const cell = cellAt(active)
    if (cell === null) return
    moved.current = false
    cell.focus({ preventScroll: true })
    // a cell that stays in sight needs no scrolling, and its place in the row is not where it is seen
    if (!cell.closest('.stuck, .check')) cell.scrollIntoView({ block: 'nearest', inline: 'nearest' })
  })

  const openRow = (row: Row): void => {
    const key = keyOf(resource, row)
    if (key !== undefined) onOpen(key)
  }
  const select = (index: number, on: boolean, isRange: boolean): void => {
    const from = isRange && anchor.current?.rows === rows ? anchor.current.index : index
    anchor.current = { rows, index }
    selection?.onSelect(rows.slice(Math.min(from, index), Math.max(from, index) + 1), on)
  }
  const wordsOf = (row: Row): string => labelOf(resource.lookup, row) ?? keyOf(resource, row) ?? 'the record'
  /** The column whose width the last key has changed. */
  const resized = useRef<string>(undefined)
  const focus = (place: Place): void => {
    resized.current = undefined
    setActive(place)
  }
  const handlers = useRef<RowHandlers>({ focus, open: openRow, select, label: wordsOf }).current
  Object.assign(handlers, { open: openRow, select, label: wordsOf })

  const keep = (at: number, width: number | undefined, how: 'push' | 'replace' = 'push'): void => {
    const changed = release(at, width)
    if (changed) onWidths(changed, how)
  }
  /** With Shift, arrows change the width of a column in its header, and with Ctrl as well, its place. */
  const changeColumn = (at: number, step: number, isMove: boolean): void => {
    const { name } = columns[at]!
    if (!isMove) {
      keep(at, widths[at]! + step * WIDTH_STEP, resized.current === name ? 'replace' : 'push')
      resized.current = name
    } else if (onMove && columns[at + step]) {
      onMove(name, step)
      moved.current = true
      setActive({ row: -1, column: stop.column + step })
    }
  }

  const onKeyDown = (event: KeyboardEvent): void => {
    const at = stop.column - before
    const column = columns[at]
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key]
    if (stop.row === -1 && column && step !== undefined && event.shiftKey && !event.altKey) {
      event.preventDefault()
      return changeColumn(at, step, event.ctrlKey || event.metaKey)
    }
    if (event.key === 'Enter' && stop.row >= 0) {
      event.preventDefault()
      const link = cellAt(stop)?.querySelector('a')
      if (link) link.click()
      else openRow(rows[stop.row]!)
      return
    }
    // a box of a row has its own Space
    if (event.key === ' ' && selection && stop.row >= 0 && stop.column > 0) {
      event.preventDefault()
      return select(stop.row, !selection.isSelected(rows[stop.row]!), event.shiftKey)
    }
    if (event.key === 'f' && !event.ctrlKey && !event.metaKey && column?.filter !== undefined) {
      event.preventDefault()
      return onFilter(column.filter)
    }
    const next = nextCell(event, stop, rows.length, width)
    if (next === undefined) return
    event.preventDefault()
    moved.current = true
    const { current } = scroller
    if (next.row >= 0) {
      const top = next.row * ROW
      if (top < current!.scrollTop) current!.scrollTop = top
      else if (top + 3 * ROW > current!.scrollTop + current!.clientHeight) {
        current!.scrollTop = top + 3 * ROW - current!.clientHeight
      }
    }
    look()
    setActive(next)
  }

  return (
    <NamesContext.Provider value={nameOf}>
      <div
        class={`grid-frame${edges.start ? ' more-before' : ''}${edges.end ? ' more-after' : ''}`}
        style={{ '--stuck': `${stuck}px`, '--box': `${box}px`, '--bar': `${edges.bar}px` }}
      >
        <div
          class='grid-scroll'
          ref={scroller}
          onScroll={look}
          {...edges.start || edges.end ? { role: 'group', tabIndex: 0, 'aria-label': `Table of ${label}` } : {}}
        >
          <table
            role='grid'
            class='grid'
            style={{ width: `${Math.max(used, edges.room)}px` }}
            aria-label={label}
            aria-busy={busy}
            aria-rowcount={total === undefined ? -1 : total + 1}
            aria-colcount={width}
            aria-multiselectable={selection && true}
            onKeyDown={onKeyDown}
          >
            <colgroup>
              {selection && <col style={{ width: `${BOX}px` }} />}
              {columns.map(({ name }, index) => <col key={name} style={{ width: `${widths[index]}px` }} />)}
              <col />
            </colgroup>
            <thead>
              <tr role='row' aria-rowindex={1}>
                {selection && (
                  <HeaderBox
                    selection={selection}
                    rows={rows}
                    isStop={stop.row === -1 && stop.column === 0}
                    onFocus={() => focus({ row: -1, column: 0 })}
                  />
                )}
                {columns.map((column, index) => (
                  <HeaderCell
                    key={column.name}
                    column={column}
                    sorts={props.sorts}
                    place={`-1,${before + index}`}
                    isStop={stop.row === -1 && stop.column === before + index}
                    isStuck={isStuck && index === labelAt}
                    width={widths[index]!}
                    onFocus={() => focus({ row: -1, column: before + index })}
                    onSort={onSort}
                    onPull={(width) => pull(index, width)}
                    onRelease={(width) => keep(index, width)}
                    onFit={() => keep(index, wholeOf(index))}
                  />
                ))}
                <td class='rest' aria-hidden='true' />
              </tr>
            </thead>
            <tbody>
              {first > 0 && <tr class='space' aria-hidden='true' style={{ height: `${first * ROW}px` }} />}
              {visible.map((row, offset) => {
                const index = first + offset
                const key = keyOf(resource, row)
                const isOpen = key !== undefined && key === open
                return (
                  <GridRow
                    key={key ?? index}
                    row={row}
                    index={index}
                    columns={columns}
                    stop={stop.row === index ? stop.column : -1}
                    stuck={isStuck ? labelAt : -1}
                    isOpen={isOpen}
                    selected={selection?.isSelected(row)}
                    marks={marks?.get(row)}
                    handlers={handlers}
                  />
                )
              })}
              {last < rows.length && (
                <tr class='space' aria-hidden='true' style={{ height: `${(rows.length - last) * ROW}px` }} />
              )}
            </tbody>
          </table>
        </div>
      </div>
    </NamesContext.Provider>
  )
}
