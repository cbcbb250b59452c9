/**
 * Lets a statement refuse the rows that it writes. PostgreSQL has no expression that only throws, so a refused row
 * casts a text to an integer. The error quotes the text, and PostgreSQL undoes the whole statement.
 */
import { literal, sql, type Sql } from './fragment.ts'

/**
 * The texts that errors quote. They are the same in every process, as the texts of all statements are. A client that
 * sends one as a wrong value only gets another refusal.
 */
export const OUTSIDE = 'fastify-crud-kit: the row lies outside of its scope'
export const SEVERAL = 'fastify-crud-kit: several rows have the key'
export const IN_THE_WAY = 'fastify-crud-kit: a row is in the way'

/** The reason of a statement to fail. */
export type RowRefusal = typeof OUTSIDE | typeof SEVERAL | typeof IN_THE_WAY

/**
 * A text that only rows have for which a condition holds. For any other row, the statement fails. The planner computes
 * the cast of a constant before it runs the statement, but `concat` is a stable function, which it never computes.
 *
 * @param refusal the text that the error quotes
 */
export function textIf (condition: Sql, text: Sql, refusal: RowRefusal): Sql {
  return sql`case when ${condition} then ${text} else concat(${literal(refusal)})::integer::text end`
}
