/**
 * The size of a value, as far as the server knows it without reading it: `octet_length` of a text and
 * `pg_column_size` of anything find it in the header of a value that is stored outside of its row.
 */
import type { ScalarProperty } from '../model/index.ts'
import { sql, type Sql } from './fragment.ts'

/** Bytes of a value as they are stored: compressed ones count for less than they are. Null for null. */
export function sizeOf (value: Sql, { type, formula }: ScalarProperty): Sql {
  const measured = type.kind === 'blob' || (type.kind === 'text' && formula === undefined)
  return measured ? sql`octet_length(${value})` : sql`pg_column_size(${value})`
}

/**
 * Stands in a record for a value that is longer than expected. An answer that has it is not sent: its statement is run
 * once more, as one that weighs its answer. A value that says the same only costs that statement.
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

/** A number of the configuration. */
export function numberSql (number: number): Sql {
  return { pieces: [String(number)] }
}

const TEXT: Sql = { pieces: [`'${TOO_LONG}'`] }
