/**
 * Writes rows as two values, whatever their number: a JSON object of the values that all rows share, and a JSON list of
 * objects by column with the other values. PostgreSQL reads both by the types of the table (`json_populate_record` and
 * `json_populate_recordset`). Each value is written as the text that would be bound for it, so that the same value is
 * stored.
 */
import { wireTypeOf, type SqlValue } from '../model/index.ts'
import type { ColumnData, RecordData } from './data.ts'

/** Rows as JSON. */
export interface Recordset {
  /** An object of the values that are the same in all rows, by column. */
  readonly common: string
  /** A list of objects, which have the other values of each row. */
  readonly rows: string
}

/**
 * Returns the rows as JSON, or `undefined` if they must be bound value by value. This is the case for rows that leave
 * different columns to their defaults, and for types whose text is read differently inside of JSON.
 */
export function recordset (rows: readonly Pick<RecordData, 'columns'>[]): Recordset | undefined {
  const { columns } = rows[0]!
  if (columns.length === 0 || !columns.every(isReadable)) return undefined
  const varying = new Set<number>()
  const cells: (readonly ColumnData[])[] = []
  for (const row of rows) {
    const ordered = inOrder(row.columns, columns)
    if (ordered === undefined) return undefined
    for (let index = 0; index < columns.length; index++) {
      if (ordered[index]!.value !== columns[index]!.value) varying.add(index)
    }
    cells.push(ordered)
  }
  const same = [...columns.keys()].filter((index) => !varying.has(index))
  const others = [...varying]
  return {
    common: JSON.stringify(objectOf(columns, same)),
    rows: JSON.stringify(cells.map((row) => objectOf(row, others))),
  }
}

/** The columns of a row in the order of another row, or `undefined` if it does not have the same ones. */
function inOrder (row: readonly ColumnData[], order: readonly ColumnData[]): readonly ColumnData[] | undefined {
  if (row.length !== order.length) return undefined
  if (row.every(({ column }, index) => column === order[index]!.column)) return row
  const ordered: ColumnData[] = []
  for (const { column } of order) {
    const found = row.find((data) => data.column === column)
    if (found === undefined) return undefined
    ordered.push(found)
  }
  return ordered
}

function objectOf (row: readonly ColumnData[], indexes: readonly number[]): Record<string, unknown> {
  const object: Record<string, unknown> = {}
  for (const index of indexes) object[row[index]!.column] = cellOf(row[index]!)
  return object
}

/** The values of a row, by column. */
export function cellsOf (row: readonly ColumnData[]): Record<string, unknown> {
  return Object.fromEntries(row.map((data) => [data.column, cellOf(data)]))
}

const cellOf = ({ value }: ColumnData): unknown =>
  Buffer.isBuffer(value) ? `\\x${value.toString('hex')}` : value satisfies SqlValue

/**
 * Whether PostgreSQL reads the text of a column's values inside of JSON in the same way as the text of a bound value.
 * This is not so for arrays, whose text is not JSON, and not certain for unknown types, whose text might be JSON.
 */
export function isReadable ({ property, column }: ColumnData): boolean {
  const { type, codec } = property.kind === 'scalar' ? property : property.key.find((part) => part.column === column)!
  return codec?.write === undefined && wireTypeOf(type).plainInJson
}
