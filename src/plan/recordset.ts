/**
 * Writes rows as two values, whatever their number: a JSON object of the values that all rows share, and a JSON list of
 * objects by column with the other values. PostgreSQL reads both by the types of the table (`json_populate_record` and
 * `json_populate_recordset`). Each value is written as the text that would be bound for it, so that the same value is
 * stored.
 */
import { wireTypeOf, type SqlValue } from '../model/index.ts'
import type { ColumnValues, NewColumn, NewRow } from './record-data.ts'

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
export function recordset (rows: readonly NewRow[]): Recordset | undefined {
  const { columns, values: first } = rows[0]!
  if (columns.length === 0 || !columns.every(isReadable)) return undefined
  const varies = new Array<boolean>(columns.length).fill(false)
  const lists: (readonly SqlValue[])[] = []
  for (const row of rows) {
    const values = row.columns === columns ? row.values : valuesInOrder(row, columns)
    if (values === undefined) return undefined
    for (let index = 0; index < columns.length; index++) if (values[index] !== first[index]) varies[index] = true
    lists.push(values)
  }
  const names = columns.map(({ column }) => column)
  const [same, others] = [false, true].map((varying) => [...names.keys()].filter((at) => varies[at] === varying))
  return {
    common: JSON.stringify(objectOf(names, first, same!)),
    rows: JSON.stringify(lists.map((values) => objectOf(names, values, others!))),
  }
}

/** The values of a row in the order of another row's columns, or `undefined` if it does not have the same ones. */
function valuesInOrder (
  { columns, values }: NewRow,
  order: readonly NewColumn[]
): readonly SqlValue[] | undefined {
  if (columns.length !== order.length) return undefined
  if (columns.every(({ column }, index) => column === order[index]!.column)) return values
  const ordered: SqlValue[] = []
  for (const { column } of order) {
    const index = columns.findIndex((data) => data.column === column)
    if (index < 0) return undefined
    ordered.push(values[index]!)
  }
  return ordered
}

function objectOf (
  names: readonly string[],
  values: readonly SqlValue[],
  indexes: readonly number[]
): Record<string, unknown> {
  const object: Record<string, unknown> = {}
  for (const index of indexes) object[names[index]!] = cellOf(values[index]!)
  return object
}

/** The values of a row, by column. */
export const cellsOf = ({ columns, values }: ColumnValues): Record<string, unknown> =>
  objectOf(columns.map(({ column }) => column), values, [...columns.keys()])

const cellOf = (value: SqlValue): unknown => Buffer.isBuffer(value) ? `\\x${value.toString('hex')}` : value

/**
 * Whether PostgreSQL reads the text of a column's values inside of JSON in the same way as the text of a bound value.
 * This is not so for arrays, whose text is not JSON, and not certain for unknown types, whose text might be JSON.
 */
export function isReadable ({ property, column }: NewColumn): boolean {
  if (property === undefined) return true
  const { type, codec } = property.kind === 'scalar' ? property : property.key.find((part) => part.column === column)!
  return codec?.write === undefined && wireTypeOf(type).plainInJson
}
