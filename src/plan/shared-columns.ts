/** Columns that a scalar and a composite foreign key share, such as a tenant with which all keys begin. */
import { escapedName } from '../base/error-list.ts'
import { invalidAt, RequestValidationError } from '../base/errors.ts'
import { madeOnce } from '../base/made-once.ts'
import type { EntityModel } from '../model/index.ts'
import { columnData, type ColumnData, type RecordData } from './record-data.ts'

/** Whether two properties of an entity share a column, so that their values must agree. */
export const sharesColumns = madeOnce(({ properties }: EntityModel): boolean =>
  [...properties.values()].some((property) => property.kind === 'relation' && property.key.some(({ shared }) => shared))
)

/** Whether data sets a relation whose foreign key contains a column of another property. */
export const setsSharedColumns = ({ references }: RecordData): boolean =>
  references.some(({ relation }) => relation.key.some(({ shared }) => shared))

/**
 * Returns the data with each column once.
 *
 * @param pointer the prefix of the pointers in errors, e.g. `/1` in a batch
 * @throws {RequestValidationError} if two properties have different values for the same column
 */
export function withSharedColumns (row: RecordData, pointer = ''): RecordData {
  return setsSharedColumns(row) ? withColumnsOnce(row, pointer) : row
}

/** The same for data in which also other properties may share a column. */
export function withColumnsOnce (row: RecordData, pointer: string): RecordData {
  const columns = new Map<string, ColumnData>()
  for (const data of columnData(row)) {
    const other = columns.get(data.column)
    if (other === undefined) columns.set(data.column, data)
    else if (String(other.value) !== String(data.value)) throw contradiction(other, data, pointer)
  }
  const once = [...columns.values()]
  return { ...row, columns: once, values: once.map(({ value }) => value) }
}

function contradiction (one: ColumnData, two: ColumnData, pointer: string): RequestValidationError {
  const relation = one.property.kind === 'relation' ? one.property : two.property
  const other = relation === one.property ? two.property : one.property
  const name = relation.kind === 'relation' ? relation.key.find(({ column }) => column === two.column)!.publicName : ''
  // the message does not name a hidden property
  const detail = `'${name}' of '${relation.publicName}' must have the same value as ${
    other.hidden ? 'the record' : `'${other.publicName}'`
  }, because both are stored in one column.`
  return new RequestValidationError([invalidAt(`${pointer}/${escapedName(relation.publicName)}`, detail)])
}
