/**
 * Rows of one kind as one value: a JSON list of objects by column, which PostgreSQL reads by the types of the table
 * (`json_populate_recordset`). Each value stands there as the text that would be bound for it, so that the same is stored.
 */
import { wireTypeOf, type SqlValue } from '../model/index.ts'
import type { ColumnData, RecordData } from './data.ts'

/**
 * The rows, or `undefined` where they have to be bound value by value: rows that leave different columns to their
 * defaults, and types whose text is not read the same way inside of JSON.
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

/** Whether the text of a column's values is read in JSON as it is where it is bound: an array's is not JSON, and that of a type nobody knows might be. */
function isReadable ({ property, column }: ColumnData): boolean {
  const { type, codec } = property.kind === 'scalar' ? property : property.key.find((part) => part.column === column)!
  return codec?.write === undefined && wireTypeOf(type).plainInJson
}
