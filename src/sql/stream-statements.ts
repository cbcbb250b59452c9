/**
 * The statements of streams. They return all records row by row, or all keys and then the records of some keys with
 * their included relations.
 */
import { keyColumns, type EntityModel } from '../model/index.ts'
import { keyName } from './columns.ts'
import type { Form } from './form.ts'
import { join, name, sql, type Sql } from './fragment.ts'
import { orderBy, orderSql } from './order.ts'
import { ownMembers, projection, selectList, ROW, ROW_JSON } from './members.ts'
import { answerSql, ifFits } from './record.ts'
import type { RecordsShape, StreamShape } from './shape.ts'
import type { Source } from './source.ts'
import { whereClause } from './visibility.ts'
import { comparedValue } from './wire-types.ts'

/** The columns of rows with records, and of rows with keys. */
export const STREAM_ROW = Object.freeze({
  item: 'item',
  excess: '@excess',
  key: '@key',
})
const STREAM_ROW_COLUMNS: readonly string[] = [STREAM_ROW.item]
const MEASURED_ROW_COLUMNS: readonly string[] = [STREAM_ROW.item, STREAM_ROW.excess]

export function streamRowColumns ({ reads, model }: StreamShape): readonly string[] {
  return reads === 'records'
    ? STREAM_ROW_COLUMNS
    : [STREAM_ROW.key, ...keyColumns(model).map((_, index) => keyName(index))]
}

export const recordsColumns = ({ limits }: Form): readonly string[] =>
  limits === 'measured' ? MEASURED_ROW_COLUMNS : STREAM_ROW_COLUMNS

/**
 * A row for each record, in order: its JSON as `item`, or its key.
 *
 * With `offset 0` a distributed server keeps the order of a subquery. PostgreSQL's plan is the same with and without
 * it.
 */
export function streamSql ({ order: terms, reads, selection, deleted }: StreamShape, source: Source): Sql {
  const { alias, table, where, context, model } = source
  const { joins, expressions: order } = orderSql(terms, alias, context, { custom: source })
  const rows = sql`${table}${joins}${where}${orderBy(order)}`
  if (reads === 'keys') {
    const columns = keyTexts(model, alias).map((text, index): [string, Sql] => [keyName(index), text])
    return sql`select ${selectList([[STREAM_ROW.key, wholeKey(model, alias)], ...columns])} from ${rows}`
  }
  const page = context.names.expression('page')
  const pageSql = sql`(select ${selectList(projection(selection, alias))} from ${rows} offset 0) as ${name(page)}`
  return sql`select ${ROW_JSON} as ${name(STREAM_ROW.item)} from (select ${
    selectList(ownMembers(selection, page, true, deleted))
  } from ${pageSql}) as ${ROW}`
}

/** The column of the expression of the rows with the position of the key in the list of keys. */
const POSITION = '@position'

/**
 * A row for each key that has a record, in the order of the keys. If the records are measured and too large together,
 * each row says so in `@excess` and has no record.
 */
export function streamRecordsSql (plan: RecordsShape, source: Source): Sql {
  const { selection, keysSlot, columnSlots } = plan
  const { alias, table, conditions, context, form, model } = source
  const key = wholeKey(model, alias)
  // each column of a composite key is also compared separately: databases choose indexes and shards by columns
  const among = keyColumns(model).map(({ column, type }, index) =>
    sql`${comparedValue(name(alias, column), type)} = any(${columnSlots[index]!})`
  )
  if (among.length > 1) among.push(sql`${key} = any(${keysSlot}::text[])`)
  const columns = projection(selection, alias)
  columns.set(POSITION, sql`array_position(${keysSlot}::text[], ${key})`)

  const page = context.names.expression('page')
  context.known.copy(alias, page)
  const { members, expressions, joins, measured } = answerSql(plan, form, page, context)
  const row = [
    [STREAM_ROW.item, ifFits(ROW_JSON, measured)] as const,
    ...measured === undefined ? [] : [[STREAM_ROW.excess, measured.excess] as const],
  ]
  const pageSql = sql`${name(page)} as (select ${selectList(columns)} from ${table}${
    whereClause([...among, ...conditions])
  })`
  const records = sql`select ${selectList(members)} from ${name(page)}${join(joins, '')} order by ${
    name(page, POSITION)
  } offset 0`
  return sql`with ${join([pageSql, ...expressions])} select ${selectList(row)} from (${records}) as ${ROW}`
}

const keyTexts = (model: EntityModel, alias: string): readonly Sql[] =>
  keyColumns(model).map(({ column }) => sql`${name(alias, column)}::text`)

/** A row's key as one text. */
function wholeKey (model: EntityModel, alias: string): Sql {
  const texts = keyTexts(model, alias)
  return texts.length === 1 ? texts[0]! : sql`json_build_array(${join(texts)})::text`
}
