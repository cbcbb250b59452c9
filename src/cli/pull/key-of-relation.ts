/** The key of a table or view, or a guess: records need one. */
import type { ColumnFacts, RelationFacts } from './database-facts.ts'
import { looksSecret } from './generated-names.ts'

/**
 * The columns of the key: of the constraint, of a unique index, of the groups of a view, or a guess, a column that
 * looks like a key.
 */
export function keyOfRelation (
  relation: RelationFacts
): { readonly columns: readonly string[], readonly guessed: boolean } | undefined {
  const { primaryKey, columns, indexes, name } = relation
  if (primaryKey.length > 0) return { columns: primaryKey, guessed: false }
  const column = (wanted: string | null) => columns.find(({ name }) => name === wanted)
  const unique = indexes.find(({ unique, partial, columns: parts }) =>
    unique && !partial && parts.every((part) => column(part)?.nullable === false)
  )
  if (unique !== undefined) return { columns: unique.columns as readonly string[], guessed: false }
  const usable = columns.filter(canBeKey)
  const groups = relation.groups.filter((group) => usable.some(({ name }) => name === group))
  if (groups.length > 0 && groups.length === relation.groups.length) return { columns: groups, guessed: false }
  const guess = usable.find(({ name }) => /^(?:id|uuid)$/i.test(name)) ??
    usable.find((one) => one.name === `${name}_id`) ??
    usable.find(({ name }) => /(?:_id|Id|ID|_key|_no)$/.test(name)) ??
    usable[0]
  return guess && { columns: [guess.name], guessed: true }
}

/** Types whose values can be compared and written into a path. */
const KEY_TYPES = /^(?:smallint|integer|bigint|numeric|text|uuid|date|character|timestamp|citext|(?:\w+\.)?citext)\b/

const canBeKey = ({ type, isArray, labels, name }: ColumnFacts): boolean =>
  !isArray && !looksSecret(name) && (labels !== null || KEY_TYPES.test(type))
