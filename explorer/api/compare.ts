/** The same list as two callers get it: which columns differ, and which records only one of them has. */
import { recordOf, type Column } from './columns.ts'
import type { Row } from './records.ts'

/** The list of one caller. */
export interface Side {
  readonly columns: readonly Column[]
  readonly rows: readonly Row[]
}

export interface ComparedSide {
  /** As many rows as the other side has. A record that only the other side has is an empty row. */
  readonly rows: readonly Row[]
  /** The names of the columns whose values differ, for each row. */
  readonly marks: ReadonlyMap<Row, ReadonlySet<string>>
  /** The number of records that only this side has. */
  readonly only: number
}

interface Comparison {
  /** The columns of both: first those that identify a record, then those that differ. */
  readonly columns: readonly Column[]
  readonly sides: readonly [ComparedSide, ComparedSide]
}

/** The row of a side that does not have a record. */
const ABSENT: Row = {}

/**
 * Compares two lists.
 *
 * @param keyOf the key of a record
 * @param identifies whether a column tells a person which record it is, so that it stays in front
 */
export function compare (
  left: Side,
  right: Side,
  keyOf: (row: Row) => string | undefined,
  identifies: (column: Column) => boolean
): Comparison {
  const pairs = pairsOf(left.rows, right.rows, keyOf)
  const columns = [
    ...left.columns,
    ...right.columns.filter(({ name }) => !left.columns.some((column) => column.name === name)),
  ]
  const all = new Set(columns.map(({ name }) => name))
  const isShared = ({ name }: Column): boolean =>
    [left, right].every((side) => side.columns.some((column) => column.name === name))
  const differing = new Set(columns.filter((column) => !isShared(column)).map(({ name }) => name))
  const marks = [new Map<Row, ReadonlySet<string>>(), new Map<Row, ReadonlySet<string>>()] as const
  for (const [one, other] of pairs) {
    if (one === ABSENT) marks[1].set(other, all)
    else if (other === ABSENT) marks[0].set(one, all)
    else {
      const names = columns.filter((column) => textAt(column, one) !== textAt(column, other)).map(({ name }) => name)
      if (names.length === 0) continue
      for (const name of names) differing.add(name)
      marks[0].set(one, new Set(names))
      marks[1].set(other, new Set(names))
    }
  }
  const marked = columns.map((column): Column => differing.has(column.name) ? { ...column, differs: true } : column)
  const rank = (column: Column): number => identifies(column) ? 0 : column.differs ? 1 : 2
  const sideOf = (at: 0 | 1): ComparedSide => ({
    rows: pairs.map((pair) => pair[at]),
    marks: marks[at],
    only: pairs.filter((pair) => pair[1 - at] === ABSENT).length,
  })
  return { columns: marked.sort((a, b) => rank(a) - rank(b)), sides: [sideOf(0), sideOf(1)] }
}

/**
 * Sets each record beside itself, in the order of the left list. A record of the right list only stays before the one
 * that follows it there. Records without a key are compared by their places.
 */
function pairsOf (
  left: readonly Row[],
  right: readonly Row[],
  keyOf: (row: Row) => string | undefined
): Array<readonly [Row, Row]> {
  const keyAt = (row: Row, index: number): string => keyOf(row) ?? `#${index}`
  const known = new Set(left.map(keyAt))
  const shared = new Map<string, { readonly row: Row, readonly before: readonly Row[] }>()
  let waiting: Row[] = []
  for (const [index, row] of right.entries()) {
    const key = keyAt(row, index)
    if (!known.has(key) || shared.has(key)) waiting.push(row)
    else {
      shared.set(key, { row, before: waiting })
      waiting = []
    }
  }
  const alone = (row: Row) => [ABSENT, row] as const
  const pairs = left.flatMap((row, index) => {
    const key = keyAt(row, index)
    const other = shared.get(key)
    // keys that are not unique must not repeat a record
    shared.delete(key)
    return [...(other?.before ?? []).map(alone), [row, other?.row ?? ABSENT] as const]
  })
  return [...pairs, ...waiting.map(alone)]
}

const textAt = (column: Column, row: Row): string | undefined => JSON.stringify(recordOf(column, row)?.[column.key])
