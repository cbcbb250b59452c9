/** Values that the application compares columns with, as values of these columns. */
import { comparable, type ConvertedColumn } from './codec.ts'
import { fromJson } from './convert.ts'
import type { Converted, SqlValue } from './types/converted.ts'
import { wireTypeOf, type ValueType } from './types/index.ts'

/**
 * Converts a value of a scope that is not null to the value that a column must hold to be equal to it.
 *
 * @example
 * fromScope(new Date(0), { type: { kind: 'date' } }) // { ok: true, value: '1970-01-01' }
 */
export function fromScope (value: unknown, { type, codec }: ConvertedColumn): Converted {
  const bodyForm = value instanceof Date ? value.toISOString() : digitsOf(value)
  if (codec?.fromJson !== undefined) {
    const converted = comparable(codec.fromJson(value))
    return converted.ok ? converted : comparable(codec.fromJson(bodyForm))
  }
  const { fromScope } = wireTypeOf(type)
  if (fromScope !== undefined) return fromScope(value, type)
  return fromJson(type.kind === 'other' && value !== null && typeof value !== 'object' ? String(value) : value, type)
}

const digitsOf = (value: unknown): unknown => typeof value === 'bigint' ? String(value) : value

/**
 * Looks for a value that the database cannot compare a column with. Numbers of any size, and texts of any length, can
 * be compared with columns that cannot hold them: `{ stars: { $lt: 2.5 } }`.
 *
 * @returns the refusal of the value, or `undefined` if it can be compared
 */
export function incomparable (value: unknown, { type, codec }: ConvertedColumn): Converted & { ok: false } | undefined {
  const wide = unlimited(type)
  const { fromScope, sum } = wireTypeOf(wide)
  // types whose values have a sum are numbers, which the database compares with all other numbers
  const isNumber = sum !== undefined && (typeof value === 'number' || typeof value === 'bigint')
  if (codec !== undefined || fromScope === undefined || isNumber) return undefined
  const converted = fromScope(value, wide)
  return converted.ok ? undefined : converted
}

/** The type without a limit of length, digits or members, for types whose comparison with other values has a result. */
function unlimited (type: ValueType): ValueType {
  switch (type.kind) {
    case 'text':
      return { ...type, maxLength: undefined }
    case 'decimal':
      return { kind: 'decimal', form: type.form }
    case 'enum': {
      if (type.native) return type
      const isNumeric = type.items.every((item) => typeof item === 'number')
      return isNumeric ? { kind: 'decimal', form: 'string' } : { kind: 'text' }
    }
    default:
      return type
  }
}

/**
 * Whether two converted values of a column are the same value for the database.
 *
 * @returns `undefined` if only the database can tell
 */
export function isSameValue (one: SqlValue, other: SqlValue, { type, codec }: ConvertedColumn): boolean | undefined {
  if (one === other) return true
  if (one === null || other === null) return false
  if (codec?.fromJson !== undefined) return undefined
  const { canonical = textOf, isSame } = wireTypeOf(type)
  if (canonical(one, type) === canonical(other, type)) return true
  return isSame === undefined ? false : isSame(one, other, type)
}

const textOf = (value: SqlValue): string => Buffer.isBuffer(value) ? value.toString('hex') : String(value)

/**
 * A text that two values of a key have in common if they are the same value for the database, as far as its columns'
 * types tell.
 */
export function canonicalKey (values: readonly SqlValue[], columns: readonly ConvertedColumn[]): string {
  return values.length === 1
    ? canonicalText(values[0]!, columns[0]!)
    : JSON.stringify(values.map((value, index) => canonicalText(value, columns[index]!)))
}

function canonicalText (value: SqlValue, { type, codec }: ConvertedColumn): string {
  const { canonical = textOf } = wireTypeOf(type)
  return codec?.fromJson === undefined ? canonical(value, type) : textOf(value)
}
