/**
 * Writes rows as one value: a JSON list of objects by column, which PostgreSQL reads by the types of the table
 * (`json_populate_recordset`). Each value is written as the text that would be bound for it, so that the same value is
 * stored.
 */
import { wireTypeOf, type SqlValue } from '../model/index.ts'
import type { ColumnData, RecordData } from './data.ts'

/**
 * Returns the rows as JSON, or `undefined` if they must be bound value by value. This is the case for rows that leave
 * different columns to their defaults, and for types whose text is read differently inside of JSON.
 */
export function recordset (rows: readonly Pick<RecordData, 'columns'>[]): string | undefined {
  const { columns } = rows[0]!
  if (columns.length === 0 || !columns.every(isReadable)) return undefined
  const names = new Set(columns.map(({ column }) => column))
  const objects: Record<string, unknown>[] = []
  for (const row of rows) {
    if (row.columns.length !== names.size) return undefined
    const object: Record<string, unknown> = {}
    for (const { column, value } of row.columns) {
      if (!names.has(column)) return undefined
      object[column] = Buffer.isBuffer(value) ? `\\x${value.toString('hex')}` : value satisfies SqlValue
    }
    objects.push(object)
  }
  return JSON.stringify(objects)
}

/**
 * Whether PostgreSQL reads the text of a column's values inside of JSON in the same way as the text of a bound value.
 * This is not so for arrays, whose text is not JSON, and not certain for unknown types, whose text might be JSON.
 */
function isReadable ({ property, column }: ColumnData): boolean {
  const { type, codec } = property.kind === 'scalar' ? property : property.key.find((part) => part.column === column)!
  return codec?.write === undefined && wireTypeOf(type).plainInJson
}
