/** The size of a value, as far as the server knows it without reading a value that is stored outside of its row. */
import type { ScalarProperty } from '../model/index.ts'
import { numberSql, sql, type Sql } from './fragment.ts'
import { sqlTypeOf } from './wire-types.ts'

/** Bytes of a value as it is stored. Null for null. */
export function sizeOf (value: Sql, { type, formula }: ScalarProperty): Sql {
  return sqlTypeOf(type).size(value, formula !== undefined)
}

/**
 * Replaces a value in a record that is longer than expected. Such an answer is not sent. Instead, a statement that
 * measures its answer is run. A value that equals this mark only costs that second statement.
 */
export const TOO_LONG = '@fastify-crud-kit/too-long'

/** The JSON of a value, unless it is longer than expected. */
export function unlessTooLong (json: Sql, value: Sql, property: ScalarProperty, most: number): Sql {
  const tooLong = sql`case when ${sizeOf(value, property)} > ${numberSql(most)} then`
  const isPlain = sqlTypeOf(property.type).isText && property.codec?.read === undefined &&
    property.formula === undefined
  return isPlain
    ? sql`${tooLong} ${TEXT} else ${json} end`
    : sql`${tooLong} to_json(${TEXT}::text) else to_json(${json}) end`
}

const TEXT: Sql = { pieces: [`'${TOO_LONG}'`] }

/**
 * The JSON that replaces the included records of a parent that has too many of them. Like `TOO_LONG`, it makes the
 * answer be read again.
 */
export const TOO_MANY: Sql = { pieces: [`'"${TOO_LONG}"'::json`] }
