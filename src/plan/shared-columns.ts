/** Columns that a scalar and a composite foreign key have in common, such as the tenant that keys of all tables start with. */
import { RequestValidationError } from '../errors.ts'
import type { ColumnData, RecordData } from './data.ts'

/**
 * The data with each column once.
 *
 * @param pointer put before the pointers of errors, e.g. `/1` in a batch
 * @throws {RequestValidationError} when two properties say different things about one column
 */
export function withSharedColumns (row: RecordData, pointer = ''): RecordData {
  if (!row.references.some(({ relation }) => relation.key.some(({ shared }) => shared))) return row
  const columns = new Map<string, ColumnData>()
  for (const data of row.columns) {
    const other = columns.get(data.column)
    if (other === undefined) columns.set(data.column, data)
    else if (String(other.value) !== String(data.value)) throw contradiction(other, data, pointer)
  }
  return { columns: [...columns.values()], references: row.references, links: row.links, properties: row.properties }
}

function contradiction (one: ColumnData, two: ColumnData, pointer: string): RequestValidationError {
  const relation = one.property.kind === 'relation' ? one.property : two.property
  const other = relation === one.property ? two.property : one.property
  const name = relation.kind === 'relation' ? relation.key.find(({ column }) => column === two.column)!.publicName : ''
  // a hidden property is not spoken of
  const detail = `'${name}' of '${relation.publicName}' must be that of ${
    other.hidden ? 'the record' : `'${other.publicName}'`
  }: they are one column.`
  return new RequestValidationError([{
    source: { pointer: `${pointer}/${relation.publicName}` },
    code: 'FST_ERR_VALIDATION',
    detail,
  }])
}
