/** The rows of a table that a statement is about: those that its conditions keep. */
import { columnsOf, isFormula, type EntityModel, type Property } from '../model/index.ts'
import { columnList, tableAs } from './columns.ts'
import { conditionSql, noteKnown } from './condition.ts'
import { mostGathered, type Form } from './form.ts'
import { join, name, numberSql, sql, type Sql } from './fragment.ts'
import { comparesNumber } from './number-uses.ts'
import { joinNumbers } from './related-numbers.ts'
import type { ListShape } from './shape.ts'
import type { Source } from './source.ts'
import { visibility, whereClause, type ConditionContext } from './visibility.ts'

type Rows = Pick<ListShape, 'conditions' | 'deleted' | 'filters'> & Partial<Pick<ListShape, 'order'>>

/**
 * Compiles the conditions on the rows of an alias, with the joins to what they compare.
 *
 * @param foreign compiles the scope and the custom filters of the request for an alias
 */
export function tableRows (
  model: EntityModel,
  alias: string,
  rows: Rows,
  { numbers, total }: Pick<Form, 'numbers' | 'total'>,
  foreign: (alias: string) => readonly Sql[],
  context: ConditionContext
): Pick<Source, 'table' | 'conditions' | 'isOneTooMany'> {
  noteKnown(model, alias, rows.conditions, context)
  if (numbers !== 'all') narrowNumbers(model, alias, rows, context)
  const joins = joinNumbers(alias, rows, numbers, context)
  const compile = (conditions: Rows['conditions']) =>
    conditions.map((condition) => conditionSql(condition, model, alias, context))
  const own = () => [...visibility(model, alias, rows.deleted, context.filter), ...foreign(alias)]
  const table = tableAs(model.table, alias)
  if (numbers !== 'each' || joins.pieces.length === 0) {
    return { table: sql`${table}${joins}`, conditions: [...compile(rows.conditions), ...own()] }
  }
  // computes the numbers of at most `most` rows. The row behind them only tells that there are more, so no condition on
  // numbers may drop it
  const plain = compile(rows.conditions.filter((condition) => !comparesNumber(condition)))
  const numbered = compile(rows.conditions.filter(comparesNumber))
  const most = mostGathered(total)
  const kept = sql`(select ${columnsOfRow(model, alias)}, row_number() over () as ${name(PLACE)} from ${table}${
    whereClause([...plain, ...own()])
  } limit ${numberSql(most + 1)}) as ${name(alias)}`
  const isOneTooMany = sql`${name(alias, PLACE)} > ${numberSql(most)}`
  return {
    table: sql`${kept}${joins}`,
    conditions: [sql`(${isOneTooMany} or ${join(numbered, ' and ')})`],
    isOneTooMany,
  }
}

/**
 * Notes which rows of an alias the conditions without numbers keep. Numbers about related rows are then computed for
 * these rows, and not for all of the table. PostgreSQL still chooses: if these are few, it looks up the related rows of
 * each by an index, and otherwise it groups all of them.
 */
function narrowNumbers (
  model: EntityModel,
  alias: string,
  { conditions, deleted, filters }: Rows,
  context: ConditionContext
): void {
  const plain = conditions.filter((condition) => !comparesNumber(condition))
  if (plain.length === 0 && filters?.has(model) !== true) return
  context.kept.set(alias, (columns) => {
    const own = context.names.table()
    context.known.copy(alias, own)
    const where = whereClause([
      ...plain.map((condition) => conditionSql(condition, model, own, context)),
      ...visibility(model, own, deleted, context.filter),
    ])
    return sql`select ${columnList(own, columns)} from ${tableAs(model.table, own)}${where}`
  })
}

/** The columns of an entity. The database's role may lack the right to read others of the table. */
function columnsOfRow ({ properties }: EntityModel, alias: string): Sql {
  const stored = [...properties.values()].flatMap(storedColumns)
  return join([...new Set(stored)].map((column) => name(alias, column)))
}

/** The columns that hold a property. No column holds a formula. */
function storedColumns (property: Property): readonly string[] {
  if (property.kind === 'embedded') return [...property.properties.values()].flatMap(storedColumns)
  return isFormula(property) ? [] : columnsOf(property)
}

/** The column with the numbers of the rows, which no table has. */
const PLACE = '@place'
