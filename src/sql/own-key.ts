/**
 * Compares rows of a table by the columns of a key, with the types of the columns. The functions of columns.ts compare
 * columns of different tables, which only foreign keys join: PostgreSQL has none for domains of enum types.
 */
import type { KeyColumn } from '../model/index.ts'
import { keyName } from './columns.ts'
import { join, name, sql, type Sql } from './fragment.ts'
import { comparedValue } from './wire-types.ts'

type Key = readonly KeyColumn[]

/** The columns of a key, as operators take them. */
export const comparedKey = (key: Key, alias: string): readonly Sql[] =>
  key.map(({ column, type }) => comparedValue(name(alias, column), type))

/** `a`, or `(a, b)`. */
export function keyTuple (key: Key, alias: string): Sql {
  const parts = comparedKey(key, alias)
  return parts.length === 1 ? parts[0]! : sql`(${join(parts)})`
}

/** The test that two rows have the same key. */
export const hasSameKey = (key: Key, one: string, other: string): Sql =>
  equal(comparedKey(key, one), comparedKey(key, other))

/** The test that the key in the rows of an expression, by the names of `keyName`, is that of another row. */
export const hasNamedKey = (key: Key, expression: string, alias: string): Sql =>
  equal(key.map(({ type }, index) => comparedValue(name(expression, keyName(index)), type)), comparedKey(key, alias))

const equal = (left: readonly Sql[], right: readonly Sql[]): Sql =>
  join(left.map((part, index) => sql`${part} = ${right[index]!}`), ' and ')
