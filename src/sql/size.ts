/**
 * The size of a value, as far as the server knows it without reading the value. If the value is stored outside of its
 * row, `octet_length` of a text and `pg_column_size` of any value take the size from its header.
 */
import type { ScalarProperty } from '../model/index.ts'
import { sql, type Sql } from './fragment.ts'

/** Bytes of a value as it is stored: a compressed value counts with its compressed size. Null for null. */
export function sizeOf (value: Sql, { type, formula }: ScalarProperty): Sql {
  const measured = type.kind === 'blob' || (type.kind === 'text' && formula === undefined)
  return measured ? sql`octet_length(${value})` : sql`pg_column_size(${value})`
}

/**
 * Replaces a value in a record that is longer than expected. Such an answer is not sent. Instead, a statement that
 * weighs its answer is run. A value that equals this mark only costs that second statement.
 */
export const TOO_LONG = '@fastify-crud-kit/too-long'

/** The JSON of a value, unless it is longer than expected. */
export function unlessTooLong (json: Sql, value: Sql, property: ScalarProperty, most: number): Sql {
  const tooLong = sql`case when ${sizeOf(value, property)} > ${numberSql(most)} then`
  const isPlain = property.type.kind === 'text' && property.codec?.read === undefined && property.formula === undefined
  return isPlain
    ? sql`${tooLong} ${TEXT} else ${json} end`
    : sql`${tooLong} to_json(${TEXT}::text) else to_json(${json}) end`
}

/** A number from the configuration, as SQL. */
export function numberSql (number: number): Sql {
  return { pieces: [String(number)] }
}

const TEXT: Sql = { pieces: [`'${TOO_LONG}'`] }
