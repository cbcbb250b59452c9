/**
 * Full text: whether the words of a text are in a document, and how well a document matches. `ts_rank` counts words,
 * and also ranks what `or` finds, which `ts_rank_cd` values by the distance between the words.
 */
import { keyColumns, type EntityModel } from '../model/index.ts'
import type { Condition, Slot, TextDocument, Unaccent } from '../plan/index.ts'
import { tableAs } from './columns.ts'
import { join, literal, sql, type Sql } from './fragment.ts'
import { column } from './json.ts'
import { knownSql } from './known-columns.ts'
import { hasSameKey, comparedKey, keyTuple } from './own-key.ts'
import { ToOneJoins } from './to-one-joins.ts'
import { unaccented, type UnaccentContext } from './unaccent.ts'
import { whereClause, type ConditionContext } from './visibility.ts'

/** The test that a document has the words of a text. Texts of related rows are joined in a query for the keys. */
export function matchSql (
  { document, slot }: Extract<Condition, { kind: 'match' }>,
  model: EntityModel,
  alias: string,
  context: ConditionContext
): Sql {
  const matches = (joins: ToOneJoins): Sql =>
    sql`${vectorSql(document, joins, context)} @@ ${querySql(document, [slot], context)}`
  if (isOfOneRow(document)) return matches(new ToOneJoins(alias, context))
  const row = context.names.table()
  context.known.copy(alias, row)
  const joins = new ToOneJoins(row, context)
  const where = whereClause([...knownSql(row, context.known.of(row)), matches(joins)])
  const key = keyColumns(model)
  return sql`${keyTuple(key, alias)} in (select ${join(comparedKey(key, row))} from ${
    tableAs(model.table, row)
  }${joins.sql}${where})`
}

/** How well the document of a row matches texts. */
export function rankSql (
  document: TextDocument,
  texts: readonly Slot[],
  joins: ToOneJoins,
  context: UnaccentContext
): Sql {
  return sql`ts_rank(${vectorSql(document, joins, context)}, ${querySql(document, texts, context)})`
}

/** The same in a query of one value, if the document has texts of related rows. */
export function rankOfRow (
  document: TextDocument,
  texts: readonly Slot[],
  model: EntityModel,
  alias: string,
  context: ConditionContext
): Sql {
  if (isOfOneRow(document)) return rankSql(document, texts, new ToOneJoins(alias, context), context)
  const row = context.names.table()
  const joins = new ToOneJoins(row, context)
  const rank = rankSql(document, texts, joins, context)
  return sql`(select ${rank} from ${tableAs(model.table, row)}${joins.sql}${
    whereClause([hasSameKey(keyColumns(model), row, alias)])
  })`
}

/** The expression of an index on a document, for a table without an alias. */
export const indexedVector = (document: TextDocument, unaccent: Unaccent | undefined): Sql =>
  vectorOf({ ...document, unaccent }, () => '', { unaccent: () => '' })

/** Whether all texts of a document are in one row. */
export const isOfOneRow = ({ fields }: TextDocument): boolean => fields.every(({ relations }) => relations.length === 0)

const vectorSql = (document: TextDocument, joins: ToOneJoins, context: UnaccentContext): Sql =>
  vectorOf(document, (relations) => joins.aliasOf(relations), context)

function vectorOf (
  { config, fields, stored, unaccent }: TextDocument,
  aliasOf: (relations: TextDocument['fields'][number]['relations']) => string,
  context: UnaccentContext
): Sql {
  if (stored !== undefined) return column(stored, aliasOf([]))
  const texts = fields.map(({ relations, operand }) => sql`coalesce(${column(operand, aliasOf(relations))}, '')`)
  const text = join(texts, " || ' ' || ")
  return sql`to_tsvector(${literal(config)}, ${unaccent === undefined ? text : unaccented(text, unaccent, context)})`
}

/** What the words of several texts ask for together. */
const querySql = ({ config, unaccent }: TextDocument, texts: readonly Slot[], context: UnaccentContext): Sql =>
  join(
    texts.map((slot) =>
      unaccent === undefined
        ? sql`websearch_to_tsquery(${literal(config)}, ${slot})`
        : sql`(select websearch_to_tsquery(${literal(config)}, ${unaccented(sql`${slot}::text`, unaccent, context)}))`
    ),
    ' && '
  )
