/** The statements of lists: a page of rows, the included records, and the total. */
import { keyColumns } from '../model/index.ts'
import { isDeep, MOST_GATHERED, type ListPlan } from '../plan/index.ts'
import { equalColumns, whereClause } from './condition.ts'
import { EMPTY, join, name, sql, trusted, type Sql } from './fragment.ts'
import type { OrderExpression } from './order-expression.ts'
import { carriedOrder, carry, orderBy, orderSql } from './order.ts'
import { projection, selectList, showsRelated } from './members.ts'
import { answerSql, isWeighed, shownRows } from './record.ts'
import { keyName } from './related.ts'
import { numberSql } from './size.ts'
import { ROW, ROW_JSON, type Source } from './source.ts'
import { EXCESS_OF_BYTES, type Weighing } from './weight.ts'

const LIST_COLUMNS: readonly string[] = ['items', 'fetched', 'total']
/** The column that tells which limit a weighed answer exceeds. */
export const EXCESS_COLUMN = 'excess'
const WEIGHED_COLUMNS: readonly string[] = [...LIST_COLUMNS, EXCESS_COLUMN]

export const listColumns = (plan: ListPlan): readonly string[] => isWeighed(plan) ? WEIGHED_COLUMNS : LIST_COLUMNS

/**
 * `items`: the records as the inside of a JSON array, or null if there are none. `fetched`: the number of rows.
 * `total`: the number of all records, or null if there are more rows than the statement gathers.
 */
export function listSql (plan: ListPlan, source: Source): Sql {
  const rows = pageRows(plan, source)
  const { expressions, select, weighing } = orderedRecords(plan, source, rows)
  const all = [...rows.expressions, ...expressions]
  const before = all.length === 0 ? EMPTY : sql`with ${join(all)} `
  return sql`${before}${answerColumns(plan, totalSql(plan, source, rows), weighing)} from ${joinedRows(plan, select)}`
}

/** The rows of a page in order: their columns, the values that they are sorted by, and the rest of their query. */
interface PageRows {
  readonly order: readonly OrderExpression[]
  readonly columns: Map<string, Sql>
  readonly sorts: readonly Sql[]
  readonly from: Sql
  /** Common table expressions that the query needs. */
  readonly expressions: readonly Sql[]
  /** The name of the gathered rows. */
  readonly gathered?: string
}

function pageRows (plan: ListPlan, source: Source): PageRows {
  const { alias, table, where, context } = source
  const { joins, expressions: order } = orderSql(plan.order, alias, context, { custom: source })
  const all = sql`from ${table}${joins}${where}`
  const limits = sql` limit ${plan.fetchSlot} offset ${plan.offsetSlot}`
  if (plan.gathered === true) return gatheredRows(plan, source, order, all, limits)
  const found = sql`${all}${orderBy(order)}${limits}`
  if (isDeep(plan.window) && findsKeysFirst(plan, source)) return rowsByKey(plan, source, order, found)
  const columns = projection(plan.selection, alias)
  return { order, columns, sorts: order.map(({ value }) => value), from: found, expressions: [] }
}

/** The members of the records as columns, in order, and the expressions that they need. */
function orderedRecords (
  plan: ListPlan,
  source: Source,
  { order, columns, sorts, from }: PageRows
): { readonly expressions: readonly Sql[], readonly select: Sql, readonly weighing?: Weighing | undefined } {
  const { selection } = plan
  const { alias, context } = source
  const page = context.names.expression('page')
  context.known.copy(alias, page)
  const parents = sql`${plan.fetchSlot}`

  if (!showsRelated(selection) && !isWeighed(plan)) {
    const { members } = answerSql(plan, page, true, context, parents)
    const pageSql = sql`(select ${selectList(columns)} ${from}) as ${name(page)}`
    return { expressions: [], select: sql`select ${selectList(members)} from ${pageSql}` }
  }

  // joining included records may change the order of the page, so its rows carry the values they are ordered by
  const carried = orderBy(carriedOrder(order, carry(columns, sorts), page))
  const shown = plan.window.count === 'exact' || plan.limits === undefined ? page : context.names.expression('shown')
  context.known.copy(page, shown)
  const { members, expressions, joins: includes, weighing } = answerSql(plan, page, true, context, parents, shown)
  const fits = weighing === undefined ? EMPTY : whereClause([weighing.fits])
  const rows = sql`(select ${selectList(columns)} ${from})`
  if (expressions.length === 0) {
    return {
      expressions: [],
      select: sql`select ${selectList(members)} from ${rows} as ${name(page)}${includes}${carried}`,
    }
  }
  const pageSql = sql`${name(page)} as ${rows}`
  const shownSql = shown === page ? [] : [shownRows(shown, page, sql`${carried} limit ${plan.limitSlot}`)]
  return {
    expressions: [pageSql, ...shownSql, ...expressions],
    select: sql`select ${selectList(members)} from ${name(page)}${includes}${fits}${carried}`,
    weighing,
  }
}

/**
 * The rows of a page, from all rows that the filters keep. These rows have all columns of the page: to look them up by
 * key afterwards would take longer.
 */
