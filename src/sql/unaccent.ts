/**
 * Texts without accents. A subquery has the value of a request, so the database evaluates it once: the function may
 * depend on settings, and would otherwise be called for each row.
 */
import type { Unaccent } from '../plan/index.ts'
import { literal, name, sql, type Sql } from './fragment.ts'
import type { ConditionContext } from './visibility.ts'

export type UnaccentContext = Pick<ConditionContext, 'unaccent'>

/** A text without accents. */
export function unaccented (text: Sql, by: Unaccent, context: UnaccentContext): Sql {
  return sql`${by === true ? name(context.unaccent(), 'unaccent') : functionName(by)}(${text})`
}

/** The name of a function of the application. Parts of it are quoted. */
export const functionName = (by: string): Sql => name(...by.split('.'))

/** A bound text without accents. */
export const unaccentedValue = (value: Sql, by: Unaccent, context: UnaccentContext): Sql =>
  sql`(select ${unaccented(sql`${value}::text`, by, context)})`

/** An escaped character, a wildcard, or other characters. */
const TOKENS = literal('\\\\.|[%_]|[^\\\\%_]+')
const SPECIAL = literal('[\\\\%_]')
const ESCAPED = literal('\\\\\\&')

/**
 * A bound pattern without accents. Its wildcards stay. Characters that become signs of patterns, such as a wide percent
 * sign, are escaped.
 */
export function unaccentedPattern (value: Sql, by: Unaccent, context: UnaccentContext): Sql {
  const isEscaped = sql`left(token[1], 1) = ${literal('\\')}`
  const text = sql`case when ${isEscaped} then substr(token[1], 2) else token[1] end`
  const plain = sql`regexp_replace(${unaccented(text, by, context)}, ${SPECIAL}, ${ESCAPED}, 'g')`
  return sql`(select coalesce(string_agg(case when token[1] in ('%', '_') then token[1] else ${plain} end, ''
    order by place), '') from regexp_matches(${value}, ${TOKENS}, 'g') with ordinality as tokens(token, place))`
}
