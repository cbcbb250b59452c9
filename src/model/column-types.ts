/** The value type of a column, and what operators can do with its values. */
import { WIRE_TYPES, wireTypeOf, type ValueType } from './types/index.ts'
import type { Declaration, FromColumn } from './types/wire-type.ts'

/** Builders of types by the name of the column type. */
const BY_COLUMN: ReadonlyMap<string, FromColumn<ValueType>> = new Map(
  Object.values(WIRE_TYPES).flatMap(({ columns }) => Object.entries<FromColumn<ValueType>>(columns))
)

/**
 * The value type of a column.
 *
 * @param columnType the column type in MikroORM's metadata, such as `numeric(10,2)`, `timestamptz(3)` or `text[]`
 * @example
 * valueTypeOf('varchar(40)', {}) // { kind: 'text', maxLength: 40 }
 */
export function valueTypeOf (columnType: string, declared: Declaration): ValueType {
  const name = columnType.toLowerCase().trim()
  // PostgreSQL ignores the number and the size of dimensions (manual, section 8.15.1)
  const [dimensions] = /(?: *\[\d*\])+$/.exec(name) ?? []
  if (dimensions !== undefined) {
    const element = valueTypeOf(name.slice(0, -dimensions.length), {
      ...declared,
      runtimeType: declared.runtimeType?.replace(/(?:\[\])+$/, ''),
    })
    return Object.freeze({ kind: 'array', element })
  }
  const match = /^([a-z0-9 ]+?) *(?:\(([0-9, ]+)\))?( with(?:out)? time zone)?$/.exec(name)
  const fromColumn = match === null ? undefined : BY_COLUMN.get(`${match[1]}${match[3] ?? ''}`)
  if (declared.items !== undefined && declared.items.length > 0) {
    return Object.freeze({ kind: 'enum', items: Object.freeze([...declared.items]), native: fromColumn === undefined })
  }
  if (fromColumn === undefined) return Object.freeze({ kind: 'other', columnType })
  return Object.freeze(fromColumn(declared, match?.[2]?.split(',').map(Number) ?? []))
}

/** Whether patterns (`like`, `contains`, ...) can be matched: the values are also text in the database. */
export function isTextual (type: ValueType): boolean {
  return wireTypeOf(type).abilities(type).textual
}

/** Whether `=` is defined for the column type, and a value can be read from text. */
export function isComparable (type: ValueType): boolean {
  return wireTypeOf(type).abilities(type).comparable
}

/** Whether `<` is meaningful for clients. */
export function isOrdered (type: ValueType): boolean {
  return wireTypeOf(type).abilities(type).ordered
}
