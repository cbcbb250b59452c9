/** Finds the column that an error of the database is about, if the error is about a value and names no column. */
import type { ValueType } from '../model/index.ts'
import { columnData, type RecordData } from '../plan/index.ts'
import { isUnreadable, sqlStateOf, type ServerError } from '../run/index.ts'

/** Whether an error is about a value, and not about a rule of the table. */
export const isAboutValue = (error: ServerError): boolean => sqlStateOf(error).startsWith('22') || isUnreadable(error)

/**
 * The column whose value an error quotes, because its type does not accept it. An error that quotes nothing is about
 * the only column with a type that this package does not know, or the only one whose value exceeds the error's limit.
 */
export function columnsOfValue (error: ServerError, row: RecordData): readonly string[] | undefined {
  if (!isAboutValue(error)) return undefined
  const columns = columnData(row)
  const quoted = columns.filter(({ property, value }) =>
    property.kind === 'scalar' && property.type.kind !== 'text' &&
    (Array.isArray(value) ? value : [value]).some((one) =>
      typeof one === 'string' && error.message.includes(`"${one}"`)
    )
  )
  const found = quoted.length > 0
    ? quoted
    : columns.filter(({ property, value }) =>
      property.kind === 'scalar' && value !== null &&
      (isUnreadable(error) ? property.type.kind === 'other' : exceeds(property.type, value, error))
    )
  return found.length === 1 ? [found[0]!.column] : undefined
}

/** A context of one line that names a bound value: `unnamed portal parameter $2 = '...'`, in any language. */
const OF_BOUND_VALUE = /^.*\$\d+ = .*$/

/** The type of bit strings that an error names, in any language: `bit(5)` or `bit varying(5)`. */
const BIT_TYPE = /\bbit(?: varying)?\((\d+)\)/

/**
 * Whether an error is about the limit of a type, and a value exceeds it: `character varying(5)`, `bit(5)`, the range of
 * intervals, or a detail such as `10^2`, which a number may also reach by rounding. Another context than a bound value
 * is a function, such as a trigger, which may have written another row.
 */
function exceeds (type: ValueType, value: unknown, error: ServerError): boolean {
  const { code, message, detail, where, routine } = error
  if (where !== undefined && !OF_BOUND_VALUE.test(where)) return false
  const bits = Number(BIT_TYPE.exec(message)?.[1])
  switch (code) {
    case '22001':
      if (!Number.isNaN(bits)) return isOther(type, BITS) && bitsIn(value) > bits
      return type.kind === 'text' && [...String(value)].length > Number(/\((\d+)\)/.exec(message)?.[1])
    case '22026':
      return isOther(type, BITS) && !Number.isNaN(bits) && bitsIn(value) !== bits
    case '22003': {
      const digits = /\b10\^(\d+)/.exec(detail ?? '')?.[1]
      return type.kind === 'decimal' && digits !== undefined && Math.abs(Number(value)) >= 10 ** Number(digits) - 0.5
    }
    case '22008':
      return isOther(type, INTERVAL) && routine === READS_INTERVALS
    default:
      return false
  }
}

const BITS = /^(?:bit|varbit)\b/
const INTERVAL = /^interval\b/

/** The server's function that reads the text of an interval. */
const READS_INTERVALS = 'interval_in'

const isOther = (type: ValueType, columnType: RegExp): boolean =>
  type.kind === 'other' && columnType.test(type.columnType)

/** The number of bits that a text stands for: `101`, `B101` or `x5`. */
function bitsIn (value: unknown): number {
  const text = String(value)
  if (/^[xX]/.test(text)) return (text.length - 1) * 4
  return /^[bB]/.test(text) ? text.length - 1 : text.length
}
