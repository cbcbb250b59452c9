/** The members of records: the columns that they need, their names and their JSON. */
import type { Property, ScalarProperty } from '../model/index.ts'
import type { Deleted, Selection } from '../plan/index.ts'
import { EMPTY, join, name, sql, trusted, type Sql } from './fragment.ts'
import { objectJson, propertyColumns, propertyJson } from './json.ts'
import type { ConditionContext } from './visibility.ts'

/** The name and the JSON of one member of a record. */
export type Member = readonly [key: string, value: Sql]

export const ROW = name('@row')
/** The whole row, whatever its columns are called. */
export const ROW_JSON = sql`row_to_json(${ROW}.*)::text`

/** Whether records show more than their own columns. If so, their rows have to be an expression. */
export function showsRelated ({ includes, aggregates }: Selection): boolean {
  return includes.length > 0 || aggregates.length > 0
}

/** The columns that a selection needs of its rows, by name: those of its properties, and the keys of its relations. */
export function projection (selection: Selection, alias: string): Map<string, Sql> {
  const columns = new Map<string, Sql>()
  for (const property of selection.properties) {
    for (const [column, value] of propertyColumns(property, alias)) columns.set(column, value)
  }
  for (const { relation } of [...selection.includes, ...selection.aggregates]) {
    for (const column of relation.join.columns) columns.set(column, name(alias, column))
  }
  return columns
}

/** `<value> as "<name>", ...` */
export function selectList (columns: Iterable<readonly [name: string, value: Sql]>): Sql {
  const list = [...columns].map(([column, value]) => sql`${value} as ${name(column)}`)
  // a record may have no members
  return list.length === 0 ? EMPTY : join(list)
}

/** The name of the JSON in the rows of an include. */
export const JSON_NAME = '@json'

/**
 * The time of the deletion, in rows that are not deleted: null. PostgreSQL does not conclude this from the condition,
 * and would plan and run the conversion of the time.
 *
 * An expression that has the column is asked for it. Otherwise PostgreSQL would replace the column by a constant in
 * each of its rows, and make new rows instead of passing on those that it has read.
 */
const notDeleted = ({ column }: ScalarProperty, alias: string, projected: boolean): Sql =>
  projected ? sql`${name(alias, column)}::text` : trusted('null::text')

/**
 * The members of a selection that are properties of its own rows. Other parameters are those of `propertyJson`.
 *
 * @param deleted which rows the statement keeps
 */
export function ownMembers (
  { properties, model }: Selection,
  alias: string,
  projected: boolean,
  deleted: Deleted,
  longest?: number
): readonly Member[] {
  const { deletedAt } = model
  const isNull = (property: Property): property is ScalarProperty =>
    deleted === 'without' && property === deletedAt && deletedAt.codec?.read === undefined
  return properties.map((property) => [
    property.publicName,
    isNull(property) ? notDeleted(property, alias, projected) : propertyJson(property, alias, projected, longest),
  ])
}

/** The object of a record's members, for rows of a from clause. */
export interface ObjectSql {
  /** A join at the end of the from clause. */
  readonly join: Sql
  readonly json: Sql
}

/**
 * The members as a row, which the server writes faster than the arguments of `json_build_object`, whose types it looks
 * up in each call. A cluster does not keep the names of such a row's columns. An aggregate of the rows themselves would
 * put line breaks between them, which end a record in a stream.
 */
export function objectSql (members: readonly Member[], { objects }: ConditionContext): ObjectSql {
  if (objects === 'built' || members.length === 0) {
    return { join: EMPTY, json: objectJson(members) }
  }
  return {
    join: sql` cross join lateral (select ${selectList(members)}) as ${ROW}`,
    json: sql`row_to_json(${ROW}.*)`,
  }
}
