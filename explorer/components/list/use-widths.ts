/** The widths of a grid's columns: as they fit, and as a person pulls them. */
import { useMemo, useRef, useState } from 'preact/hooks'
import type { Column } from '../../api/columns.ts'
import type { Row } from '../../api/records.ts'
import { needOf, needOfBoth, shareWidth, type Need } from '../../api/widths.ts'
import { useApi } from '../../state/context.ts'
import { chosenWidths, clampWidth } from '../../url/columns.ts'
import { currentMeasure } from './measure.ts'

/** The rows that decide about widths: some of the first, and some of those that came last. */
const SAMPLE = 50
/** The first cell of a row begins further inside. */
const INSET = 8

export type Widths = ReadonlyArray<readonly [name: string, width: number]>

interface ColumnWidths {
  /** In the order of the columns, in pixels. */
  readonly widths: readonly number[]
  /** Shows another width while a person pulls. */
  readonly pull: (index: number, width: number) => void
  /** The columns and widths to keep, so that a column has a width wherever it stands. `undefined`: the present ones. */
  readonly release: (index: number, width: number | undefined) => Widths | undefined
  /** The width with which no value of a column is cut. */
  readonly wholeOf: (index: number) => number
}

/**
 * @param room the width of the place of all columns
 * @param text the widths that the address has
 * @param isInset whether the first column is the first cell of a row
 */
export function useWidths (
  columns: readonly Column[],
  rows: readonly Row[],
  room: number,
  text: string | undefined,
  isInset: boolean
): ColumnWidths {
  const { description } = useApi()
  const [pulled, setPulled] = useState<Widths>([])
  const before = useRef<{ readonly of: string, readonly needs: readonly Need[] }>(undefined)
  const needs = useMemo(() => {
    const measure = currentMeasure()
    const sample = rows.length > 2 * SAMPLE ? [...rows.slice(0, SAMPLE), ...rows.slice(-SAMPLE)] : rows
    const now = columns.map((column, index) => {
      const { least, whole, shares } = needOf(column, sample, description, measure)
      const inset = isInset && index === 0 ? INSET : 0
      return { least: least + inset, whole: whole + inset, shares }
    })
    const of = columns.map(({ name }) => name).join()
    const needs = before.current?.of === of
      ? now.map((need, index) => needOfBoth(before.current!.needs[index]!, need))
      : now
    if (rows.length > 0) before.current = { of, needs }
    return needs
  }, [columns, rows, description])
  const chosen = new Map([...chosenWidths(text), ...pulled])
  const widths = shareWidth(needs, room, columns.map(({ name }) => chosen.get(name)))

  /** Columns before it stay as they are, so that its edge is where the pointer has left it. */
  const fixed = (index: number, width: number): Widths => [
    ...columns.slice(0, index).flatMap(({ name }, at): Widths => needs[at]!.shares ? [[name, widths[at]!]] : []),
    [columns[index]!.name, clampWidth(width)],
  ]
  return {
    widths,
    pull: (index, width) => setPulled(fixed(index, width)),
    release (index, width) {
      setPulled([])
      return width === undefined ? undefined : fixed(index, width)
    },
    wholeOf: (index) => needs[index]!.whole,
  }
}
