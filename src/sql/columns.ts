/** Tables and their columns by alias, and tests of columns. */
import type { Slot } from '../plan/index.ts'
import { join, name, sql, trusted, type Sql } from './fragment.ts'

/** `a`, or `(a, b)`. */
export function tuple (alias: string, columns: readonly string[]): Sql {
  const names = columns.map((column) => name(alias, column))
  return names.length === 1 ? names[0]! : sql`(${join(names)})`
}

/** A table with its alias, for a `from`. */
export const tableAs = (table: string, alias: string): Sql => sql`${trusted(table)} as ${name(alias)}`

/** The lock that an update takes. Unlike `for update`, it lets other transactions insert rows that refer to the row. */
export const FOR_CHANGE: Sql = trusted(' for no key update')

/** The test that columns have the values in the slots. */
export function equalTo (alias: string, columns: readonly string[], slots: readonly Slot[]): Sql {
  return join(columns.map((column, index) => sql`${name(alias, column)} = ${slots[index]!}`), ' and ')
}

/** The test that the columns of two lists are equal, pair by pair. */
export function equalColumns (
  left: string,
  leftColumns: readonly string[],
  right: string,
  rightColumns: readonly string[]
): Sql {
  return join(
    leftColumns.map((column, index) => sql`${name(left, column)} = ${name(right, rightColumns[index]!)}`),
    ' and '
  )
}

/** `a, b`, with the alias. */
export const columnList = (alias: string, columns: readonly string[]): Sql =>
  join(columns.map((column) => name(alias, column)))

/** The name of a part of a key in the rows of an expression. No column has this name. */
export const keyName = (index: number): string => `@key${index}`

/** The name of the column with a part of the key of a row that a statement finds, writes or returns. */
export const returnedKey = (index: number): string => `key${index}`

/** The parts of a key with their names, for a `select`. */
export const namedKey = (parts: readonly Sql[]): readonly Sql[] =>
  parts.map((part, index) => sql`${part} as ${name(keyName(index))}`)

/** The test that the key in the rows of an expression is that in the columns of other rows. */
export const equalKey = (expression: string, alias: string, columns: readonly string[]): Sql =>
  equalColumns(expression, columns.map((_, index) => keyName(index)), alias, columns)