function gatheredRows (
  { selection }: ListPlan,
  { alias, context }: Source,
  order: readonly OrderExpression[],
  all: Sql,
  limits: Sql
): PageRows {
  const gathered = context.names.expression('gathered')
  const columns = projection(selection, alias)
  const shown = [...columns.keys()]
  const carried = carriedOrder(order, carry(columns, order.map(({ value }) => value)), gathered)
  return {
    order,
    columns: new Map(shown.map((column) => [column, name(gathered, column)])),
    sorts: carried.map(({ value }) => value),
    from: sql`from ${name(gathered)}${orderBy(carried)}${limits}`,
    // one row more tells that there are too many
    expressions: [
      sql`${name(gathered)} as materialized (select ${selectList(columns)} ${all} limit ${
        numberSql(MOST_GATHERED + 1)
      })`,
    ],
    gathered,
  }
}

/**
 * The rows of a deep page, found in two steps: first the keys of the page, then the rows with these keys. The server
 * skips many rows. If it needs only their keys and sort values, it often finds them in an index alone, and a sort takes
 * less memory.
 */
function rowsByKey ({ selection }: ListPlan, source: Source, order: readonly OrderExpression[], found: Sql): PageRows {
  const { alias, model, context: { names } } = source
  const keys = names.expression('keys')
  const rows = names.table()
  const key = keyColumns(model).map(({ column }) => column)
  const needed = new Map(key.map((column, index) => [keyName(index), name(alias, column)]))
  const carried = carriedOrder(order, carry(needed, order.map(({ value }) => value)), keys)
  const on = equalColumns(rows, key, keys, key.map((_, index) => keyName(index)))
  return {
    order,
    columns: projection(selection, rows),
    sorts: carried.map(({ value }) => value),
    expressions: [],
    from: sql`from (select ${selectList(needed)} ${found}) as ${name(keys)} inner join ${trusted(model.table)} as ${
      name(rows)
    } on ${on}${orderBy(carried)}`,
  }
}

/** At least this many columns are needed only for the rows of the page. A sort of narrower rows is as fast without. */
const FEWEST_OTHERS = 2

/**
 * Whether the keys of a deep page are found first. A view would be read twice, and a cluster may not join a page of
 * keys to a distributed table.
 */
function findsKeysFirst ({ selection, order }: ListPlan, { alias, model, context }: Source): boolean {
  if (context.distributed || model.readOnly !== undefined) return false
  const others = projection(selection, alias).size - keyColumns(model).length - order.length
  return others >= FEWEST_OTHERS
}

/** The rows in order, joined into one text. A row beyond the limit is only counted. */
function joinedRows ({ window, limitSlot }: ListPlan, select: Sql): Sql {
  const items = sql`string_agg(${ROW_JSON}, ',')`
  if (window.count === 'exact') {
    return sql`(select ${items} as "items", count(*) as "fetched" from (${select}) as ${ROW}) as "@rows"`
  }
  const limited = sql`string_agg("item", ',') filter (where "number" <= ${limitSlot})`
  const numbered = sql`select ${ROW_JSON} as "item", row_number() over () as "number" from (${select}) as ${ROW}`
  return sql`(select ${limited} as "items", count(*) as "fetched" from (${numbered}) as "@numbered") as "@rows"`
}

/** The columns of the answer. */
function answerColumns ({ limits }: ListPlan, total: Sql, weighing: Weighing | undefined): Sql {
  if (weighing === undefined) return sql`select "items", "fetched", ${total}`
  const tooLong = sql`octet_length("items") > ${numberSql(limits!.maxBytes)}`
  const excess = sql`case when ${tooLong} then ${trusted(`'${EXCESS_OF_BYTES}'`)} else ${weighing.excess} end`
  return sql`select case when not ${tooLong} then "items" end as "items", "fetched", ${total}, ${excess} as ${
    name(EXCESS_COLUMN)
  }`
}

/**
 * The total. If rows are not gathered, they are counted only if the page does not tell the total. A page that is
 * neither full nor empty is the last one, and an empty first page means that there are no rows. CASE does not evaluate
 * the branch that it does not take.
 */
function totalSql (
  { window: { count }, fetchSlot, offsetSlot }: ListPlan,
  { table, where }: Source,
  { gathered }: PageRows
): Sql {
  if (count === 'planned' || count === 'none') return sql`null as "total"`
  if (gathered !== undefined) {
    return sql`(select case when count(*) <= ${numberSql(MOST_GATHERED)} then count(*) end from ${
      name(gathered)
    }) as "total"`
  }
  const known = sql`"fetched" < ${fetchSlot} and ("fetched" > 0 or ${offsetSlot} = 0)`
  const counted = count === 'exact'
    ? sql`(select count(*) from ${table}${where})`
    // one row more tells whether there are more
    : sql`(select count(*) from (select from ${table}${where} limit ${numberSql(count.upTo + 1)}) as "@counted")`
  return sql`case when ${known} then ${offsetSlot} + "fetched" else ${counted} end as "total"`
}
