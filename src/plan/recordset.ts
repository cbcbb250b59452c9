/**
 * Rows of one kind as one value: a JSON list of objects by column, which PostgreSQL reads by the types of the table
 * (`json_populate_recordset`). Each value stands there as the text that would be bound for it, so that the same is stored.
 */
import type { ValueType } from '../model/index.ts'
import type { ColumnData, RecordData } from './data.ts'

/**
 * The rows, or `undefined` where they have to be bound value by value: rows that leave different columns to their
 * defaults, and types whose text is not read the same way inside of JSON.
 */
export function recordset (rows: readonly Pick<RecordData, 'columns'>[]): string | undefined {
  const members = new Map<string, Member>()
  for (const data of rows[0]!.columns) {
    const kind = kindOf(data)
    if (kind === undefined) return undefined
    members.set(data.column, { prefix: `${JSON.stringify(data.column)}:`, kind })
  }
  if (members.size === 0) return undefined
  const objects: string[] = []
  for (const { columns } of rows) {
    const object = objectOf(columns, members)
    if (object === undefined) return undefined
    objects.push(object)
  }
  return `[${objects.join()}]`
}

interface Member {
  readonly prefix: string
  readonly kind: ValueType['kind']
}

function objectOf (columns: readonly ColumnData[], members: ReadonlyMap<string, Member>): string | undefined {
  if (columns.length !== members.size) return undefined
  let object = ''
  for (const { column, value } of columns) {
    const member = members.get(column)
    if (member === undefined) return undefined
    object += object === '' ? member.prefix : `,${member.prefix}`
    if (value === null) object += 'null'
    else if (typeof value === 'string') {
      // a JSON null that is to be stored would be taken for none
      if (member.kind === 'json' && value.trim() === 'null') return undefined
      object += member.kind === 'json' ? value : JSON.stringify(value)
    } else object += Buffer.isBuffer(value) ? `"\\\\x${value.toString('hex')}"` : String(value)
  }
  return `{${object}}`
}

/** The kind of a column's values, where their text in JSON is read as a bound one is. */
function kindOf ({ property, column }: ColumnData): ValueType['kind'] | undefined {
  const part = property.kind === 'scalar' ? property : property.key.find((part) => part.column === column)!
  const { kind } = part.type
  // an array's text is not JSON, and that of a type nobody knows might be
  if (part.codec?.write !== undefined || kind === 'array' || kind === 'other') return undefined
  // the entity's own value, of which nobody knows whether it is JSON
  return kind === 'json' && property.write.onCreate !== undefined ? undefined : kind
}
