/**
 * Lets a statement refuse the rows that it writes. PostgreSQL has no expression that only throws, so a row outside of
 * the scope casts a text to an integer. The error quotes the text, and PostgreSQL undoes the whole statement.
 */
import { literal, sql, type Sql } from './fragment.ts'

/**
 * The text that the error quotes. It is the same in every process, as the texts of all statements are. Clients gain
 * nothing by sending it: it would turn the refusal of one of their own values into another one.
 */
export const OUTSIDE = 'fastify-crud-kit: the row lies outside of its scope'

/**
 * A text that only rows inside of the scope have. For any other row, the statement fails. The planner computes the cast
 * of a constant before it runs the statement, but `concat` is a stable function, which it never computes.
 *
 * @param inside the condition of the scope
 */
export function textInside (inside: Sql, text: Sql): Sql {
  return sql`case when ${inside} then ${text} else concat(${literal(OUTSIDE)})::integer::text end`
}
