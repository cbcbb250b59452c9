/**
 * Compiles the plans of reads. Each read is one statement. Its answer is JSON text that the database writes and that is
 * sent unchanged. The statement finds the wanted rows first (the page), then formats them, and only then joins included
 * records.
 */
import type { EntityModel } from '../model/index.ts'
import type { CustomTerm } from '../plan/index.ts'
import { conditionContext } from './condition.ts'
import { plannedForValues } from './custom-plan.ts'
import type { ForeignOrder } from './foreign-order.ts'
import type { Form } from './form.ts'
import { EMPTY, join, name, render, sql, type Sql, type Statement } from './fragment.ts'
import { GROUP_COLUMNS, groupsSql } from './groups.ts'
import { objectJson, versionText } from './json.ts'
import { keysetStatement } from './keyset.ts'
import { EXCESS_COLUMN, listColumns, listSql } from './list.ts'
import { objectSql, projection, selectList, type Member } from './members.ts'
import { answerSql, ifFits, type AnswerSql } from './record.ts'
import type { CountShape, GetShape, Shape } from './shape.ts'
import type { Source } from './source.ts'
import { recordsColumns, streamRowColumns, streamRecordsSql, streamSql } from './stream-statements.ts'
import { tableRows } from './table-rows.ts'
import { whereClause, type ConditionContext, type ConstantCondition, type EntityFilter } from './visibility.ts'

/**
 * Compilers for conditions and orders in MikroORM's query language. Each compiles for the alias of the rows that they
 * apply to.
 */
export interface Foreign {
  /** MikroORM's filters of an entity, for those that the plan does not contain. Absent if it contains all. */
  readonly filter?: EntityFilter | undefined
  /** The conditions of relations and of the whitelist on related rows. */
  readonly constant: ConstantCondition
  /** The schema of the extension unaccent, for filters that need it. */
  readonly unaccent: () => string
  /** The scope and the custom filters of this request. */
  readonly conditions: (alias: string) => readonly Sql[]
  /** The condition that the rows of a write must fulfil after it, if the statement checks it. */
  readonly inside?: (alias: string) => Sql | undefined
  /** The order of a custom sort of this request. */
  readonly order: (term: CustomTerm, alias: string) => ForeignOrder
}

/** Compiles what plans of one shape and form have in common. */
export function compile (shape: Shape, foreign: Foreign, form: Form): Statement {
  const { model } = shape
  const context = conditionContext(shape, foreign, form.objects)
  const alias = context.names.table()
  const rows = tableRows(model, alias, shape, form, foreign.conditions, context)
  const source = {
    ...rows,
    alias,
    where: whereClause(rows.conditions),
    context,
    form,
    model,
    foreign: foreign.conditions,
    order: foreign.order,
  }
  switch (shape.kind) {
    case 'list': {
      const statement = render(listSql(shape, source))
      const namedText = plannedForValues(statement, '', shape.fetchSlot)
      return { ...statement, columns: listColumns(form, shape), namedText }
    }
    case 'stream':
      return { ...render(streamSql(shape, source)), columns: streamRowColumns(shape) }
    case 'records':
      return { ...render(streamRecordsSql(shape, source)), columns: recordsColumns(form) }
    case 'keyset':
      return keysetStatement(shape, source)
    case 'get':
      return { ...render(getSql(shape, source)), columns: getColumns(shape, form) }
    case 'aggregate': {
      const statement = render(groupsSql(shape, source))
      return { ...statement, columns: GROUP_COLUMNS, namedText: plannedForValues(statement, '', shape.limitSlot) }
    }
    case 'count':
    case 'exists':
      return { ...render(countSql(shape, source)), columns: [shape.kind] }
    case 'estimate':
      return render(countSql(shape, source))
  }
}

/** The number of rows, a row if there is at least one, or the planner's estimate. */
function countSql ({ kind }: CountShape, { table, where }: Source): Sql {
  switch (kind) {
    case 'count':
      return sql`select count(*) as "count" from ${table}${where}`
    case 'exists':
      return sql`select 1 as "exists" from ${table}${where} limit 1`
    case 'estimate':
      return sql`explain (format json) select 1 from ${table}${where}`
  }
}

function getColumns ({ model }: GetShape, { limits }: Form): readonly string[] {
  return ['item', ...model.version === undefined ? [] : ['version'], ...limits === 'measured' ? [EXCESS_COLUMN] : []]
}

/**
 * `item`: the record, or no row. `version`: its version, if the entity has one. `excess`: the limit that a
 * measured answer exceeds.
 *
 * The row is a subquery, so that names in conditions of the application have no other row to mean.
 */
function getSql (plan: GetShape, { alias, table, where, context, form }: Source): Sql {
  const { selection, model } = plan
  const page = context.names.expression('page')
  context.known.copy(alias, page)
  const columns = projection(selection, alias)
  if (model.version !== undefined) columns.set(model.version.column, name(alias, model.version.column))
  const answer = answerSql(plan, form, page, context)
  const row = sql`(select ${selectList(columns)} from ${table}${where})`
  if (answer.expressions.length === 0) {
    return itemSql(answer, model, page, sql`${row} as ${name(page)}`, context)
  }
  return sql`with ${join([sql`${name(page)} as ${row}`, ...answer.expressions])} ${
    itemSql(answer, model, page, name(page), context)
  }`
}

/**
 * If the entity has a version, the record has the bytes that writes return, because one entity tag stands for both. All
 * others are written in the faster form.
 */
function itemSql (
  { members, joins, measured }: AnswerSql,
  model: EntityModel,
  alias: string,
  row: Sql,
  context: ConditionContext
): Sql {
  const object = model.version === undefined
    ? objectSql(members, context)
    : { join: EMPTY, json: objectJson(members) }
  const columns: Member[] = [['item', ifFits(sql`${object.json}::text`, measured)]]
  if (model.version !== undefined) columns.push(['version', versionText(model, alias)])
  if (measured !== undefined) columns.push([EXCESS_COLUMN, measured.excess])
  return sql`select ${selectList(columns)} from ${row}${join(joins, '')}${object.join}`
}
